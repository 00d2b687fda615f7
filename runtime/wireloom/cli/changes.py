"""How generated files differ from their specs: file by file, with the command that fixes it."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom import files
from wireloom.cli.diagnostics import complain, say

if TYPE_CHECKING:
    from wireloom_generator.on_disk import FileChange

_DIFF_LINES = 20
_DIFF_FILES = 5
"""How many lines of each diff are shown, and for how many files."""


def show(changes: "Sequence[FileChange]", out: Path, stale: str) -> None:
    """Print the changes to ``out`` with short diffs, and ``stale`` if generated files are out of date."""
    for number, change in enumerate(changes):
        complain(f"{files.shown(change.path)}: {change.kind}")
        lines = change.diff.splitlines() if number < _DIFF_FILES else []
        for line in lines[:_DIFF_LINES]:
            complain(f"  {line}")
        if len(lines) > _DIFF_LINES:
            complain(f"  … {len(lines) - _DIFF_LINES} more lines")
    kinds = {str(change.kind) for change in changes}
    if kinds - {"foreign", "untracked"}:
        say(stale)
    if "untracked" in kinds:
        paths = [change.path for change in changes if change.kind == "untracked"]
        say(f"git does not track all of these files; run: {_git_add(paths, out)}")
    if "foreign" in kinds:
        say(f"{files.shown(out)} contains files that are not generated; move them elsewhere")


def _git_add(paths: Sequence[Path], out: Path) -> str:
    """The command that adds all of them; those below ``out`` are added with it."""
    beside = [str(path) for path in paths if not path.is_relative_to(out)]
    return shlex.join(["git", "add", *([str(out)] if len(beside) < len(paths) else []), *beside])
