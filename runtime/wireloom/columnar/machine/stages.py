"""Programs that run: one for records, and behind it one for the items of each of their lists.

Where a list starts and stops is what the program around it writes. Its items are rows of its own program, so that the
next items of many lists are read together.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.columnar import accel, compiled, weighing
from wireloom.columnar.buffers import Array, nulls, ragged, row_numbers
from wireloom.columnar.machine import kernel, numpy_backend
from wireloom.columnar.machine.columns import Column, column
from wireloom.columnar.machine.executable import Executable
from wireloom.columnar.machine.explaining import Explaining
from wireloom.columnar.machine.filled import Filled, FilledList, Shared
from wireloom.columnar.machine.tiles import TILE
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Instruction
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering

_FEW, _TURNS = 64, 64
"""After so many items, lists are left to the plan if they are so few that reading the next one of each does not pay."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where records are in memory: the addresses at which they start and stop, and that of the end of all bytes."""

    start: Array
    stop: Array
    end: int

    @classmethod
    def of(cls, buffer: Array, start: Array, stop: Array) -> "Located":
        """Records in a buffer."""
        base = buffer.ctypes.data
        return cls(start + base, stop + base, base + len(buffer))

    def take(self, rows: Array | slice) -> "Located":
        """Some of them."""
        return Located(self.start[rows], self.stop[rows], self.end)

    def grouped(self, groups: Array, begins: Array) -> "tuple[Array, Located]":
        """The records by group, one group behind the other from these places on, and which records they are."""
        if not accel.WORTH:
            rows = np.argsort(groups, kind="stable")
            return rows, self.take(rows)
        rows, start, stop = compiled.grouped(groups, begins, self.start, self.stop)
        return rows, Located(start, stop, self.end)


@dataclass(frozen=True, slots=True)
class Program:
    """A program, the columns that it writes, of the header and of a message, and the lists whose items others read."""

    assembled: Executable
    header: Mapping[str, Column]
    columns: Mapping[str, Column]
    explaining: Explaining
    stages: "tuple[Stage, ...]" = ()

    @classmethod
    def of(
        cls, lowering: Lowering, header: Mapping[str, Column], columns: Mapping[str, Column], *, judging: bool = True
    ) -> "Program":
        """The program that was put together."""
        before = len(lowering.asm.outputs)
        stages = tuple(staged(lowering))
        explaining = Explaining(lowering.asm, lowering.asm.outputs[before:])
        return cls(Executable.of(lowering.asm.assembled(judging=judging)), header, columns, explaining, stages)

    def head(self, written: Filled) -> dict[str, pa.Array]:
        """The columns of the header."""
        return {name: each.arrow(written) for name, each in self.header.items()}

    def fields(self, written: Filled) -> dict[str, pa.Array]:
        """The columns of the message's fields."""
        return {name: each.arrow(written) for name, each in self.columns.items()}

    def run(
        self,
        records: Located,
        places: Array,
        count: int,
        size: int | None = None,
        given: Mapping[int, Array] = {},
        shared: Shared | None = None,
    ) -> tuple[Filled, Array]:
        """What it writes of records to these places among ``count`` rows, and which records are sound.

        All records together have ``size`` bytes, if they are not just those between their starts and stops. ``given``
        are the numbers of each row that come from elsewhere, by the places of outputs. ``shared`` is as in ``Filled``.
        """
        size = int((records.stop - records.start).sum()) if size is None else size
        written = Filled(self.assembled.rooms, count, len(places), size, shared)
        for place, data in given.items():
            written.addresses[place] = data.ctypes.data
        sound = np.empty(len(places), bool)
        follow(self.assembled, records, places, written.addresses, written.amounts, sound)
        self.read_lists(records.end, None if len(places) == count else places, written, sound)
        return written, sound

    def read_lists(self, end: int, places: Array | None, written: Filled, sound: Array) -> None:
        """Read the items in those records that are ``sound``, and mark those in which one is not. All bytes end at
        ``end``; ``places`` are as in ``run``, None if they are all rows.
        """
        written.heavy += written.unpacked
        for stage in self.stages:
            read_items(end, [stage.lists(places, written, sound)])


