"""What DBC files of cars say against their format, as cantools takes it."""

import re
from bisect import bisect
from collections.abc import Container
from pathlib import Path

from wireloom_generator.importers import Coverage, Outcome
from wireloom_generator.problems import Location

EXTENDED = 1 << 31
"""The bit of a message's number that marks an identifier of 29 bits."""
_LONGEST_STANDARD, _LONGEST_EXTENDED = 0x7FF, 0x1FFFFFFF
_STRING = r'"(?:[^"\\]|\\.)*"'
_NUMBER = re.compile(
    rf"{_STRING}|\b((?:BO_|SG_|VAL_|BO_TX_BU_|SIG_VALTYPE_|SIG_GROUP_|SG_MUL_VAL_)[ \t]+)(\d{{1,10}})\b", re.DOTALL
)
_VALUES = re.compile(rf'^[ \t]*VAL_[ \t]+(\d{{1,10}})[ \t]+(\w+)(?:[^";]|{_STRING})*;', re.MULTILINE | re.DOTALL)


def marked(number: int) -> int:
    """The number of a message, with the mark that an identifier of more than 11 bits needs."""
    return number | EXTENDED if _LONGEST_STANDARD < number <= _LONGEST_EXTENDED else number


def lenient(path: Path, text: str, signals: Container[tuple[int, str]]) -> tuple[str, tuple[Outcome, ...]]:
    """The text of a file as cantools takes it, in which every line keeps its number, and what is left out.

    ``signals`` are those of the file, with the marked numbers of their messages.
    """
    outcomes = []
    ends = [end.start() for end in re.finditer("\n", text)]

    def values(found: re.Match[str]) -> str:
        if (marked(int(found[1])), found[2]) in signals:
            return found[0]
        at = Location(path, bisect(ends, found.start(2)) + 1, 1)
        outcomes.append(Outcome(found[2], at, Coverage.REFUSED, (f"its values are of no signal of {found[1]}",)))
        return "\n" * found[0].count("\n")

    def number(found: re.Match[str]) -> str:
        return f"{found[1]}{marked(int(found[2]))}" if found[2] else found[0]

    return _NUMBER.sub(number, _VALUES.sub(values, text)), tuple(outcomes)
