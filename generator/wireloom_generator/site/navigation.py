"""A site's navigation, and how its configuration writes it."""

import json
from collections.abc import Iterator, Sequence

Navigation = Sequence["str | tuple[str, str | Navigation]"]
"""Pages, which have their own titles, other titles of pages, and titles with pages below them."""


def pages(navigation: Navigation) -> Iterator[str]:
    """The pages, in order."""
    for entry in navigation:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry[1], str):
            yield entry[1]
        else:
            yield from pages(entry[1])


def toml(navigation: Navigation) -> str:
    """An array of strings and tables of one key."""
    return f"[{', '.join(map(_entry, navigation))}]"


def text(value: str) -> str:
    """A string."""
    return json.dumps(value, ensure_ascii=False)


def _entry(entry: "str | tuple[str, str | Navigation]") -> str:
    if isinstance(entry, str):
        return text(entry)
    title, below = entry
    return f"{{{text(title)} = {text(below) if isinstance(below, str) else toml(below)}}}"
