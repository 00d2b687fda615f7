"""Rooms: what programs write to, and the tables that they read from, by their places."""

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from wireloom.columnar.buffers import Array


class Space(NamedTuple):
    """Space for ``bits`` a row and ``more`` bytes a record, and for as many bytes as the records have together, if it
    ``holds`` some of theirs. It begins as zeros if it is ``cleared``. If it ``unpacks``, it is for what is unpacked of
    them. If it is for values of fixed size, they are of a type ``like`` this.
    """

    bits: int = 0
    more: int = 0
    holds: bool = False
    cleared: bool = False
    unpacks: bool = False
    like: str = ""


class Rooms:
    """What a program writes to and reads from, by place."""

    def __init__(self, rooms: Sequence[Space | Array]) -> None:
        spaces = [(place, room) for place, room in enumerate(rooms) if isinstance(room, Space)]
        self.tables = np.zeros(max(1, len(rooms)), np.int64)
        """The address of each table; 0 at all other places."""
        for place, room in enumerate(rooms):
            if not isinstance(room, Space):
                self.tables[place] = room.ctypes.data
        self.held = rooms  # so that tables stay where they are
        self.values = [(place, room) for place, room in spaces if room.like]
        self.unpacking = [place for place, room in spaces if room.unpacks]
        self.octets = [(place, room) for place, room in spaces if room.more or room.holds or room.unpacks]
        apart = {place for place, _ in (*self.values, *self.octets)}
        rest = [(place, room) for place, room in spaces if room.bits and place not in apart]
        self.cleared = [(place, room) for place, room in rest if room.cleared]
        self.alone = [(place, room) for place, room in rest if not room.cleared]

    @cached_property
    def identity(self) -> list[object]:
        """The same for rooms and tables that are the same."""
        return [room if isinstance(room, Space) else sha256(room.tobytes()).digest() for room in self.held]
