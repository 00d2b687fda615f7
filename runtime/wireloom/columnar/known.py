"""Checksums that are known: who writes bytes sums them up, so that who reads these need not do it again."""

import numpy as np

from wireloom.codec.checksums import Algorithm
from wireloom.columnar.buffers import Array


class KnownSums:
    """The checksums of some ranges of one buffer, whose bytes do not change any more."""

    def __init__(self) -> None:
        self._sums: list[tuple[Algorithm, Array, Array, Array]] = []

    def add(self, algorithm: Algorithm, start: Array, stop: Array, sums: Array) -> None:
        """The ``sums`` of ranges."""
        self._sums.append((algorithm, start, stop, sums))

    def written(self, start: Array, stop: Array) -> None:
        """That these bytes have changed: no sums of ranges with some of them are known."""
        self._sums = [each for each in self._sums if not _meet(each[1], each[2], start, stop)]

    def of(self, algorithm: Algorithm, start: Array, stop: Array) -> Array | None:
        """The checksum of each range; None if they are not those that are known."""
        for known, starts, stops, sums in self._sums:
            if known == algorithm and np.array_equal(starts, start) and np.array_equal(stops, stop):
                return sums
        return None


def _meet(start: Array, stop: Array, begin: Array, end: Array) -> bool:
    """Whether some range has bytes in common with another; these are in order, and do not overlap."""
    if not len(begin):
        return False
    before = np.maximum(np.searchsorted(begin, stop) - 1, 0)
    return bool(((begin[before] < stop) & (end[before] > start)).any())