class _Scratch(threading.local):
    """Registers of a thread, which no program expects to begin as anything."""

    registers = np.zeros((0, TILE), np.int64)


_SCRATCH = _Scratch()


def registers_for(assembled: Executable) -> Array:
    """Registers to follow a program with, for the thread that asks."""
    if len(_SCRATCH.registers) < assembled.registers:
        _SCRATCH.registers = np.zeros((assembled.registers, TILE), np.int64)
    return _SCRATCH.registers


def follow(
    assembled: Executable, records: Located, places: Array, addresses: Array, amounts: Array, sound: Array
) -> None:
    """Follow a program that writes to ``addresses``; ``sound`` becomes the mask of the records that are."""
    zeros, count, code = np.zeros(assembled.reach, np.uint8), len(places), assembled.code
    if not accel.WORTH:
        calls = assembled.loops.calls(numpy_backend.METHODS)
        sound[:] = numpy_backend.follow(
            calls, records.start, records.stop, records.end, places, addresses, amounts, zeros
        )
        return
    ranges = records.start, records.stop, places, count, sound.ctypes.data
    memory = addresses, amounts, zeros.ctypes.data, records.end
    if (loop := assembled.loops.follow(count)) is not None:
        loop(*ranges, *memory)
    else:
        kernel.compiled()(code, len(code), *ranges, registers_for(assembled), *memory)


def staged(lowering: Lowering) -> Iterator["Stage"]:
    """The programs of a program's lists, which writes where they are."""
    for listing in lowering.lists:
        inner = listing.at
        path, outer = inner.asm.path, lowering.asm.path
        lowering.asm.path = path
        lowering.asm.store(op.STORE_LIST, (listing.start, listing.stop, listing.where), (listing.place,))
        given = {}
        for place, register in inner.given.items():
            given[place] = lowering.asm.place(Output(bits=64))
            lowering.asm.store(op.STORE_8, (register,), (given[place],))
        lowering.asm.path = outer
        items = None if listing.kind is None else column(inner.asm, listing.kind, listing.item)
        before = len(inner.asm.outputs)
        stages = tuple(staged(inner))
        explaining = Explaining(inner.asm, inner.asm.outputs[before:])
        walk = end = None
        if listing.size is None:
            end = inner.asm.place(Output())
            ends = Instruction(op.STORE_8, (), (inner.cursor,), (end,), path)
            walk = Executable.of(inner.asm.assembled(judging=False, outputs=[ends]))
        executable, columns = Executable.of(inner.asm.assembled()), {"": items} if items else {}
        program = Program(executable, {}, columns, explaining, stages)
        what = listing.place, program, given, listing.size, listing.weight, listing.kind
        yield Stage(*what, walk, end or 0, path, listing.message)


