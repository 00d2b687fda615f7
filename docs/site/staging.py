"""Staged pages: Markdown in one folder, with links between files of the checkout turned into links between pages."""

import os.path
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from wireloom_generator.site.pages import Pages

_LINK = re.compile(
    r"(^```.*?^```|`[^`\n]+`)|(?:(?<=\]\()|(?<= src=\")|(?<= srcset=\"))([^)\s#\"]+)", re.MULTILINE | re.DOTALL
)
"""Code, which is left alone, or the file that a link or a picture names."""
_FENCE = re.compile(r"^(```\w+) .*$", re.MULTILINE)
"""A block of code that says more than its language."""


class Stage(Pages):
    """Writes pages into ``out``. ``places`` has the page of each file or folder of the checkout that is made into one;
    other files that pages link to are shown as they are."""

    def __init__(self, root: Path, out: Path, places: Mapping[PurePosixPath, str]) -> None:
        super().__init__(out)
        self.root = root
        self.places = dict(places)

    def file(self, path: PurePosixPath, inserted: Mapping[str, str] | None = None) -> str:
        """Write the page of a file of the checkout, with what is ``inserted`` in place of its marks; its name."""
        name = self.places[path]
        if path.suffix != ".md":
            return self.source(name, str(path), self.root / path)
        text = self._relinked((self.root / path).read_text(encoding="utf-8"), path, name)
        for mark, shown in (inserted or {}).items():
            text = text.replace(mark, shown)
        return self.page(name, text)

    def _relinked(self, text: str, path: PurePosixPath, name: str) -> str:
        def to(found: re.Match[str]) -> str:
            if found[1] or ":" in found[2]:
                return found[0]
            target = PurePosixPath(os.path.normpath(path.parent / found[2]))
            return os.path.relpath(self._place(target, path), PurePosixPath(name).parent)

        return _LINK.sub(to, _FENCE.sub(r"\1", text))

    def _place(self, target: PurePosixPath, linked_from: PurePosixPath) -> str:
        """The page of what is linked to; it is made here if it is nobody's."""
        if target not in self.places:
            if not (self.root / target).is_file():
                raise SystemExit(f"{linked_from}: there is no page for {target}; link to a file, or correct the link")
            self.places[target] = f"files/{target}.md"
            self.file(target)
        return self.places[target]
