"""``wireloom check --watch``: checks specs again whenever one of their files changes."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.cli.diagnostics import complain, say
from wireloom.cli.findings import ReportFormat, counted, report

if TYPE_CHECKING:
    from wireloom_generator.problems import Problem

_PAUSE = 0.3
"""Seconds between two looks at the files."""
_CLEAR = "\x1b[2J\x1b[H"


def watch(paths: Sequence[Path], check: "Callable[[], Sequence[Problem]]", shown: str) -> bool:
    """Report the problems of specs until the user stops it; whether there are errors at the end.

    On a terminal, the problems replace those before. Elsewhere only what changed is written.
    """
    before: Sequence[Problem] | None = None
    try:
        for _ in _changes(paths):
            problems = check()
            _show(problems, before, shown)
            before = problems
    except KeyboardInterrupt:
        pass
    return any(problem.severity == "error" for problem in before or ())


def _changes(paths: Sequence[Path]) -> Iterator[None]:
    """Once, and again after each change to a spec file."""
    seen = None
    while True:
        now = _state(paths)
        if now != seen:
            seen = now
            yield
        else:
            time.sleep(_PAUSE)


def _state(paths: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """When each spec file was changed, and its size. Imported libraries are in folders beside."""
    folders = {folder for path in paths for folder in (path, path.parent if path.is_file() else path, path.parent)}
    found: dict[Path, tuple[int, int]] = {}
    for path in (each for folder in folders if folder.is_dir() for each in folder.rglob("*.yaml")):
        try:
            status = path.stat()
        except OSError:  # it has just been removed
            continue
        found[path] = status.st_mtime_ns, status.st_size
    return found


def is_terminal() -> bool:
    """Whether somebody looks at what is reported."""
    return sys.stderr.isatty()


def _show(problems: "Sequence[Problem]", before: "Sequence[Problem] | None", shown: str) -> None:
    if is_terminal():
        sys.stderr.write(_CLEAR)
        report(problems, ReportFormat.TEXT)
    else:
        for problem in before or ():
            if problem not in problems:
                complain(f"fixed: {problem}")
        for problem in problems:
            if problem not in (before or ()):
                complain(str(problem))
    state = counted(problems) or "no problems"
    say(f"{shown}: {state}; watching, stop with Ctrl-C")
