"""The programs of a protocol: one that sorts records by message, one for their header, and one for each message."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.codec import Layout, Protocol
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.buffers import Array
from wireloom.columnar.machine import kernel
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine.assembly import Assembled, Space
from wireloom.columnar.machine.columns import Column, Filled, column
from wireloom.columnar.machine.lowering import Lowering
from wireloom.columnar.machine.messages import message
from wireloom.columnar.machine.parts import layout
from wireloom.columnar.machine.values import Level, NoProgramError, Number
from wireloom.columnar.planning import is_proven
from wireloom.columnar.viewed import Same, ViewedColumns
from wireloom.options import wide
from wireloom.rowwise import Judge

_VIEWS = 64
"""Of so many views at most the programs are kept."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where records are in memory: the addresses at which they start and stop, and that of the end of all bytes."""

    start: Array
    stop: Array
    end: int

    def take(self, rows: Array) -> "Located":
        """Some of them."""
        return Located(self.start[rows], self.stop[rows], self.end)


@dataclass(frozen=True, slots=True)
class Program:
    """A program, and the columns that it writes: of the header, and of a message."""

    assembled: Assembled
    header: Mapping[str, Column]
    columns: Mapping[str, Column]

    def run(self, records: Located, places: Array, count: int) -> tuple[Filled, Array]:
        """What it writes of records to these places among ``count`` rows, and which records are sound."""
        assembled, start, stop = self.assembled, records.start, records.stop
        written = Filled(assembled.rooms, count, int((stop - start).sum()), whole=len(places) == count)
        sound = np.zeros(len(start), np.int64)
        registers = np.zeros((assembled.registers, op.TILE), np.int64)
        zeros = np.zeros(assembled.reach, np.uint8)
        addresses = written.addresses if len(written.addresses) else np.zeros(1, np.int64)
        safe = zeros.ctypes.data
        kernel.compiled()(
            assembled.code, start, stop, places, sound, registers, addresses, written.amounts, safe, records.end
        )
        return written, sound.view(bool)[::8]


class Programs:
    """The programs for records of one byte order with the same ``parameters``."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.protocol = protocol
        self.parameters = parameters
        self.little = little
        self.judge = Judge.of(protocol)
        self.messages = list(protocol.records.values())
        self._sorting: dict[tuple[str, ...], Program | None] = {}
        self._viewed: dict[tuple[Same, str | None], ViewPrograms] = {}

    def sorting(self, names: Iterable[str]) -> Program | None:
        """Writes the values of these fields of the header as 64-bit integers, and a byte for whether there are some."""
        key = tuple(names)
        if key not in self._sorting:
            self._sorting[key] = _said(lambda: self._sorter(key))
        return self._sorting[key]

    def viewed(self, view: ViewedColumns, header: frozenset[str]) -> "ViewPrograms":
        """The programs that fill the columns of a view; ``header`` are the names of those of the header."""
        key = Same(view.schema), view.options.message
        if key not in self._viewed:
            if len(self._viewed) >= _VIEWS:
                self._viewed.clear()
            self._viewed[key] = ViewPrograms(self, view, header)
        return self._viewed[key]

    def of(self, number: int, fields: Sequence[pa.Field], header: Sequence[pa.Field] = ()) -> Program | None:
        """Writes these columns of a message, or none if that is -1, and of the header. None if no program can."""
        return _said(lambda: self._program(number, fields, header))

    def lacking(self, schema: pa.Schema) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What makes records unsound because no program says it, for each message by its name."""
        for number, said in enumerate(self.messages):
            lowering = self._lowering()
            try:
                self._message(number, schema.field(said.name).type, lowering)
            except NoProgramError as error:
                lowering.left[str(error)] = None
            yield said.name, tuple(lowering.left)

    def _lowering(self) -> Lowering:
        """A program that has read what all records begin with."""
        found = Lowering(
            self.judge,
            self.parameters,
            little=self.little,
            wide=wide(self.parameters),
            limit=-len(self.protocol.record.until),
        )
        layout(self.protocol.record.head, found)
        return found

    def _sorter(self, names: tuple[str, ...]) -> Program:
        if any(isinstance(part, Layout) and list(part.columns()) for part in self.protocol.record.tail):
            raise NoProgramError("columns of the header that are read behind messages")
        lowering = self._lowering()
        columns: dict[str, Column] = {}
        for name in names:
            known = lowering.record.columns.get(name)
            if not isinstance(known, Number) or not known.whole:
                raise NoProgramError("a number of the header beyond 64 bits")
            asm = lowering.asm
            place, there = asm.room(Space(bits=64)), asm.room(Space(bits=8))
            asm.store(op.STORE_8, (known.register,), (place,))
            asm.store(op.STORE_1, (known.valid,), (there,))
            columns[name] = Sorted(place, there)
        return Program(lowering.asm.assembled(), columns, {})

    def _program(self, number: int, fields: Iterable[pa.Field], header: Iterable[pa.Field]) -> Program:
        lowering = self._lowering()
        head = _written(lowering, header, lowering.record)
        columns = self._message(number, fields, lowering) if number >= 0 else {}
        return Program(lowering.asm.assembled(judging=number >= 0), head, columns)

    def _message(self, number: int, fields: Iterable[pa.Field], at: Lowering) -> dict[str, Column]:
        """Read the rest of a record, and write columns of its message."""
        said = self.messages[number]
        return _written(at, fields, message(said, at, is_proven(self.protocol, said.match)))


