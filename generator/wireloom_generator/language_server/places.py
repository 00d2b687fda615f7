"""Places in texts: lines and columns from 0, counted in characters."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wireloom_generator.problems import Location

_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[\w.-]+")
_BREAK = re.compile("(\r\n|[\r\n\x85\u2028\u2029])")
_INDICATOR = re.compile(r"[|>][-+\d]*[ \t]*(#.*)?\Z")


class TextRange(NamedTuple):
    """Characters of one line, up to ``end``."""

    line: int
    start: int
    end: int

    def has(self, line: int, column: int) -> bool:
        """Whether a cursor is in it, or at its end."""
        return line == self.line and self.start <= column <= self.end


class FileRange(NamedTuple):
    """Characters of a file."""

    path: Path
    span: TextRange


def replaced(text: str, edits: Mapping[TextRange, str]) -> str:
    """A text with other words in some places."""
    parts = re.split(_BREAK, text)
    lines, breaks = parts[::2], [*parts[1::2], ""]
    for span, word in sorted(edits.items(), reverse=True):
        lines[span.line] = f"{lines[span.line][: span.start]}{word}{lines[span.line][span.end :]}"
    return "".join(f"{line}{end}" for line, end in zip(lines, breaks, strict=True))


def lines_of(text: str) -> list[str]:
    """The lines of a text, as YAML counts them."""
    return re.split(_BREAK, text.removeprefix("\ufeff"))[::2]


def marked(lines: Sequence[str], at: Location) -> TextRange:
    """What stands at a location: a word, a text in quotes, or one character."""
    line, column = min(at.line - 1, len(lines) - 1), at.column - 1
    found = _TOKEN.match(lines[line], column)
    return TextRange(line, min(column, len(lines[line])), found.end() if found else min(column + 1, len(lines[line])))


def word_at(lines: Sequence[str], line: int, column: int) -> TextRange:
    """The word that a cursor is in or at the end of; empty if there is none."""
    text = lines[line] if line < len(lines) else ""
    before = re.search(r"\w*\Z", text[:column])
    after = re.match(r"\w*", text[column:])
    assert before is not None and after is not None
    return TextRange(line, before.start(), column + after.end())


def inside(lines: Sequence[str], at: Location, text: str, offset: int, length: int) -> TextRange | None:
    """Where a part of a ``text`` stands that begins at a location, with other blanks and line breaks in the file.

    None if it is not there as it is, or goes on in another line.
    """
    line, column = at.line - 1, at.column - 1
    if column < len(lines[line]) and lines[line][column] in "'\"":
        column += 1
    elif _INDICATOR.match(lines[line], column):
        line, column = line + 1, 0
    for place, char in enumerate(text):
        if char.isspace():
            continue
        while line < len(lines) and not lines[line][column:].strip():
            line, column = line + 1, 0
        if line == len(lines):
            return None
        column += len(lines[line][column:]) - len(lines[line][column:].lstrip())
        if place >= offset:
            is_there = lines[line][column : column + length] == text[offset : offset + length]
            return TextRange(line, column, column + length) if is_there else None
        if lines[line][column] != char:
            return None
        column += 1
    return None
