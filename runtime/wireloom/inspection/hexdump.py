"""The bytes of a record that are shown, sixteen per line, and the leaf that each of them belongs to.

Only the first and last lines of a long leaf are shown.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wireloom.codec.tracing import SpanKind
from wireloom.inspection.record import Failure, Inspected, Shown

PER_LINE = 16
LEAD, TAIL = 128, 32
"""How many of the first and last bytes of a long leaf are shown."""
_FEWEST = 96
"""If fewer bytes would be hidden, a leaf is not long."""
COLOURS = 6
"""How many colours alternate from leaf to leaf, numbered from 0. The next number is for bytes of no field."""


@dataclass(frozen=True, slots=True)
class Line:
    """Bytes from ``start`` to before ``end``, not shown if ``elided``."""

    start: int
    end: int
    elided: bool = False


def lines(inspected: Inspected, lead: int = LEAD) -> tuple[Line, ...]:
    """The lines of a record, with so many of the first bytes of long leaves."""
    found: list[Line] = []
    position = 0
    for start, end in _all_hidden(inspected, lead):
        first, last = -(-start // PER_LINE) * PER_LINE, end // PER_LINE * PER_LINE
        if max(first, position) < last:
            found += _shown(position, max(first, position))
            found.append(Line(max(first, position), last, elided=True))
            position = last
    return (*found, *_shown(position, len(inspected.data)))


def _shown(start: int, end: int) -> Iterator[Line]:
    yield from (Line(at, min(at + PER_LINE, end)) for at in range(start, end, PER_LINE))


def _all_hidden(inspected: Inspected, lead: int) -> Iterator[tuple[int, int]]:
    for leaf in inspected.leaves():
        yield from hidden(leaf, inspected.error, PER_LINE, lead)


def hidden(leaf: Shown, error: Failure | None, width: int, lead: int = LEAD) -> Iterator[tuple[int, int]]:
    """The hidden bytes of a long leaf: the inner ones, except around the first byte that shows the error.

    The bytes shown there are a line of ``width`` bytes, counted from the leaf's start, and the next line.
    """
    start, end = leaf.start + lead, leaf.end - TAIL
    if end - start <= _FEWEST:
        return
    if error is not None and error.start is not None and start <= error.start < end:
        wrong = leaf.start + (error.start - leaf.start) // width * width
        if start < wrong:
            yield start, wrong
        start = min(wrong + 2 * width, end)
    if start < end:
        yield start, end


def owners(inspected: Inspected, shown: Iterable[Line]) -> dict[int, int]:
    """The number of the leaf for each byte shown; if several share it, the first."""
    positions = [at for line in shown if not line.elided for at in range(line.start, line.end)]
    found: dict[int, int] = {}
    for number, leaf in enumerate(inspected.leaves()):
        for at in positions[bisect_left(positions, leaf.start) : bisect_left(positions, leaf.end)]:
            found.setdefault(at, number)
    return found


def colours(inspected: Inspected) -> list[int]:
    """The colour of each leaf, by its number; leaves with the same bytes have the same colour."""
    found: list[int] = []
    colour, place = -1, (-1, -1)
    for leaf in inspected.leaves():
        if leaf.kind in (SpanKind.PADDING, SpanKind.UNREAD):
            found.append(COLOURS)
            continue
        if leaf.start < leaf.end and (leaf.start, leaf.end) != place:
            colour, place = (colour + 1) % COLOURS, (leaf.start, leaf.end)
        found.append(max(colour, 0))
    return found
