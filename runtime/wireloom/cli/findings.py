"""Problems in files, reported to people and programs: as text, JSON, or annotations of GitHub Actions.

On a terminal, each problem comes with its source line and a caret. Elsewhere it is one line that tools can search and
jump to: ``path:line:col: error[rule]: what; hint``.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.cli.diagnostics import complain, say, tell
from wireloom.json_rows import json_text
from wireloom.printable import printable

if TYPE_CHECKING:
    from rich.text import Text

    from wireloom_generator.problems import Problem


class ReportFormat(StrEnum):
    """How problems are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
"""The line breaks of YAML."""
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[\w.-]+")
_TAB = "    "
_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
"""The colour of each severity, worst first."""
_EXPLAINED = 3
"""How many rules the last line mentions."""


def report(problems: "Sequence[Problem]", format: ReportFormat) -> None:
    """Report all problems: as text on standard error with a count at the end, in other formats on standard output."""
    match format:
        case ReportFormat.TEXT:
            _text(problems)
        case ReportFormat.JSON:
            print(json_text([plain(problem) for problem in problems]))
        case ReportFormat.GITHUB:
            for problem in problems:
                tell(_annotation(problem))


def _text(problems: "Sequence[Problem]") -> None:
    if sys.stderr.isatty():
        _draw(problems)
    else:
        for problem in problems:
            complain(str(problem))
    if problems:
        worst_first = sorted(problems, key=lambda problem: list(_COLOURS).index(problem.severity))
        rules = list(dict.fromkeys(problem.rule for problem in worst_first))[:_EXPLAINED]
        say(f"{counted(problems)}; explain with: wireloom explain {' '.join(rules)}")


def counted(problems: "Iterable[Problem]") -> str:
    """How many problems there are of each severity, in words; empty if there are none."""
    numbers = Counter(str(problem.severity) for problem in problems)
    counted = ((numbers[severity], severity) for severity in _COLOURS)
    return ", ".join(f"{number} {severity}{'s' if number > 1 else ''}" for number, severity in counted if number)


def plain(problem: "Problem") -> dict[str, str | int]:
    """The problem as a JSON object."""
    at = problem.location
    return {
        "path": at.path.as_posix(), "line": at.line, "column": at.column, "severity": str(problem.severity),
        "rule": problem.rule, "what": problem.what, "hint": problem.hint,
    }  # fmt: skip


def _annotation(problem: "Problem") -> str:
    """The problem as a workflow command: GitHub shows it at its line in the pull request."""
    at = problem.location
    properties = {"file": at.path.as_posix(), "line": at.line, "col": at.column, "title": f"wireloom {problem.rule}"}
    given = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in properties.items())
    hint = f"; {problem.hint}" if problem.hint else ""
    command = "notice" if problem.severity == "note" else str(problem.severity)
    return f"::{command} {given}::{_escaped(problem.what + hint)}"


def _escaped(text: str, more: str = "") -> str:
    """Text with the characters that end a workflow command escaped as ``%XX``; with ``more``, also those that end a
    property.
    """
    shown = "".join(char if char in "\r\n" else printable(char) for char in text)
    return re.sub(f"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", shown)


def _draw(problems: "Iterable[Problem]") -> None:
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    files: dict[Path, list[str]] = {}
    for problem in problems:
        path = problem.location.path
        if path not in files:
            files[path] = _lines(path)
        console.print(drawing(problem, files[path], console.width), soft_wrap=True)


def _lines(path: Path) -> list[str]:
    try:
        return _LINE_BREAK.split(path.read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff"))
    except OSError:
        return []


def drawing(problem: "Problem", lines: Sequence[str], width: int) -> "Text":
    """The problem, its source line with a caret under the place, and the hint."""
    from rich.text import Text

    at, colour = problem.location, _COLOURS[problem.severity]
    gutter = " " * len(str(at.line))
    drawn = Text()
    drawn.append(printable(str(at)), "bold").append(": ")
    drawn.append(f"{problem.severity}[{problem.rule}]", colour).append(f": {printable(problem.what)}\n", "bold")
    if 0 < at.line <= len(lines):
        shown, before, marked = _window(lines[at.line - 1], at.column - 1, width - len(gutter) - 3)
        drawn.append(f"{at.line} | ", "blue").append(f"{shown}\n")
        drawn.append(f"{gutter} | ", "blue").append(f"{' ' * before}{'^' * marked}\n", colour)
    if problem.hint:
        drawn.append(f"{gutter} = ", "blue").append("hint: ", "bold").append(f"{printable(problem.hint)}\n", "cyan")
    return drawn


def _window(line: str, column: int, width: int) -> tuple[str, int, int]:
    """The part of a line that contains ``column`` and fits ``width`` cells of a terminal, the number of cells before
    the caret, and the caret's width.
    """
    from rich.cells import cell_len, set_cell_size

    found = _TOKEN.match(line, column)
    end = found.end() if found else column + 1
    head, token, tail = (_shown(part) for part in (line[:column], line[column:end], line[end:]))
    mark = max(1, cell_len(token))
    if cell_len(head) + cell_len(token) + cell_len(tail) > width:
        room = max(width - 2, 8)
        while head and cell_len(head) > max(room - mark, room // 2):
            head = head[1:]
        head = head if head == _shown(line[:column]) else f"…{head}"
        left = width - cell_len(head) - cell_len(token)
        if cell_len(tail) > left:
            rest = set_cell_size(token + tail, max(width - cell_len(head) - 1, 1))
            return f"{head}{rest}…", cell_len(head), min(mark, cell_len(rest))
    return f"{head}{token}{tail}", cell_len(head), mark


def _shown(text: str) -> str:
    return printable(text.replace("\t", _TAB))
