"""A capture split where records begin, so that its parts can be decoded apart and give what the whole gives.

Any bytes that mark a frame could also be in a payload, so they cannot be searched for. Instead the lengths are followed
from the start, at the speed of the scan, and a part begins only where a sound record does.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from wireloom.columnar import decoder
from wireloom.columnar.scanning import Pieces, Scanner


class Place(NamedTuple):
    """Where a sound record begins, and how many records and malformed ranges are in front of it."""

    offset: int
    number: int


def places(scanner: Scanner, read: Callable[[int], bytes], size: int, every: int) -> Iterator[Place]:
    """A record behind each multiple of ``every`` in a capture of ``size`` bytes, which ``read`` gives."""
    wanted, passed = every, 0
    pieces = Pieces(read, decoder.PIECE_BYTES, 0, final=True)
    for window in pieces:
        at = 0
        for cuts, after in scanner.scan(window):
            at = after
            starts = cuts.start + window.base
            while wanted < size and (row := int(starts.searchsorted(wanted))) < len(starts):
                while row < len(starts) and not scanner.begins(cuts, row):
                    row += 1
                if row == len(starts):
                    break
                found = Place(int(starts[row]), passed + row)
                yield found
                wanted = (found.offset // every + 1) * every
            passed += len(starts)
        pieces.keep(at)


def splits(scanner: Scanner, read: Callable[[int], bytes], size: int, every: int) -> Iterator[tuple[int, int]]:
    """(start, end) of parts of a capture of ``size`` bytes, each ending with a record behind a multiple of ``every``.

    A malformed range is in the part in which it begins, however long it is. ``read`` gives the capture's bytes.
    """
    begun = 0
    for place in places(scanner, read, size, every):
        yield begun, place.offset
        begun = place.offset
    if begun < size:
        yield begun, size
