"""What DBC files of cars say against their format, as cantools takes it."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator.importers import Coverage, Outcome
from wireloom_generator.problems import Location

EXTENDED = 1 << 31
"""The bit of a message's number that marks an identifier of 29 bits."""
_LONGEST_STANDARD, _LONGEST_EXTENDED = 0x7FF, 0x1FFFFFFF
_STRING = r'"(?:[^"\\]|\\.)*"'
_MESSAGE = re.compile(r"^[ \t]*BO_[ \t]+(\d{1,10})\b(?=[ \t]+\w+[ \t]*:)|^[ \t]*SG_[ \t]+(\w+)", re.MULTILINE)
_NUMBER = re.compile(
    rf"{_STRING}|\b((?:BO_|SG_|VAL_|BO_TX_BU_|SIG_VALTYPE_|SIG_GROUP_|SG_MUL_VAL_)[ \t]+)(\d{{1,10}})\b", re.DOTALL
)
_VALUES = re.compile(rf'^[ \t]*VAL_[ \t]+(\d{{1,10}})[ \t]+(\w+)(?:[^";]|{_STRING})*;', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lenient:
    """The ``text`` as cantools takes it, with the numbers of messages that the file does not mark as extended."""

    text: str
    unmarked: Set[int]
    outcomes: tuple[Outcome, ...]


def lenient(path: Path, text: str) -> Lenient:
    """The text of a file. Every line keeps its number."""
    signals = set(_signals(text))
    unmarked = {number for number, _ in signals if _LONGEST_STANDARD < number <= _LONGEST_EXTENDED}
    outcomes = []

    def marked(found: re.Match[str]) -> str:
        is_unmarked = found[2] is not None and int(found[2]) in unmarked
        return f"{found[1]}{int(found[2]) | EXTENDED}" if is_unmarked else found[0]

    def values(found: re.Match[str]) -> str:
        if (int(found[1]), found[2]) in signals:
            return found[0]
        at = Location(path, text.count("\n", 0, found.start(2)) + 1, 1)
        outcomes.append(Outcome(found[2], at, Coverage.REFUSED, (f"its values are of no signal of {found[1]}",)))
        return "\n" * found[0].count("\n")

    text = _VALUES.sub(values, text)
    return Lenient(_NUMBER.sub(marked, text), {number | EXTENDED for number in unmarked}, tuple(outcomes))


def _signals(text: str) -> Iterator[tuple[int, str]]:
    """The number of each message, with an empty name and with those of its signals."""
    number = -1
    for found in _MESSAGE.finditer(text):
        number = int(found[1]) if found[1] else number
        yield number, found[2] or ""