@dataclass(frozen=True, slots=True)
class Stage:
    """The program of a list's items, which have ``size`` bytes each, or are walked through by another that writes to
    ``end`` where they end. Each takes ``weight`` bytes in a table. ``given`` are numbers from around the list, whose
    path is ``field``, in the ``message`` of that name, or in a header.
    """

    place: int
    program: Program
    given: Mapping[int, int]
    size: int | None
    weight: int
    kind: pa.DataType | None
    walk: Executable | None
    end: int
    field: tuple[str, ...]
    message: str | None

    @property
    def key(self) -> tuple[object, ...]:
        """The same for stages that read the same."""
        codes = (each.identity for each in (self.program.assembled, self.walk) if each is not None)
        said = self.size, self.weight, self.kind, self.end, *self.given, *self.program.columns.values()
        return *said, *codes, *(each.key for each in self.program.stages)

    def lists(self, places: Array | None, written: Filled, sound: Array) -> "PresentLists":
        """The lists in records that are ``sound``, as in ``Program.read_lists``."""
        count = int(written.amounts[self.place, 0])
        starts, stops, rows = (written.numbers(self.place + each, np.int64, count) for each in range(3))
        which = rows if places is None else places.searchsorted(rows)
        if not sound[which].all():
            kept = sound[which]
            starts, stops, rows, which = starts[kept], stops[kept], rows[kept], which[kept]
        given = {place: written.numbers(outer, np.int64)[rows] for place, outer in self.given.items()}
        return PresentLists(self, starts, stops, rows, which, given, written, sound)

    def items(self, lists: Located, given: Mapping[int, Array]) -> tuple[Array, Array, Array]:
        """How many items each list has, where they begin, and which lists are sound so far."""
        if self.size is None:
            return self._walked(lists, given)
        counts = (lists.stop - lists.start) // self.size
        begins = np.repeat(lists.start, counts) + self.size * ragged(np.zeros_like(counts), counts)
        return counts, begins, np.ones(len(counts), bool)

    def _walked(self, lists: Located, given: Mapping[int, Array]) -> tuple[Array, Array, Array]:
        """As ``items``, one item of each list after the other."""
        assert self.walk is not None
        ends, good = np.zeros(len(lists.start), np.int64), np.ones(len(lists.start), bool)
        addresses = self.program.assembled.rooms.tables.copy()
        for place, data in given.items():
            addresses[place] = data.ctypes.data
        addresses[self.end] = ends.ctypes.data
        amounts = np.zeros((len(addresses), 2), np.int64)
        counts = np.zeros(len(good), np.int64)
        going, at = np.flatnonzero(lists.start < lists.stop), lists.start
        turns: list[tuple[Array, Array]] = []
        while len(going):
            if len(turns) >= _TURNS and len(going) < _FEW:
                good[going] = False
                break
            fine = np.empty(len(going), bool)
            begins, limits = at[going], lists.stop[going]
            follow(self.walk, Located(begins, limits, lists.end), going, addresses, amounts, fine)
            turns.append((going, begins))
            counts[going] += 1
            at = ends
            good[going] = fine & (ends[going] > begins)
            going = going[good[going] & (ends[going] < limits)]
        firsts = np.cumsum(counts) - counts
        found = np.empty(int(counts.sum()), np.int64)
        for turn, (rows, begins) in enumerate(turns):
            found[firsts[rows] + turn] = begins
        return counts, found, good


class PresentLists(NamedTuple):
    """Lists whose items a stage reads: where they start and stop, the ``rows`` that they go to, ``which`` of the
    records they are in, and what is ``given`` from around them. They are ``written``, and their records noted that are
    not ``sound``.
    """

    stage: Stage
    starts: Array
    stops: Array
    rows: Array
    which: Array
    given: Mapping[int, Array]
    written: Filled
    sound: Array


def read_items(end: int, lists: Sequence[PresentLists]) -> None:
    """Read the items of lists whose stages have the same ``key``. All bytes end at ``end``. Raises ``TooHeavyError`` if
    they would take more memory than lists may.
    """
    stage = lists[0].stage
    located = Located(_joined([each.starts for each in lists]), _joined([each.stops for each in lists]), end)
    given = {place: _joined([each.given[place] for each in lists]) for place in stage.given}
    counts, begins, good = stage.items(located, given)
    heavy = sum(each.written.heavy for each in lists) + int(counts.sum()) * stage.weight
    weighing.bear(heavy, weighing.LISTS)
    owners = np.repeat(np.arange(len(counts)), counts)
    items, size = Located(begins, located.stop[owners], end), int((located.stop - located.start).sum())
    numbers = {place: data[owners] for place, data in given.items()}
    found, fine = stage.program.run(items, row_numbers(len(begins)), len(begins), size, numbers)
    weighing.bear(heavy + found.heavy, weighing.LISTS)
    good[owners[~fine]] = False
    values = None
    if stage.kind is not None:
        (item,) = stage.program.columns.values()
        values = item.arrow(found) if len(begins) else nulls(stage.kind, 0)
    at = first = 0
    for each in lists:
        mine = slice(at, at + len(each.rows))
        many = int(counts[mine].sum())
        each.written.heavy += many * stage.weight + found.heavy
        each.sound[each.which] &= good[mine]
        if values is not None:
            each.written.lists[each.stage.place] = FilledList(each.rows, counts[mine], values.slice(first, many))
        at, first = mine.stop, first + many


def _joined(numbers: Sequence[Array]) -> Array:
    return numbers[0] if len(numbers) == 1 else np.concatenate(numbers)
