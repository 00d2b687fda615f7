"""How generated files differ from what the specs give: told file by file, with the command that mends it."""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.cli.diagnostics import complain, say
from wireloom.cli.findings import printable

if TYPE_CHECKING:
    from wireloom_generator.generate import Change
    from wireloom_generator.problems import Problem

RULE = "generated"

_WHAT = {
    "added": "is missing",
    "edited": "is not what the specs give",
    "orphaned": "is generated, but no spec gives it any longer",
    "foreign": "is not generated, but stands among files that are",
    "untracked": "is generated, but git does not have it",
}
_DIFF_LINES = 20
_DIFF_FILES = 5
"""How many lines of each file's difference are shown, and of how many files."""


def show(changes: "Sequence[Change]", out: Path, specs: str, command: str) -> None:
    """Tell the changes with short diffs, and how to undo them: ``command`` generates ``out`` from ``specs``."""
    for number, change in enumerate(changes):
        complain(f"{printable(str(change.path))}: {change.kind}")
        lines = change.diff.splitlines() if number < _DIFF_FILES else []
        for line in lines[:_DIFF_LINES]:
            complain(f"  {printable(line)}")
        if len(lines) > _DIFF_LINES:
            complain(f"  … {len(lines) - _DIFF_LINES} more lines")
    kinds = {str(change.kind) for change in changes}
    if kinds - {"foreign", "untracked"}:
        say(f"{out} is not what {specs} gives; run: {command}")
    if "untracked" in kinds:
        paths = [change.path for change in changes if change.kind == "untracked"]
        say(f"git does not have all of {out}; run: {_git_add(paths, out)}")
    if "foreign" in kinds:
        say(f"{out} has files that are not generated; keep them elsewhere")


def _git_add(paths: Sequence[Path], out: Path) -> str:
    """The command for all of them; what stands below ``out`` is added with it."""
    beside = [str(path) for path in paths if not path.is_relative_to(out)]
    return shlex.join(["git", "add", *([str(out)] if len(beside) < len(paths) else []), *beside])


def as_problems(changes: "Sequence[Change]", command: str) -> "Iterator[Problem]":
    """The changes as problems of files, for who reads those."""
    from wireloom_generator.problems import Location, Problem

    for change in changes:
        match str(change.kind):
            case "foreign":
                hint = "keep it elsewhere"
            case "untracked":
                hint = f"run: {shlex.join(['git', 'add', str(change.path)])}"
            case _:
                hint = f"run: {command}"
        yield Problem(Location(change.path, _first_line(change.diff), 1), RULE, _WHAT[change.kind], hint)


def _first_line(diff: str) -> int:
    """The line of the file on disk with which a unified diff begins; 1 of an empty one."""
    before, _, hunk = diff.partition("\n@@ -")
    start = re.match(r"\d+", hunk)
    if not before or start is None:
        return 1
    context = 0
    for line in hunk.splitlines()[1:]:
        if not line.startswith(" "):
            break
        context += 1
    return max(1, int(start[0]) + context)
