"""A workspace of a test: texts with a cursor in them, and places by what stands there."""

from dataclasses import dataclass, field
from pathlib import Path

from wireloom_generator.language_server.places import FileRange
from wireloom_generator.language_server.workspace import Workspace
from wireloom_generator.problems import Problem

CURSOR = "¦"


@dataclass
class Opened:
    root: Path
    workspace: Workspace = field(default_factory=Workspace)

    def path(self, name: str) -> Path:
        return self.root / name

    def text(self, name: str) -> str:
        return self.workspace.document(self.path(name)).text

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a part of a text, which is not saved."""
        text = self.text(name)
        assert text.count(old) == 1
        self.workspace.texts[self.path(name)] = text.replace(old, new)

    def check(self, name: str) -> dict[str, list[Problem]]:
        found = self.workspace.check(self.path(name))
        return {path.relative_to(self.root).as_posix(): problems for path, problems in found.items() if problems}

    def cursor(self, name: str, around: str) -> tuple[Path, int, int]:
        """The place in a text where a part of it has a cursor."""
        before, _, after = around.partition(CURSOR)
        text = self.text(name)
        assert text.count(before + after) == 1, before + after
        return self._place(name, text.index(before + after) + len(before))

    def typed(self, name: str, old: str, new: str) -> tuple[Path, int, int]:
        """The cursor in what is written in place of a part of a text."""
        at = self.text(name).index(old) + new.index(CURSOR)
        self.edit(name, old, new.replace(CURSOR, ""))
        return self._place(name, at)

    def _place(self, name: str, at: int) -> tuple[Path, int, int]:
        text = self.text(name)
        return self.path(name), text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1

    def shown(self, places: list[FileRange]) -> list[str]:
        """Places as their files, lines and words."""
        found = []
        for path, span in places:
            line = self.workspace.document(path).lines[span.line]
            name = path.relative_to(self.root).as_posix()
            found.append(
                f"{name}:{span.line + 1}: {line[: span.start]}«{line[span.start : span.end]}»".replace("  ", "")
            )
        return found
