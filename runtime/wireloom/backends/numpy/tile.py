"""Rows that the numpy back end follows a program for: their registers, and memory as numpy sees it.

Programs say where bytes are by their addresses, in buffers that need not have anything to do with each other. So numpy
is given one view of the whole address space, from which it gathers as from any array. Programs check that bytes are
there before they read them, and numpy reads nothing else.
"""

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wireloom import buffers
from wireloom.buffers import LARGEST, Array, ragged
from wireloom.programs import opcodes as op

FIRST_ADDRESS = 1 << 12
"""No buffer is in the first page."""
_SPAN = (1 << 47) - (1 << 14)
CLOSE = 64
"""Numbers that lie within so many bytes are gathered together."""
_MEMORY = np.ctypeslib.as_array((ctypes.c_uint8 * _SPAN).from_address(FIRST_ADDRESS))

Register = Any
"""An array of 64-bit integers or booleans, or a numpy scalar of them."""


def addressed(kind: str) -> Array:
    """The values of a type at each address from ``FIRST_ADDRESS`` on."""
    return np.ndarray((_SPAN - max(2 * CLOSE, np.dtype(kind).itemsize),), kind, _MEMORY, strides=(1,))


LOADS = {
    op.LOAD_1: "u1",
    op.LOAD_2: "<u2",
    op.LOAD_2_BIG: ">u2",
    op.LOAD_4: "<u4",
    op.LOAD_4_BIG: ">u4",
    op.LOAD_8: "<i8",
    op.LOAD_8_BIG: ">i8",
}
ADDRESSED = {kind: addressed(kind) for kind in LOADS.values()}
ZERO = np.int64(0)


def memory(address: int, count: int, kind: str) -> Array:
    """So many values of a type from an address on."""
    return np.ndarray((count,), kind, _MEMORY, offset=int(address) - FIRST_ADDRESS)


def mask_of(value: Register) -> Register:
    """A register as a mask."""
    return value if value.dtype == bool else value != 0


def number_of(value: Register) -> Register:
    """A register as numbers."""
    return value.astype(np.int64) if value.dtype == bool else value


def is_set(mask: Register) -> bool:
    """Whether a mask is set in all rows."""
    return bool(np.count_nonzero(mask) == mask.size)


def both(one: Register, other: Register) -> Register:
    """Where both masks are set."""
    if not one.ndim:
        return other if one else np.False_
    if not other.ndim:
        return one if other else np.False_
    return one & other


Calls = list[tuple[Callable[..., int | None], tuple[Any, ...]]]
"""The function that follows each instruction, and its operands."""
Methods = Mapping[int, Callable[..., int | None]]
"""What follows each instruction."""


