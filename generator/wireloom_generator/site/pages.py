"""The Markdown pages that a site is built from."""

import re
from html import escape
from pathlib import Path

from wireloom_generator.emitters.docs.renderings import fence

_ROW = re.compile(r"^\|.*\\\|.*\|$", re.MULTILINE)
"""A row of a table with a bar in a cell."""
_CODE = re.compile(r"(`+)(?! )(.+?)\1")
_LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh"}
_UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


class Pages:
    """Writes pages below the folder ``out``; each method returns the page's name."""

    def __init__(self, out: Path) -> None:
        self.out = out

    def page(self, name: str, text: str) -> str:
        """Write a page."""
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_ROW.sub(_bars, text), encoding="utf-8")
        return name

    def source(self, name: str, title: str, path: Path) -> str:
        """Write a page that shows a file; the search leaves it out."""
        shown = fence(path.read_text(encoding="utf-8").rstrip("\n"), _LANGUAGES.get(path.suffix, "text"))
        return self.page(name, f"{_UNSEARCHED}# {title}\n{shown}")


def _bars(row: re.Match[str]) -> str:
    """The row with bars in code as the generator shows them, which takes a backslash in code for one."""

    def to(code: re.Match[str]) -> str:
        shown = escape(code[2]).replace("\\|", "&#124;")
        return f"<code>{shown}</code>"

    return _CODE.sub(to, row[0])