def _written(at: Lowering, fields: Iterable[pa.Field], values: Level) -> dict[str, Column]:
    """Write some of the values as columns."""
    return {each.name: column(at.asm, each.type, values.columns.get(each.name)) for each in fields}


@dataclass(frozen=True, slots=True)
class Sorted:
    """Numbers by which records are sorted."""

    place: int
    there: int

    def arrow(self, written: Filled) -> pa.Array:
        """As an array."""
        return self.numbers(written).arrow(pa.int64())

    def numbers(self, written: Filled) -> Numbers:
        """As a column of the plan."""
        data = np.frombuffer(written.buffers[self.place], np.int64)[: written.count]
        there = np.frombuffer(written.buffers[self.there], np.uint8)[: written.count].view(bool)
        return Numbers(data, None if there.all() else there)


def _said(make: Callable[[], Program]) -> Program | None:
    try:
        return make()
    except NoProgramError:
        return None


class ViewPrograms:
    """The programs that fill the columns of ``view`` from records of one byte order with the same parameters."""

    def __init__(self, programs: Programs, view: ViewedColumns, header: frozenset[str]) -> None:
        self.programs = programs
        self.names = view.names
        self.own = view.options.message is not None
        self.schema = view.schema
        self.header = header
        self._made: dict[tuple[int, bool], Program | None] = {}

    def __getitem__(self, number: int) -> Program | None:
        """The program of a message by its number, or of the header, which is -1. None if there is none."""
        return self._of(number, alone=number < 0)

    def alone(self, number: int) -> Program | None:
        """The program of a message that is that of the header, too, for records that are all of this message."""
        return self._of(number, alone=True)

    def _of(self, number: int, *, alone: bool) -> Program | None:
        key = number, alone
        if key not in self._made:
            fields = self._kinds(number) if number >= 0 else ()
            self._made[key] = self.programs.of(number, list(fields), list(self._kinds(-1)) if alone else ())
        return self._made[key]

    def _kinds(self, number: int) -> Iterator[pa.Field]:
        if number >= 0 and not self.own:
            place = self.schema.get_field_index(self.names[number])
            yield from self.schema.field(place).type if place >= 0 else ()
            return
        for field in self.schema:
            if (field.name in self.header) == (number < 0):
                yield field


@lru_cache(maxsize=64)
def _programs(protocol: Protocol, parameters: tuple[tuple[str, Any], ...], little: bool) -> Programs:
    return Programs(protocol, dict(parameters), little=little)


def programs_of(protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> Programs:
    """The programs of a protocol, each made when it is first asked for."""
    return _programs(protocol, tuple(sorted(parameters.items())), little)
