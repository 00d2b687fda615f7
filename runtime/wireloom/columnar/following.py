"""Following a capture that grows: the records that its first bytes determine, and those that more of them add.

The first bytes of a capture settle the records and malformed ranges that no later bytes can change. An incomplete
record is not settled, and neither is a malformed range before its end is found. If the protocol has no way to find
it, the capture is lost: all of it from there on is malformed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wireloom.codec import DecodeError
from wireloom.codec.cutting import MalformedRange
from wireloom.columnar.decoder import PIECE_BYTES, Decoder
from wireloom.columnar.headers import header_of
from wireloom.columnar.scanning import Cuts, Scanner, Window
from wireloom.columnar.splits import UnfitError, upto
from wireloom.columnar.windows import Pieces
from wireloom.files import opened


@dataclass(frozen=True, slots=True)
class Reach:
    """How far some first bytes of a capture settle it: up to ``position``, or, if it is ``lost``, to their end.

    ``order`` is the byte order of the last record; true for little-endian.
    """

    position: int = 0
    order: bool | None = None
    lost: DecodeError | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """A malformed range."""

    start: int
    stop: int
    error: DecodeError


class Follower:
    """Follows the capture at ``path`` from where it was settled before; ``reach`` is how far it is settled now."""

    def __init__(self, decoder: Decoder, path: str, reach: Reach) -> None:
        self.decoder = decoder
        self.path = path
        self.reach = reach
        self.begun: MalformedRange | None = None
        """A malformed range whose first pieces were left out, as its end was not found yet."""

    def between(self, size: int, end: int, *, final: bool) -> Iterator[Cuts]:
        """What the first ``end`` bytes settle and the first ``size`` do not; all there is if the capture ends there."""
        for _ in self._settled(size, final=False):
            pass
        start = self.reach.position if self.reach.lost is None else size
        for found in self._settled(end, final=final):
            if isinstance(found, Range):
                yield from self._pieces(found)
            else:
                yield found
        if self.reach.lost is not None:
            yield from self._pieces(Range(max(start, self.reach.position), end, self.reach.lost))

    def _settled(self, size: int, *, final: bool) -> Iterator[Cuts | Range]:
        """The records that the first ``size`` bytes determine from here on, without those malformed because
        the capture is lost.
        """
        position = self.reach.position
        if size <= position or self.reach.lost is not None:
            return
        scanner, self.begun = self.decoder.scanner(self._parameters(position)), None
        scanner.cutter.order = self.reach.order
        with opened(self.path, position) as stream:
            left = size - position
            pieces = Pieces(upto(stream.readinto, left), min(PIECE_BYTES, left), position, final=final)
            for window in pieces:
                at = 0
                for cuts, after in scanner.scan(window):
                    at = after
                    yield from self._of(cuts, scanner)
                lost = scanner.cutter.range
                if lost is not None and lost.endless:
                    self.reach = Reach(lost.start, scanner.cutter.order, lost.error)
                    return
                pieces.keep(at)

    def _parameters(self, position: int) -> Mapping[str, Any] | None:
        """The parameters of the capture after its header, which is read again; None at its beginning."""
        if not position:
            return None
        if (header := header_of(self.decoder, self.path)) is None:
            raise UnfitError(f"{self.path} had a header, but has none now")
        return header.parameters

    def _of(self, cuts: Cuts, scanner: Scanner) -> Iterator[Cuts | Range]:
        """The cuts that are final: all but the pieces of a malformed range that continues."""
        first, count, base = 0, len(cuts.start), cuts.window.base
        begun, going_on = self.begun, scanner.cutter.range
        if going_on is not None:
            count = int(cuts.start.searchsorted(going_on.start - base))
        self.begun = going_on if count < len(cuts.start) else None
        if not count:
            return
        self.reach = Reach(base + int(cuts.stop[count - 1]), scanner.cutter.order)
        if begun is not None:
            assert begun.stop is not None
            first = int(cuts.start.searchsorted(begun.stop - base))
            yield Range(begun.start, begun.stop, begun.error)
        if first < count:
            yield _sliced(cuts, first, count)

    def _pieces(self, malformed: Range) -> Iterator[Cuts]:
        """A malformed range, read again, in rows no larger than those of a reader of whole captures."""
        cutter, known = self.decoder.cutter(), self.decoder.options.parameters
        largest, awaits = cutter.largest, cutter.awaits
        position = malformed.start
        with opened(self.path, position) as stream:
            while data := stream.read(min(largest, malformed.stop - position)):
                size = len(data)
                rows, first = (np.array([0]), np.array([size])), awaits and not position
                yield Cuts(Window(data, position), *rows, False, known, {0: malformed.error}, preamble=first)
                position += size


def _sliced(cuts: Cuts, first: int, stop: int) -> Cuts:
    """Some rows of cuts."""
    if (first, stop) == (0, len(cuts.start)):
        return cuts
    little = cuts.little if isinstance(cuts.little, bool) else cuts.little[first:stop]
    errors = {row - first: error for row, error in cuts.errors.items() if first <= row < stop}
    gaps = cuts.gaps[(cuts.gaps >= first) & (cuts.gaps < stop)] - first
    start, preamble = cuts.start[first:stop], cuts.preamble and not first
    return replace(
        cuts, start=start, stop=cuts.stop[first:stop], little=little, errors=errors, gaps=gaps, preamble=preamble
    )
