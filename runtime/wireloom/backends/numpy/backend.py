"""The numpy back end: each instruction is executed for a tile of rows at once."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from wireloom.backends.interface import Memory, RecordLengths, RecordsToRead, RowsToWrite, Runner
from wireloom.backends.numpy.reader import METHODS, TILE, calls_of
from wireloom.backends.numpy.tile import Calls, Tile
from wireloom.backends.numpy.writer import WRITING_METHODS, WrittenTile
from wireloom.buffers import Array


class NumpyRunner:
    """A program as calls of functions of tiles."""

    def __init__(self, code: Array) -> None:
        self.code = code

    @cached_property
    def _reading(self) -> Calls:
        return calls_of(self.code, METHODS)

    @cached_property
    def _writing(self) -> Calls:
        return calls_of(self.code, WRITING_METHODS)

    def read(self, records: RecordsToRead, memory: Memory) -> None:
        start, stop, end, places, sound = records
        with np.errstate(all="ignore"):
            for first in range(0, len(places), TILE):
                mine = slice(first, first + TILE)
                outputs = places[mine], memory.addresses, memory.amounts
                tile = Tile(start[mine], stop[mine], *outputs, memory.zeros.ctypes.data, end)
                sound[mine] = tile.follow(self._reading)

    def write(self, rows: RowsToWrite, memory: Memory) -> Callable[[int, int], object]:
        def write(first: int, last: int) -> None:
            mine = slice(first, last)
            outputs = rows.places[mine], memory.addresses, memory.amounts
            with np.errstate(all="ignore"):
                tile = WrittenTile(rows.rows[mine], rows.ends, *outputs, memory.zeros.ctypes.data)
                rows.sound[rows.rows[mine]] = tile.follow(self._writing)

        return write

    def scan(self, rows: int, lengths: RecordLengths) -> None:
        """It has no such loop."""


class NumpyBackend:
    """It has all instructions, and is always ready."""

    rank = 0

    def can_load(self, kinds: frozenset[int]) -> bool:
        return True

    def load(self, code: Array, registers: int) -> Runner:
        return NumpyRunner(code)
