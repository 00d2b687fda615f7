"""Packets of capture files, as many at a time as a batch has."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from wireloom.buffers import Array, octets_of


@dataclass(frozen=True, slots=True)
class Packets:
    """Packets that begin with the same link header. The captured bytes of each are in ``buffer``, from ``start`` to
    ``stop``.

    ``known`` has a row for each: its number, its time in nanoseconds since 1970 or ``NO_TIME``, its position in its
    file, and the number of the file.
    """

    link_type: int
    buffer: Any
    start: Array
    stop: Array
    known: Array

    @classmethod
    def of(cls, link_type: int, frames: pa.Array, known: Array) -> "Packets":
        """Packets as an array of bytes."""
        return cls(link_type, *octets_of(frames), known)

    def part(self, which: slice | Array) -> "Packets":
        """Some of the packets."""
        return replace(self, start=self.start[which], stop=self.stop[which], known=self.known[which])


Consecutive = Sequence[Packets]
"""Packets that follow one another in a file, those of each link header together."""


def parts(packets: Consecutive, count: int) -> Iterator[Consecutive]:
    """The same packets, so many numbers at a time."""
    first = min(int(each.known[0, 0]) for each in packets)
    last = max(int(each.known[-1, 0]) for each in packets)
    for at in range(first, last + 1, count):
        found = [each.part(slice(*each.known[:, 0].searchsorted([at, at + count]).tolist())) for each in packets]
        if some := [each for each in found if len(each.known)]:
            yield some
