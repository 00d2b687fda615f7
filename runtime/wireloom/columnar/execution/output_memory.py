"""The memory of the output buffers of programs."""

import ctypes
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, row_numbers, zeros
from wireloom.codec.reader import Reader
from wireloom.columnar import memory_budget
from wireloom.columnar.execution.program_buffers import ProgramBuffers
from wireloom.loops.unsnappy import SLACK
from wireloom.programs.outputs import Output

_RATIO = 8
"""There is room for so many unpacked bytes for each one of the records, but for no more than lists may take."""
_LINE = 64
"""Buffers begin at multiples of so many bytes."""


class Shared:
    """Memory for the values of messages in ``count`` rows. Each row is of one message at most, and the structs of all
    others are null there, so that their values may stand in the same places.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.buffers: defaultdict[str, list[pa.Buffer]] = defaultdict(list)

    def buffer(self, output: Output, number: int) -> pa.Buffer:
        """The memory of the output that is ``number`` among those for values of its type."""
        found = self.buffers[output.like]
        if number == len(found):
            found.append(pa.allocate_buffer(_bytes(output, self.count)))
            ctypes.memset(found[-1].address, 0, found[-1].size)
        return found[number]


class ListValues(NamedTuple):
    """The ``values`` of a list's items: so many of each of these ``rows``, which ascend, and none of others."""

    rows: Array
    counts: Array
    values: pa.Array


class Budget(NamedTuple):
    """How many bytes are ``left`` for each record to read that belong to others, and which record each row is of."""

    left: Array
    records: Array

    @classmethod
    def of(cls, sizes: Array, heavy: int) -> "Budget":
        """That of records with so many bytes each, which so many ``heavy`` values may have again."""
        return cls((Reader.SHARED // Reader.STEP - heavy) * sizes, row_numbers(len(sizes)))

    def spend(self, rows: Array, sizes: Array) -> Array:
        """Let rows read so many bytes each; the mask of those whose records had as many left."""
        records = self.records[rows]
        np.subtract.at(self.left, records, sizes)
        fine: Array = self.left[records] >= 0
        return fine


class OutputMemory:
    """What a program has written to its outputs, for ``count`` rows, of ``records`` that have ``size`` bytes together.

    Where these are not all rows, values of fixed size stand in ``shared`` memory.
    """

    def __init__(
        self, buffers: ProgramBuffers, count: int, records: int, size: int, shared: Shared | None = None
    ) -> None:
        self.count = count
        self.buffers = buffers
        self.apart: dict[int, pa.Buffer] = {}
        self.own = buffers.alone + ([] if shared is not None else buffers.values)
        if shared is not None:
            alike: Counter[str] = Counter()
            for place, output in buffers.values:
                self.apart[place] = shared.buffer(output, alike[output.like])
                alike[output.like] += 1
        for place, output in self.own:
            self.apart[place] = pa.allocate_buffer(_bytes(output, count), resizable=True)
            if output.like.startswith("decimal"):  # not all numbers of 16 bytes are one, also of rows that are rejected
                ctypes.memset(self.apart[place].address, 0, self.apart[place].size)
        most = self.most = min(_RATIO * size, memory_budget.LISTS) if buffers.unpacking else 0
        """How many bytes may be unpacked."""
        for place, output in buffers.octets:
            needed = _bytes(output, 0) + output.more * records + SLACK
            needed += size + most if output.holds or output.unpacks else 0
            self.apart[place] = pa.allocate_buffer(needed, resizable=True)
        self.begins, needed = _laid(buffers.cleared, count)
        self.memory = pa.allocate_buffer(needed, resizable=True)
        ctypes.memset(self.memory.address, 0, needed)
        self.addresses = buffers.tables.copy()
        for place, begin in self.begins.items():
            self.addresses[place] = self.memory.address + begin
        for place, buffer in self.apart.items():
            self.addresses[place] = buffer.address
        self.make_room(size)
        self.amounts = np.zeros((len(self.addresses), 2), np.int64)
        self.amounts[buffers.unpacking, 1] = most
        self.heavy = 0
        """How many bytes the items of lists take in a table, and what is unpacked."""
        self.budget: Budget | None = None
        """How many bytes its rows may still read that belong to others; None if they read none."""
        self.lists: dict[int, ListValues] = {}
        """The items of lists, by the place of the list."""

    def make_room(self, size: int) -> None:
        """Make room for all items that records of so many bytes can have."""
        for place, each in self.buffers.items:
            self.apart[place] = pa.allocate_buffer(each * (size + self.most), resizable=True)
            self.addresses[place] = self.apart[place].address

    @property
    def unpacked(self) -> int:
        """How many bytes were unpacked."""
        return sum(int(self.amounts[place, 0]) for place in self.buffers.unpacking)

    def cut(self, count: int) -> None:
        """Leave it at so many rows, all that were written."""
        if 2 * count < self.count:
            before, (self.begins, needed) = self.begins, _laid(self.buffers.cleared, count)
            for place, output in self.buffers.cleared:
                to, begin = (self.memory.address + begins[place] for begins in (self.begins, before))
                ctypes.memmove(to, begin, _bytes(output, count))
            self.memory.resize(needed, shrink_to_fit=True)
            for place, output in self.own:
                self.apart[place].resize(_bytes(output, count), shrink_to_fit=True)
        self.count = count

    def buffer(self, place: int) -> pa.Buffer:
        """What was written to a place."""
        found = self.apart.get(place)
        return self.memory.slice(self.begins[place]) if found is None else found

    def numbers(self, place: int, kind: type[np.generic], count: int | None = None) -> Array:
        """Numbers, one a row."""
        count = self.count if count is None else count
        return np.frombuffer(self.apart.get(place, self.memory), kind, count, self.begins.get(place, 0))

    def bits(self, place: int | None) -> pa.Buffer | None:
        """Validity or booleans."""
        return None if place is None else self.buffer(place)

    def offsets(self, place: int, count: int) -> pa.Buffer:
        """The places at which ``count`` values end, also of the last ones, of which nothing was written."""
        amount, rows = self.amounts[place].tolist()
        if not amount:
            return zeros(count + 1)
        if rows <= count:
            self.numbers(place, np.int32, count + 1)[rows:] = amount
        return self.buffer(place)

    def octets(self, place: int, size: int) -> pa.Buffer:
        """Bytes, without the room that was not needed."""
        buffer = self.apart[place]
        buffer.resize(size, shrink_to_fit=True)
        return buffer


def _bytes(output: Output, count: int) -> int:
    """What an output takes for so many rows; offsets are one more."""
    return -(-output.bits * (count + 1) // 8)


def _laid(buffers: Sequence[tuple[int, Output]], count: int) -> tuple[dict[int, int], int]:
    """Where each output begins in memory that has all of them, and how much that is."""
    begins, at = {}, 0
    for place, output in buffers:
        begins[place] = at
        at += -(-_bytes(output, count) // _LINE) * _LINE
    return begins, at
