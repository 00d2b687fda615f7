"""The lines of a copybook → words and comments, in fixed format (columns 8 to 72) or in free format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator.importers import SourceError
from wireloom_generator.problems import Location

_AREA = slice(7, 72)
"""Columns 8 to 72: before them are sequence numbers and the indicator, after them names of programs."""
_CARD = 80
_BLANK = " \t\f\x1a"
_EARLY_LEVEL = re.compile(r" {0,5}\d{1,2} +[A-Z:]", re.IGNORECASE)
"""A level number and a name in the columns of sequence numbers, which only free format has."""
_LEVEL_IN_INDICATOR = re.compile(r" {6}\d{1,2} +[A-Z:]", re.IGNORECASE)
"""A level number that begins in column 7, where no indicator is a digit."""
_DIRECTIVE = re.compile(r"\s*(?:>>|\$SET\b)\s*(?:SOURCE\s*(?:FORMAT)?\s*(?:IS)?\s*\(?\"?(FREE|FIXED))?", re.IGNORECASE)
_LISTING = re.compile(r"\s*(?:EJECT|SKIP[123]|TITLE\s.*)\s*\.?\s*", re.IGNORECASE)
_PARTS = re.compile(
    r"""(?P<blank>[\s,;]+(?=\s|$)|\s+)|(?P<comment>\*>.*)|(?P<literal>[XNGZ]{0,2}(?:'(?:[^']|'')*'|"(?:[^"]|"")*"))"""
    r"""|(?P<word>[^\s'"]+)|(?P<open>['"])""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a literal with its quotes, or the period at the end of an entry."""

    text: str
    at: Location


@dataclass(frozen=True, slots=True)
class Comment:
    """The text of a comment; it is ``beside`` if something else is on its line before it."""

    text: str
    at: Location
    beside: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """A line without anything: what was said above is not about what follows."""


@dataclass(slots=True)
class _Line:
    number: int
    column: int
    text: str
    is_comment: bool = False


def parts(path: Path, text: str) -> Iterator[Word | Comment | Gap]:
    """What is in a copybook, in order."""
    lines = text.expandtabs(8).splitlines()
    for line in _joined(path, _free(lines) if _is_free(lines) else _fixed(path, lines)):
        if line.is_comment:
            yield Comment(line.text, Location(path, line.number, line.column), beside=False)
        elif not line.text.strip(_BLANK):
            yield Gap()
        else:
            yield from _words(path, line)


def _is_free(lines: list[str]) -> bool:
    for line in lines:
        said = _DIRECTIVE.match(line)
        if said and said[1]:
            return said[1].upper() == "FREE"
    code = [line for line in lines if line[6:7] not in ("*", "/")]
    return any(_EARLY_LEVEL.match(line[:9]) or line[_CARD:].strip(_BLANK) for line in code)


def _free(lines: list[str]) -> Iterator[_Line]:
    for number, line in enumerate(lines, 1):
        bare = line.lstrip(_BLANK)
        if not _DIRECTIVE.match(line) and not _LISTING.fullmatch(line):
            yield _Line(
                number, len(line) - len(bare) + 1, bare.lstrip("*>") if bare[:1] == "*" else bare, bare[:1] == "*"
            )


def _fixed(path: Path, lines: list[str]) -> Iterator[_Line]:
    for number, line in enumerate(lines, 1):
        area, indicator = line[_AREA].rstrip(_BLANK), line[6:7].strip(_BLANK)
        if indicator in ("*", "/"):
            yield _Line(number, 8, area, is_comment=True)
        elif indicator == "-":
            yield _Line(number, 0, area)
        elif _LEVEL_IN_INDICATOR.match(line):
            yield _Line(number, 7, indicator + area)
        elif not indicator and not _LISTING.fullmatch(area) and not _DIRECTIVE.match(area):
            yield _Line(number, 8, area)
        elif indicator and indicator not in "Dd$>":
            what = f"{line.strip(_BLANK)[:40]!r} is not COBOL: column 7 has {indicator!r}"
            raise SourceError(Location(path, number, 7), what, "it has *, / or - in fixed format, or nothing")


def _joined(path: Path, lines: Iterator[_Line]) -> Iterator[_Line]:
    """The lines with those that continue them."""
    last: _Line | None = None
    for line in lines:
        if line.column:
            if last is not None:
                yield last
            last = line
        elif last is None or last.is_comment:
            raise SourceError(Location(path, line.number, 7), "there is no line that this one continues")
        else:
            rest = line.text.lstrip(_BLANK)
            if opened := _opened(last.text):  # the literal has all columns up to the last one
                width = _AREA.stop - _AREA.start
                last.text = last.text + " " * (-len(last.text) % width)
                rest = rest.removeprefix(opened)
            last.text += rest
    if last is not None:
        yield last


def _opened(text: str) -> str:
    """The quote of a literal that does not end in a text."""
    return next((found[0] for found in _PARTS.finditer(text) if found.lastgroup == "open"), "")


def _words(path: Path, line: _Line) -> Iterator[Word | Comment]:
    for found in _PARTS.finditer(line.text):
        at = Location(path, line.number, line.column + found.start())
        match found.lastgroup:
            case "comment":
                yield Comment(found[0][2:], at, beside=bool(line.text[: found.start()].strip(_BLANK)))
            case "literal":
                yield Word(found[0], at)
            case "open":
                raise SourceError(at, "the literal that begins here does not end")
            case "word":
                bare = found[0].rstrip(".")
                text = bare.rstrip(",;")
                if text:
                    yield Word(text, at)
                if bare != found[0]:
                    yield Word(".", Location(path, at.line, at.column + len(bare)))
            case _:
                pass
