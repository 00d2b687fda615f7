"""The output buffers and lookup tables that a program declares, by number."""

from collections.abc import Sequence
from functools import cache, cached_property
from hashlib import sha256

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.checksums import Crc
from wireloom.loops.crc_loops import word_tables
from wireloom.programs.assembler import Memory
from wireloom.programs.outputs import Output, Table


@cache
def _loaded(table: Table | Crc) -> Array:
    """A table in memory, the same one each time."""
    return word_tables(table) if isinstance(table, Crc) else np.frombuffer(table.data, np.uint8)


class ProgramBuffers:
    """What a program writes to and reads from, by place."""

    def __init__(self, buffers: Sequence[Memory]) -> None:
        outputs = [(place, buffer) for place, buffer in enumerate(buffers) if isinstance(buffer, Output)]
        self.held = [buffer if isinstance(buffer, Output) else _loaded(buffer) for buffer in buffers]
        self.tables = np.zeros(max(1, len(buffers)), np.int64)
        """The address of each table; 0 at all other places."""
        for place, buffer in enumerate(self.held):
            if not isinstance(buffer, Output):
                self.tables[place] = buffer.ctypes.data
        self.values = [(place, buffer) for place, buffer in outputs if buffer.like]
        self.unpacking = [place for place, buffer in outputs if buffer.unpacks]
        self.items = [(place, buffer.each) for place, buffer in outputs if buffer.each]
        self.octets = [(place, buffer) for place, buffer in outputs if buffer.more or buffer.holds or buffer.unpacks]
        apart = {place for place, _ in (*self.values, *self.items, *self.octets)}
        rest = [(place, buffer) for place, buffer in outputs if buffer.bits and place not in apart]
        self.cleared = [(place, buffer) for place, buffer in rest if buffer.cleared]
        self.alone = [(place, buffer) for place, buffer in rest if not buffer.cleared]

    @cached_property
    def identity(self) -> list[object]:
        """The same for buffers and tables that are the same."""
        return [buffer if isinstance(buffer, Output) else sha256(buffer.tobytes()).digest() for buffer in self.held]
