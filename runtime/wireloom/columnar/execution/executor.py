"""Executes the program of a message over a batch of records, then the program of each of its lists, one row per item.

The program around a list writes where it starts and stops, or where each of its items does if they vary in size. Items
of the lists of all records are read together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.backends.interface import RecordsToRead
from wireloom.buffers import Array, nulls, ragged, row_numbers
from wireloom.columnar import memory_budget
from wireloom.columnar.execution.columns import Column, column
from wireloom.columnar.execution.executable import Executable
from wireloom.columnar.execution.explaining import Explaining
from wireloom.columnar.execution.output_memory import Budget, ListValues, OutputMemory, Shared
from wireloom.loops import accel, compiled
from wireloom.programs import opcodes as op
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering


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
    heavy: int = 0
    """How many values there may be in a record, apart from items of lists, that have all of its bytes again."""

    @property
    def borrows(self) -> bool:
        """Whether items of its lists have values whose bytes belong to others."""
        return any(stage.borrowed or stage.program.borrows for stage in self.stages)

    @classmethod
    def of(
        cls, lowering: Lowering, header: Mapping[str, Column], columns: Mapping[str, Column], *, judging: bool = True
    ) -> "Program":
        """The program that was put together."""
        before = len(lowering.asm.outputs)
        stages = tuple(staged(lowering))
        explaining = Explaining(lowering.asm, lowering.asm.outputs[before:])
        executable = Executable.of(lowering.asm.assembled(judging=judging))
        return cls(executable, header, columns, explaining, stages, lowering.heavy)

    def head(self, written: OutputMemory) -> dict[str, pa.Array]:
        """The columns of the header."""
        return {name: each.arrow(written) for name, each in self.header.items()}

    def fields(self, written: OutputMemory) -> dict[str, pa.Array]:
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
        budget: Budget | None = None,
    ) -> tuple[OutputMemory, Array]:
        """What it writes of records to these places among ``count`` rows, and which records are sound.

        All records together have ``size`` bytes, if they are not just those between their starts and stops. ``given``
        are the numbers of each row that come from elsewhere, by the places of outputs. ``shared`` is as in
        ``OutputMemory``. Rows that are items of lists have the ``budget`` of their records.
        """
        size = int((records.stop - records.start).sum()) if size is None else size
        written = OutputMemory(self.assembled.buffers, count, len(places), size, shared)
        for place, data in given.items():
            written.addresses[place] = data.ctypes.data
        sound = np.empty(len(places), bool)
        to_read = RecordsToRead(records.start, records.stop, records.end, places, sound)
        self.assembled.runner.read(to_read, self.assembled.memory(written.addresses, written.amounts))
        written.budget = budget or (Budget.of(records.stop - records.start, self.heavy) if self.borrows else None)
        self.read_lists(records.end, None if len(places) == count else places, written, sound)
        return written, sound

    def read_lists(self, end: int, places: Array | None, written: OutputMemory, sound: Array) -> None:
        """Read the items in those records that are ``sound``, and mark those in which one is not. All bytes end at
        ``end``; ``places`` are as in ``run``, None if they are all rows.
        """
        written.heavy += written.unpacked
        for stage in self.stages:
            read_items(end, [stage.lists(places, written, sound)])


def staged(lowering: Lowering) -> Iterator["Stage"]:
    """The programs of a program's lists, which writes where they are."""
    for listing in lowering.lists:
        inner, asm = listing.at, lowering.asm
        path, outer = inner.asm.path, asm.path
        asm.path = path
        given, limit = {}, None
        for place, register in inner.given.items():
            given[place] = asm.place(Output(bits=64))
            asm.store(op.STORE_8, (register,), (given[place],))
        if listing.walk is not None:
            listing.walk.store()
        else:
            asm.store(op.STORE_LIST, (listing.start, listing.stop, listing.where), (listing.place,))
        if listing.walk is not None or listing.borrowed:
            limit = asm.place(Output(bits=64))
            asm.store(op.STORE_8, (listing.limit,), (limit,))
        asm.path = outer
        columns = {} if listing.kind is None else {"": column(inner.asm, listing.kind, listing.item)}
        program = Program.of(inner, {}, columns)
        what = listing.place, program, given, inner.number, listing.size or 0, limit, listing.weight, listing.kind
        yield Stage(*what, path, listing.message, listing.checks, listing.borrowed)


