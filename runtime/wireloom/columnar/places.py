"""Which bytes of the regions of many rows fields at offsets take."""

from collections.abc import Iterator

import numpy as np

from wireloom.columnar.buffers import Array


class Scattered:
    """The bytes of regions, one a row, that were read out of sequence."""

    def __init__(self) -> None:
        self._rows: list[Array] = []
        self._start: list[Array] = []
        self._stop: list[Array] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    def __iter__(self) -> Iterator[tuple[Array, Array, Array]]:
        return zip(self._rows, self._start, self._stop, strict=True)

    def take(self, rows: Array, start: Array, stop: Array) -> None:
        """Take bytes of some rows; a row may have several."""
        some = start < stop
        self._rows.append(rows[some])
        self._start.append(start[some])
        self._stop.append(stop[some])

    def left_over(self, pos: Array, limit: Array) -> tuple[Array, Array, Array]:
        """The ranges after ``pos``, the end of each row's sequence, that nothing took, and which rows are in doubt.

        A row is in doubt if a byte is taken twice, or the bytes left are in several places.
        """
        rows, start, stop = (np.concatenate(each) for each in (self._rows, self._start, self._stop))
        order = np.lexsort((start, rows))
        rows, start, stop = rows[order], start[order], stop[order]
        is_first = np.ones(len(rows), bool)
        is_first[1:] = rows[1:] != rows[:-1]
        before = np.where(is_first, pos[rows], np.roll(stop, 1))
        doubtful = np.zeros(len(pos), bool)
        doubtful[rows[start < before]] = True
        first, last = pos.copy(), limit.copy()
        first[rows] = stop
        gaps = np.flatnonzero(start > before)
        places = np.bincount(rows[gaps], minlength=len(pos)) + (first < limit)
        doubtful |= places > 1
        first[rows[gaps]], last[rows[gaps]] = before[gaps], start[gaps]
        return first, last, doubtful
