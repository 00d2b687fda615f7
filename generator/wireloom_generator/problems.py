"""Problems of a spec: ``path:line:col: error[rule]: what; hint``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache
from itertools import islice
from pathlib import Path


class Severity(StrEnum):
    """Errors stop generation, warnings do not, and notes need no action."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a spec file; line and column count from 1.

    If a text is there unchanged and on one line, ``verbatim`` is how many columns further on it begins: 1 after a
    quote.
    """

    path: Path
    line: int
    column: int
    verbatim: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding of one rule."""

    location: Location
    rule: str
    what: str
    hint: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.location}: {self.severity}[{self.rule}]: {self.what}{hint}"


@dataclass(frozen=True, slots=True)
class Violation:
    """A problem as its rule reports it, without the rule's id."""

    location: Location
    what: str
    hint: str = ""
    severity: Severity = Severity.ERROR

    def of(self, rule: str) -> Problem:
        return Problem(self.location, rule, self.what, self.hint, self.severity)


class SourceError(Exception):
    """A file of another tool is not what it should be: ``path:line:column: what; hint``."""

    def __init__(self, at: Location, what: str, hint: str = "") -> None:
        super().__init__(f"{at}: {what}{hint and f'; {hint}'}")


_ODD_DIGITS = re.compile(r"[0-9A-Fa-f]([0-9A-Fa-f]{2})*")
_NEAR = 0.65
"""The least similarity of a suggestion."""
_MANY = 200
"""With more known names than this, only those that differ by one letter are compared."""
_COMPARED = 20
"""The most names that are compared."""
_LONG = 64
"""Longer names get no suggestion."""


def closest(name: str, *known: Iterable[str]) -> str:
    """The hint for an unknown name: the nearest known one, or all of them if they are few."""
    near = nearest(name, *known)
    if near is not None:
        return f"did you mean {near!r}?"
    names = sorted({other for group in known for other in group})
    return f"known: {', '.join(names)}" if 0 < len(names) <= 12 else ""


def nearest(name: str, *known: Iterable[str]) -> str | None:
    """The known name most similar to a misspelt one, if one is similar.

    Results are cached by the frozenset of known names.
    """
    groups = [found if isinstance(found, frozenset) else frozenset(found) for found in known]
    is_many = sum(map(len, groups)) > _MANY
    names = sorted({other for group in groups for other in (_near(name, group) if is_many else group)})
    by_sound = {other.casefold(): other for other in names}
    close = get_close_matches(name.casefold(), by_sound, 1, _NEAR)
    return by_sound[close[0]] if close else None


def _near(name: str, known: frozenset[str]) -> Iterable[str]:
    """Some of the known names that differ from the name by one letter."""
    spelled = _spelled(known)
    found = (near for part in _parts(name) for near in spelled.get(part, ()))
    return islice(dict.fromkeys(found), _COMPARED)


@lru_cache(maxsize=8)
def _spelled(known: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """The names, by themselves and by what is left of them without one letter."""
    found: dict[str, list[str]] = {}
    for name in sorted(known):
        for part in _parts(name):
            found.setdefault(part, []).append(name)
    return found


def _parts(name: str) -> Iterable[str]:
    """The name, and what is left of it without one letter."""
    sound = name.casefold()
    letters = range(len(sound)) if len(sound) <= _LONG else ()
    return dict.fromkeys((sound, *(sound[:at] + sound[at + 1 :] for at in letters)))


def counted(count: int, what: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def odd_digits(text: str) -> str:
    """The hint for an odd number of hex digits; empty for anything else."""
    return f"{counted(len(text), 'digit')}: one is missing or too many" if _ODD_DIGITS.fullmatch(text) else ""


def seen_from(here: Location, other: Location) -> str:
    """Where ``other`` is, for a message about ``here``."""
    if here.path == other.path:
        return f"in line {other.line}"
    is_alike = other.path.name == here.path.name
    return f"in {Path(other.path.parent.name, other.path.name) if is_alike else other.path.name}:{other.line}"
