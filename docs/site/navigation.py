"""The site's navigation, and how its configuration writes it."""

import json
from collections.abc import Sequence

Navigation = Sequence["str | tuple[str, str | Navigation]"]
"""Pages, which have their own titles, other titles of pages, and titles with pages below them."""


def toml(navigation: Navigation) -> str:
    """An array of strings and tables of one key."""
    return f"[{', '.join(map(_entry, navigation))}]"


def _entry(entry: "str | tuple[str, str | Navigation]") -> str:
    if isinstance(entry, str):
        return json.dumps(entry)
    title, pages = entry
    below = json.dumps(pages) if isinstance(pages, str) else toml(pages)
    return f"{{{json.dumps(title, ensure_ascii=False)} = {below}}}"