@dataclass(frozen=True, slots=True)
class Stage:
    """The program of a list's items. Each item takes ``weight`` bytes in a table. ``given`` are numbers from around the
    list, whose path is ``field``, in the ``message`` of that name, or in a header, behind so many ``checks``; at
    ``number`` is that of the item, if it is asked for.

    What is written to ``place`` is where lists are, whose items have ``size`` bytes each; or where items are, if there
    is a place for the ``limit`` that those of a row must not go beyond. What is ``borrowed`` is a single item of each,
    whose bytes belong to others.
    """

    place: int
    program: Program
    given: Mapping[int, int]
    number: int | None
    size: int
    limit: int | None
    weight: int
    kind: pa.DataType | None
    field: tuple[str, ...]
    message: str | None
    checks: int
    borrowed: bool

    @property
    def key(self) -> tuple[object, ...]:
        """The same for stages that read the same."""
        said = self.size, self.limit is None, self.number, self.weight, self.kind, *self.given
        columns = self.program.columns.values()
        return *said, *columns, self.program.assembled.identity, *(each.key for each in self.program.stages)

    def lists(self, places: Array | None, written: OutputMemory, sound: Array) -> "PresentLists":
        """The lists in records that are ``sound``, as in ``Program.read_lists``. Records that read too many bytes which
        belong to others are not.
        """
        count = int(written.amounts[self.place, 0])
        starts, stops, rows = (written.numbers(self.place + each, np.int64, count) for each in range(3))
        if self.limit is not None and (rows[1:] < rows[:-1]).any():  # as a turn of a walk may be one for many rows
            order = rows.argsort(kind="stable")
            starts, stops, rows = starts[order], stops[order], rows[order]
        which = rows if places is None else places.searchsorted(rows)
        if self.borrowed and written.budget is not None:
            fine = written.budget.spend(which, (stops - starts) * sound[which])
            sound[which[~fine]] = False
        if not sound[which].all():
            kept = sound[which]
            starts, stops, rows, which = starts[kept], stops[kept], rows[kept], which[kept]
        size = int((stops - starts).sum())
        if self.limit is None:
            counts = (stops - starts) // self.size
            starts = np.repeat(starts, counts) + self.size * ragged(np.zeros_like(counts), counts)
        else:
            firsts = np.flatnonzero(np.diff(rows, prepend=-1))
            counts = np.diff(firsts, append=len(rows))
            rows, which = rows[firsts], which[firsts]
            stops = written.numbers(self.limit, np.int64)[rows]
        given = {place: written.numbers(outer, np.int64)[rows] for place, outer in self.given.items()}
        return PresentLists(self, starts, stops, counts, rows, which, size, given, written, sound)

    def given_to_items(self, given: Mapping[int, Array], counts: Array, owners: Array) -> dict[int, Array]:
        """What items are given, of lists with so many of them: what the list is that each is of, and their numbers."""
        numbers = {place: data[owners] for place, data in given.items()}
        if self.number is not None:
            numbers[self.number] = ragged(np.zeros_like(counts), counts)
        return numbers


class PresentLists(NamedTuple):
    """Lists whose items a ``stage`` reads, which have ``size`` bytes together. They are columns of what is ``written``;
    the mask of ``sound`` records is of all that the program around them reads.
    """

    stage: Stage
    starts: Array
    """The address at which each item starts."""
    stops: Array
    """The address that no item of each list may go beyond."""
    counts: Array
    """How many items each list has."""
    rows: Array
    """The row of the table that each list is in."""
    which: Array
    """The record that each list is in, by its number among those that are read."""
    size: int
    given: Mapping[int, Array]
    """Numbers of each list that its items need from around it, by the places of outputs of their program."""
    written: OutputMemory
    sound: Array

    @property
    def owners(self) -> Array:
        """Which list each item is of."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def numbers(self) -> dict[int, Array]:
        """What each item is given."""
        return self.stage.given_to_items(self.given, self.counts, self.owners)

    def items(self, end: int) -> Located:
        """Where items are, in bytes that end at ``end``."""
        return Located(self.starts, self.stops[self.owners], end)

    def some(self, which: Array) -> "PresentLists":
        """Some of the lists, by a mask."""
        return self._replace(
            starts=self.starts[which[self.owners]],
            stops=self.stops[which],
            counts=self.counts[which],
            rows=self.rows[which],
            which=self.which[which],
            given={place: data[which] for place, data in self.given.items()},
        )


def read_items(end: int, lists: Sequence[PresentLists]) -> None:
    """Read the items of lists whose stages have the same ``key`` and whose records the same budget. All bytes end at
    ``end``. Raises ``BatchTooLargeError`` if they would take more memory than lists may.
    """
    stage = lists[0].stage
    if not any(len(each.rows) for each in lists):
        for each in lists:
            each.written.lists[each.stage.place] = ListValues(each.rows, each.counts, nulls(stage.kind or pa.null(), 0))
        return
    starts, stops = _joined([each.starts for each in lists]), _joined([each.stops for each in lists])
    counts = _joined([each.counts for each in lists])
    given = {place: _joined([each.given[place] for each in lists]) for place in stage.given}
    good = np.ones(len(counts), bool)
    size = sum(each.size for each in lists)
    heavy = sum(each.written.heavy for each in lists) + int(counts.sum()) * stage.weight + stage.borrowed * size
    memory_budget.check_budget(heavy, memory_budget.LISTS)
    owners = np.repeat(np.arange(len(counts)), counts)
    items, numbers = Located(starts, stops[owners], end), stage.given_to_items(given, counts, owners)
    budget = lists[0].written.budget
    if budget is not None:
        records = [each.written.budget.records[each.which] for each in lists if each.written.budget is not None]
        budget = budget._replace(records=_joined(records)[owners])
    found, fine = stage.program.run(items, row_numbers(len(starts)), len(starts), size, numbers, budget=budget)
    memory_budget.check_budget(heavy + found.heavy, memory_budget.LISTS)
    good[owners[~fine]] = False
    values = None
    if stage.kind is not None:
        (item,) = stage.program.columns.values()
        values = item.arrow(found) if len(starts) else nulls(stage.kind, 0)
    at = first = 0
    for each in lists:
        mine = slice(at, at + len(each.rows))
        many = int(counts[mine].sum())
        each.written.heavy += many * stage.weight + stage.borrowed * each.size + found.heavy
        each.sound[each.which] &= good[mine]
        if values is not None:
            each.written.lists[each.stage.place] = ListValues(each.rows, counts[mine], values.slice(first, many))
        at, first = mine.stop, first + many


def _joined(numbers: Sequence[Array]) -> Array:
    return numbers[0] if len(numbers) == 1 else np.concatenate(numbers)
