"""Stream readers: the records in the bytes of one direction of a connection, and the packets that they come from."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wireloom.buffers import Array
from wireloom.codec import DecodeError
from wireloom.codec.captures import may_lack_terminator
from wireloom.codec.cutting import Cutter
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts, Window
from wireloom.columnar.traffic.reassembly import Delivered

UNKNOWN = -1
"""As many bytes are lost as nobody knows."""
_IN_A_ROW = 3
"""After a gap, which is in the middle of a record, this many consecutive records show where one begins."""
_SMALL = 512
"""Records in so few bytes are cut one by one, as it takes longer to begin with many."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Records that were cut out of a stream, the rows of the packets that they begin in, and the numbers of the packets
    that completed them. ``gaps`` are as in ``Provenance``.
    """

    cuts: Cuts
    packets: Array
    complete: Array
    gaps: Array


class StreamReader(Protocol):
    """Reads the bytes of a stream."""

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """The records that are complete with these bytes, or all that are left with the ``final`` ones."""
        ...

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """The records before a gap of so many bytes, or of unknown size."""
        ...


class Plain:
    """Bytes that are records end to end. Parameters found in a stream stay known after gaps.

    While no bytes are held there is only the position in the stream, because most streams of a recording are idle.
    """

    __slots__ = ("base", "begins", "complete", "cutter", "decoder", "gap", "packets", "tail")

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self.cutter = decoder.cutter()
        self.tail = b""
        self.base = 0
        """Where in the stream the tail begins."""
        self.begins: list[int] = []
        self.packets: list[list[int]] = []
        self.gap = 0
        """How many bytes were lost before the tail."""
        self.complete = 0
        """The number of the packet with which the last record was complete."""

    def take(self, delivered: Delivered, *, final: bool = False) -> Iterator[Sent]:
        """As ``StreamReader.take``."""
        self.begins += delivered.begins
        self.packets += delivered.packets
        buffer, at = b"".join([self.tail, *delivered.data]), 0
        if not buffer:
            return
        scanner = self.decoder.scanning(self.cutter)
        self.cutter.search.in_a_row = _IN_A_ROW
        for cuts, after in scanner.scan(Window(buffer, self.base, final), singly=len(buffer) <= _SMALL):
            yield self._sent(cuts)
            at = after
        self.cutter.rest()
        self.tail = buffer[at:]
        self.base += at
        known = bisect_right(self.begins, self.base) - 1 if self.tail else len(self.begins)
        del self.begins[:known], self.packets[:known]

    def lose(self, missing: int | None) -> Iterator[Sent]:
        """As ``StreamReader.lose``."""
        if self.tail and may_lack_terminator(self.decoder.protocol):
            yield self._torn()
        yield from self.take(Delivered(), final=True)
        self.base += missing or 0
        self.gap = UNKNOWN if missing is None else missing
        self.begins, self.packets = [], []
        if self.cutter.framing.recovers or missing is not None:
            self.cutter.lose(self.base, missing)

    def _torn(self) -> Sent:
        """The tail as a malformed record. A capture may end without a terminator, but this one goes on."""
        buffer, self.tail = self.tail, b""
        error = DecodeError("unterminated", "no terminator before the bytes that were not captured", self.base)
        sent = self._sent(_malformed(Window(buffer, self.base), error, self.cutter))
        self.base += len(buffer)
        return sent

    def _sent(self, cuts: Cuts) -> Sent:
        begins, packets = np.array(self.begins), np.array(self.packets)
        first, last = (np.searchsorted(begins, self.base + at, "right") - 1 for at in (cuts.start, cuts.stop - 1))
        gaps = np.zeros(len(cuts.start), np.int64)
        gaps[0], self.gap = self.gap, 0
        complete = np.maximum.accumulate(np.maximum(packets[last, 0], self.complete))
        self.complete = int(complete[-1])
        return Sent(cuts, packets[first], complete, gaps)


def refused(delivered: Delivered, error: DecodeError, cutter: Cutter) -> Sent:
    """Bytes as one malformed range."""
    buffer = b"".join(delivered.data)
    packets = np.array(delivered.packets[:1])
    cuts = _malformed(Window(buffer, delivered.begins[0]), error, cutter)
    return Sent(cuts, packets, packets[:, 0], np.zeros(1, np.int64))


def _malformed(window: Window, error: DecodeError, cutter: Cutter) -> Cuts:
    """All bytes of a window as one malformed range."""
    return Cuts(window, np.array([0]), np.array([len(window.buffer)]), False, cutter.parameters, {0: error})
