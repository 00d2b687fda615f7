"""The output buffers and lookup tables that a program declares, by number."""

from collections.abc import Sequence
from functools import cache, cached_property
from hashlib import sha256

import numpy as np

from wireloom.codec.checksums import Crc
from wireloom.columnar.buffers import Array
from wireloom.columnar.crc_loops import word_tables
from wireloom.programs.assembler import Memory
from wireloom.programs.outputs import Output, Table


@cache
def _loaded(table: Table | Crc) -> Array:
    """A table in memory, the same one each time."""
    return word_tables(table) if isinstance(table, Crc) else np.frombuffer(table.data, np.uint8)


class Rooms:
    """What a program writes to and reads from, by place."""

    def __init__(self, rooms: Sequence[Memory]) -> None:
        spaces = [(place, room) for place, room in enumerate(rooms) if isinstance(room, Output)]
        self.held = [room if isinstance(room, Output) else _loaded(room) for room in rooms]
        self.tables = np.zeros(max(1, len(rooms)), np.int64)
        """The address of each table; 0 at all other places."""
        for place, room in enumerate(self.held):
            if not isinstance(room, Output):
                self.tables[place] = room.ctypes.data
        self.values = [(place, room) for place, room in spaces if room.like]
        self.unpacking = [place for place, room in spaces if room.unpacks]
        self.items = [(place, room.each) for place, room in spaces if room.each]
        self.octets = [(place, room) for place, room in spaces if room.more or room.holds or room.unpacks]
        apart = {place for place, _ in (*self.values, *self.items, *self.octets)}
        rest = [(place, room) for place, room in spaces if room.bits and place not in apart]
        self.cleared = [(place, room) for place, room in rest if room.cleared]
        self.alone = [(place, room) for place, room in rest if not room.cleared]

    @cached_property
    def identity(self) -> list[object]:
        """The same for rooms and tables that are the same."""
        return [room if isinstance(room, Output) else sha256(room.tobytes()).digest() for room in self.held]
