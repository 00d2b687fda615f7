"""A capture split where records begin, so that its parts can be decoded apart and give what the whole gives.

Any bytes that mark a frame could also be in a payload, so they cannot be searched for. Instead the lengths are followed
from the start, at the speed of the scan, and a part begins only where a sound record does.
"""

from collections.abc import Callable, Iterator

from wireloom.columnar import decoder
from wireloom.columnar.scanning import Pieces, Scanner


def splits(scanner: Scanner, read: Callable[[int], bytes], size: int, every: int) -> Iterator[tuple[int, int]]:
    """(start, end) of parts of a capture of ``size`` bytes, each ending with a record behind a multiple of ``every``.

    A malformed range is in the part in which it begins, however long it is. ``read`` gives the capture's bytes.
    """
    begun, wanted = 0, every
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
                yield begun, int(starts[row])
                begun = int(starts[row])
                wanted = (begun // every + 1) * every
        pieces.keep(at)
    if begun < size:
        yield begun, size