class Tile:
    """Some rows of a batch while a program is followed.

    ``place`` are theirs among the rows of the outputs, which are at the addresses ``out``; ``written`` is how much of
    each output is. At ``safe`` are zeros; the buffer of the records ends at ``end``.
    """

    def __init__(
        self, start: Array, stop: Array, place: Array, out: Array, written: Array, safe: int, end: int
    ) -> None:
        self.count = len(start)
        self.place = place
        self.first, self.after = (int(place[0]), int(place[-1]) + 1) if self.count else (0, 0)
        self.targets: slice | Array = slice(None) if self.after - self.first == self.count else place - self.first
        """Their places behind the first one."""
        self.out = out
        self.written = written
        self.safe = np.int64(safe)
        self.size = int((stop - start).sum())
        self.begin, self.last = (int(start.min()), min(int(stop.max()), end)) if self.count else (0, 0)
        self.end = end
        self.regions = [(self.begin, end)]
        """Ranges of addresses, each within one buffer: from the first record to the end of all, and what was written
        in place of other bytes. Between two of them memory may not be read.
        """
        self.registers: dict[int, Register] = {op.START: start, op.STOP: stop, op.SOUND: np.True_, op.ONES: np.True_}
        self.near: dict[int, tuple[Array, int, Array]] = {}
        """The bytes that were gathered near a register's places: these, how far behind them bytes begin, and bytes."""
        self._copied: tuple[Array, Array, Array] | None = None
        self.at = 0
        """The instruction that is followed."""
        self.lists: list[tuple[int, Array, Array, Array]] | None = None
        """In a turn of a loop, the places of lists to write, with their rows, and where they start and stop."""
        self.following: dict[bytes, Array] = {}
        """Where some bytes are next from each place in the records on."""

    def follow(self, calls: Calls, first: int = 0) -> Register:
        """Follow instructions of a program, from its ``first`` on; returns the mask of the rows that are sound."""
        self.at, last = first, first + len(calls)
        while self.at < last:
            do, operands = calls[self.at - first]
            self.at += 1 + (do(self, *operands) or 0)
        return self.registers[op.SOUND]

    def forget(self) -> None:
        """Bytes that were read are written."""
        self.near.clear()
        self._copied = None
        self.following.clear()

    def refuse_unless(self, holds: Register) -> None:
        """Rows in which it does not hold are not sound."""
        if not is_set(holds):
            self.registers[op.SOUND] = both(self.registers[op.SOUND], holds)

    def wanted(self, when: int, *also: Register) -> Array:
        """The sound rows in which a mask is set, and others are."""
        found = both(mask_of(self.registers[when]), self.registers[op.SOUND])
        return self.rows(found, *also)

    def rows(self, found: Register, *also: Register) -> Array:
        """The rows in which masks are set."""
        for each in also:
            found = both(found, each)
        if not found.ndim:
            return buffers.row_numbers(self.count if found else 0)
        return buffers.row_numbers(self.count) if is_set(found) else found.nonzero()[0]

    def values(self, register: int, rows: Array) -> Array:
        """The values of some rows."""
        found = number_of(self.registers[register])
        if not found.ndim:
            return np.full(len(rows), found)
        values: Array = found if len(rows) == self.count else found.take(rows)
        return values

    def whole(self, rows: Array, values: Array, other: Register) -> Array:
        """Values of some rows, and those of another register in all others."""
        if len(rows) == self.count:
            return values
        found = np.full(self.count, other)
        found[rows] = values
        return found

    def sound_where(self, rows: Array, good: Array) -> None:
        """Some rows are sound where that is ``good``."""
        if not is_set(good):
            self.refuse_unless(self.whole(rows, good, np.True_))

    def place_where(self, where: Register, at: Register) -> Register:
        """A place where that is wanted, else that of zeros."""
        if is_set(where):
            return at
        return np.where(where, at, self.safe) if where.ndim else np.full(self.count, self.safe)

    def gathered(self, start: Array, stop: Array) -> Array:
        """The bytes of ranges that are not empty, one behind the other. Those of a text are checked and then copied, so
        the last ones are kept.
        """
        if self._copied is not None and _are_same(self._copied[0], start) and _are_same(self._copied[1], stop):
            return self._copied[2]
        found = self._gather(start, stop)
        self._copied = start, stop, found
        return found

    def _gather(self, start: Array, stop: Array) -> Array:
        if not len(start):
            return np.zeros(0, np.uint8)
        buffer, start, stop = self.buffer_of(start, stop)
        octets, begins, ends = buffers.octets_of(buffers.octets(buffer, start, stop, None, None))
        return octets[int(begins[0]) : int(ends[-1])]

    def buffer_of(self, start: Array, stop: Array) -> tuple[Array, Array, Array]:
        """A buffer that has the bytes of some ranges, and where it has each. They are copied unless all are in one
        region: what lies between two buffers may not be read.
        """
        low, high = int(start.min()), int(stop.max())
        if high - low < LARGEST and any(begin <= low and high <= end for begin, end in self.regions):
            return memory(low, high - low, "u1"), start - low, stop - low
        sizes = stop - start
        ends = np.cumsum(sizes)
        return ADDRESSED["u1"][ragged(start - FIRST_ADDRESS, sizes)], ends - sizes, ends

    def some(self, rows: Array, known: Mapping[int, Register]) -> "Tile":
        """Some of the rows in a turn of a loop, with registers of these values."""
        start, stop = self.registers[op.START][rows], self.registers[op.STOP][rows]
        found = self.like(start, stop, self.place[rows], self.out, self.written, int(self.safe), self.end)
        found.registers |= known
        found.regions = self.regions
        found.lists = []
        return found

    def like(self, *arguments: Any) -> "Tile":
        """A tile of the same kind."""
        return Tile(*arguments)

    def refuse(self, part: "Tile", rows: Array, taken: Array) -> None:
        """Rows are not sound in which they are not in a turn, where that is ``taken``."""
        wrong = taken & ~np.broadcast_to(mask_of(part.registers[op.SOUND]), len(rows))
        if wrong.any():
            sound = np.ones(self.count, bool)
            sound[rows[wrong]] = False
            self.registers[op.SOUND] = both(self.registers[op.SOUND], sound)


def _are_same(one: Array, other: Array) -> bool:
    return one is other or np.array_equal(one, other)
