"""What is wrong with a spec, and where: ``path:line:col: error[rule]: what; hint``."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path


class Severity(StrEnum):
    """Errors stop generation; warnings do not, and notes tell what is as it may be."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a spec file; line and column count from 1."""

    path: Path
    line: int
    column: int

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


_NEAR = 0.65
"""How alike two names are of which one can be a slip of the other."""


def closest(name: str, known: Iterable[str]) -> str:
    """The hint for a name that is not known: the nearest one that is, or all of them when they are few."""
    names = sorted(set(known))
    by_sound = {other.casefold(): other for other in names}
    close = get_close_matches(name.casefold(), by_sound, 1, _NEAR)
    if close:
        return f"did you mean {by_sound[close[0]]!r}?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 12 else ""


def counted(count: int, what: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def seen_from(here: Location, other: Location) -> str:
    """Where ``other`` is, told to somebody who looks at ``here``."""
    return f"in line {other.line}" if here.path == other.path else f"in {other.path.name}:{other.line}"
