"""The programs of a protocol: one that sorts records by message, one for their header, and one for each message."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, row_numbers
from wireloom.codec import Headed, Protocol
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.execution.columns import Column, column
from wireloom.columnar.execution.executor import Located, Program
from wireloom.columnar.execution.output_memory import OutputMemory
from wireloom.columnar.view_columns import Same, ViewedColumns
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.records import RecordLowering
from wireloom.programs.values import WORD, Datum, Label, Level, NoProgramError, Number

_VIEWS, _PROGRAMS = 64, 1024
"""So many views are known at most, and so many programs."""


_Made = TypeVar("_Made")
_Key = TypeVar("_Key")
_Wanted = tuple[int, tuple[pa.Field, ...], tuple[pa.Field, ...] | None, bool]
"""The number of a message, the columns of it and of the header, and whether records are proven, too."""


def unless_left(make: Callable[[], _Made]) -> _Made | None:
    """What is made; None if no program says it."""
    try:
        return make()
    except NoProgramError:
        return None


def once(made: dict[_Key, _Made | None], wanted: _Key, make: Callable[[], _Made], most: int) -> _Made | None:
    """What is ``wanted``, made once, as views that are made anew for each call ask for the same. None if no program
    says it.
    """
    try:
        return made[wanted]
    except KeyError:
        found = unless_left(make)
    if len(made) >= most:
        made.clear()
    made[wanted] = found  # which another thread may clear at once
    return found


@dataclass(frozen=True, slots=True)
class Sorted:
    """Numbers of the header by which records are chosen. They may be ``unsigned``."""

    place: int
    there: int
    unsigned: bool

    def numbers(self, written: OutputMemory) -> Numbers:
        """The numbers of all rows."""
        kind = np.uint64 if self.unsigned else np.int64
        data, there = written.numbers(self.place, kind), written.numbers(self.there, np.uint8).view(bool)
        return Numbers(data, None if there.all() else there)


def _sorted(asm: Assembler, known: Datum) -> Sorted:
    """Write a number and a byte for whether there is one."""
    if not isinstance(known, Number) or not known.integer:
        raise NoProgramError("records that are chosen by what is no integer")
    place, there = asm.place(Output(bits=64)), asm.place(Output(bits=8))
    asm.store(op.STORE_8, (known.register,), (place,))
    asm.store(op.STORE_1, (known.valid,), (there,))
    return Sorted(place, there, known.most >= WORD)


@dataclass(frozen=True, slots=True)
class Sorter:
    """A program that tells messages apart: it writes their numbers to ``place``, ``columns`` of the header to choose
    records by, and those of a table that it has.
    """

    program: Program
    place: int
    columns: Mapping[str, Sorted]

    def run(self, records: Located) -> "Dispatched":
        """What it tells of records."""
        count = len(records.start)
        written, sound = self.program.run(records, row_numbers(count), count)
        columns = {name: column.numbers(written) for name, column in self.columns.items()}
        codes = np.where(sound, written.numbers(self.place, np.int64), -1)
        return Dispatched(codes, columns, self.program.head(written))


class Dispatched(NamedTuple):
    """The numbers of the messages of records, -1 for those of which nothing is known, and columns to choose them by.
    ``header`` has columns of a table.
    """

    codes: Array
    columns: dict[str, Numbers]
    header: dict[str, pa.Array]


def single_of(codes: Array) -> int | None:
    """The number of the message that all records are of; None if they are of several, or that of one is not known, or
    there is no record.
    """
    code = int(codes[0]) if len(codes) else -1
    return code if code >= 0 and (codes == code).all() else None


@dataclass(frozen=True, slots=True)
class HeadLengths:
    """A program that finds how long records are, and which break a condition, which it writes to these places."""

    program: Program
    place: int
    refuted: int

    def run(self, records: Located) -> tuple[Array, Array, Array]:
        """The length of each record, which break the condition, and of which both are known. Records stop where bytes
        do.
        """
        count = len(records.start)
        written, sound = self.program.run(records, row_numbers(count), count)
        return written.numbers(self.place, np.int64), written.numbers(self.refuted, np.uint8).view(bool), sound


class Programs:
    """The programs for records of one byte order with the same ``parameters``."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.records = RecordLowering(protocol, parameters, little=little)
        self._sorting: dict[tuple[tuple[str, ...], tuple[pa.Field, ...], bool], Sorter | None] = {}
        self._viewed: dict[tuple[Same, str | None], ViewPrograms] = {}
        self._made: dict[_Wanted, Program | None] = {}
        self._heads: dict[int, HeadLengths | None] = {}

    def sorting(
        self, names: Iterable[str] = (), header: Iterable[pa.Field] = (), *, judging: bool = False
    ) -> Sorter | None:
        """Tells messages apart, and writes these fields of the header, too. None if no program can.

        It also writes columns of a table: of the ``header``, and with the names of messages. With ``judging``, records
        are sound only if the lists of their header are: no other program reads records that are left out.
        """
        wanted = tuple(names), tuple(header), judging
        return once(self._sorting, wanted, lambda: self._sorter(*wanted), _PROGRAMS)

    @cached_property
    def outline(self) -> Program | None:
        """Reads what all records begin with, and writes nothing. None if no program can."""
        return unless_left(lambda: Program.of(self.records.head(), {}, {}))

    @cached_property
    def proof(self) -> Program | None:
        """Finds records sound that are exactly as long as their framing says, which holds of them. None if no program
        can.
        """
        return unless_left(self._proof)

    def head_lengths(self, number: int) -> "HeadLengths | None":
        """Finds how long records are whose length is in their head, as the framing says by that number. None if no
        program can.
        """
        return once(self._heads, number, lambda: self._head_lengths(number), _PROGRAMS)

    @cached_property
    def header(self) -> frozenset[str]:
        """The names of the columns of the header."""
        return frozenset(column.name for column in self.records.protocol.record.columns)

    @cached_property
    def head(self) -> frozenset[str]:
        """The names of the columns that malformed rows have, too: those up to the sections, and ``message``."""
        return frozenset(("message", *(column.name for column in self.records.protocol.record.head.columns())))

    def viewed(self, view: ViewedColumns) -> "ViewPrograms":
        """The programs that fill the columns of a view."""
        key = Same(view.schema), view.options.message
        found = self._viewed.get(key)
        if found is None:
            found = ViewPrograms(self, view)
            if len(self._viewed) >= _VIEWS:
                self._viewed.clear()
            self._viewed[key] = found
        return found

    def of(self, number: int, fields: Sequence[pa.Field], header: Sequence[pa.Field] | None) -> Program | None:
        """Writes these columns of a message, or none if that is -1, and of the header, which another program reads and
        judges if that is None. None if no program can.
        """
        wanted = number, tuple(fields), header if header is None else tuple(header), False
        return once(self._made, wanted, lambda: self._program(number, fields, header), _PROGRAMS)

    def passing(self, number: int, fields: Sequence[pa.Field], header: Sequence[pa.Field]) -> Program | None:
        """As ``of``; records that are of another message, or not proven, are not sound."""
        wanted = number, tuple(fields), tuple(header), True
        return once(self._made, wanted, lambda: self._pass(number, fields, header), _PROGRAMS)

    def _sorter(self, names: tuple[str, ...], fields: tuple[pa.Field, ...], judging: bool) -> Sorter:
        lowering = self.records.head()
        asm = lowering.asm
        code = self.records.message_number(lowering.asm, lowering.record.columns)
        self.records.rest_of_header(lowering)
        header = lowering.record.columns
        lowering.must(asm.value(op.MORE_NUMBER, (code,), (-1,)))
        place = asm.place(Output(bits=64))
        asm.store(op.STORE_8, (code,), (place,))
        columns = {name: _sorted(asm, header[name]) for name in names if name in header}
        header["message"] = Label(code, tuple(each.name for each in self.records.messages))
        head = _written(lowering, fields, lowering.record)
        if not fields and not judging:
            lowering.lists = []  # which other programs read
        return Sorter(Program.of(lowering, head, {}), place, columns)

    def _head_lengths(self, number: int) -> "HeadLengths":
        ends = self.records.protocol.framing.lengths[number]
        assert isinstance(ends, Headed)
        lowering, length, refuted = self.records.head_length(ends)
        asm = lowering.asm
        place, wrong = asm.place(Output(bits=64)), asm.place(Output(bits=8))
        asm.store(op.STORE_8, (length,), (place,))
        asm.store(op.STORE_1, (refuted,), (wrong,))
        return HeadLengths(Program.of(lowering, {}, {}), place, wrong)

    def _proof(self) -> Program:
        lowering = self.records.proof()
        if lowering.left:
            raise NoProgramError("some of the lengths")
        if any(isinstance(each, Output) for each in lowering.asm.memory):
            raise NoProgramError("a proof for which something is written")
        return Program.of(lowering, {}, {})

    def _program(self, number: int, fields: Iterable[pa.Field], header: Iterable[pa.Field] | None) -> Program:
        lowering = self.records.head()
        if number < 0:
            self.records.rest_of_header(lowering)
        if header is None:
            lowering.lists = []
        columns = self._message(number, fields, lowering) if number >= 0 else {}
        head = _written(lowering, header or (), lowering.record)
        return Program.of(lowering, head, columns, judging=number >= 0)

    def _pass(self, number: int, fields: Iterable[pa.Field], header: Iterable[pa.Field]) -> Program:
        lowering = self.records.head(self.records.proof().asm)
        code = self.records.message_number(lowering.asm, lowering.record.columns)
        lowering.must(lowering.asm.value(op.EQUAL_NUMBER, (code,), (number,)))
        columns = self._message(number, fields, lowering)
        return Program.of(lowering, _written(lowering, header, lowering.record), columns)

    def _message(self, number: int, fields: Iterable[pa.Field], at: Lowering) -> dict[str, Column]:
        """Read the rest of a record, and write columns of its message."""
        values = self.records.message(number, at)
        with at.asm.field(self.records.messages[number].name):
            return _written(at, fields, values)


def _written(at: Lowering, fields: Iterable[pa.Field], values: Level) -> dict[str, Column]:
    """Write some of the values as columns."""
    found = {}
    for each in fields:
        with at.asm.field(each.name):
            found[each.name] = column(at.asm, each.type, values.columns.get(each.name))
    return found


class ViewPrograms:
    """The programs that fill the columns of ``view`` from records of one byte order with the same parameters."""

    def __init__(self, programs: Programs, view: ViewedColumns) -> None:
        self.programs = programs
        self.names = view.names
        self.own = view.options.message is not None
        self.schema = view.schema
        self._made: dict[tuple[int, bool], Program | None] = {}
        self._passing: dict[int, Program | None] = {}

    def __getitem__(self, number: int) -> Program | None:
        """The program of a message by its number, or of the header, which is -1. None if there is none."""
        return self._of(number, alone=number < 0)

    @cached_property
    def sorter(self) -> Sorter | None:
        """Tells messages apart, and writes their names and the header. None if no program can."""
        return self.programs.sorting(
            header=[*self._kinds(-1), *(each for each in self.schema if each.name == "message")]
        )

    def alone(self, number: int) -> Program | None:
        """The program of a message that is that of the header, too, for records that are all of this message."""
        return self._of(number, alone=True)

    def passing(self, number: int) -> Program | None:
        """The program of a message that is that of the header, too, and proves records to be of this message."""
        if number not in self._passing:
            fields = list(self._kinds(number)), list(self._kinds(-1))
            self._passing[number] = self.programs.passing(number, *fields)
        return self._passing[number]

    def _of(self, number: int, *, alone: bool) -> Program | None:
        key = number, alone
        if key not in self._made:
            fields = self._kinds(number) if number >= 0 else ()
            self._made[key] = self.programs.of(number, list(fields), list(self._kinds(-1)) if alone else None)
        return self._made[key]

    def _kinds(self, number: int) -> Iterator[pa.Field]:
        if number >= 0 and not self.own:
            place = self.schema.get_field_index(self.names[number])
            yield from self.schema.field(place).type if place >= 0 else ()
            return
        for field in self.schema:
            if (field.name in self.programs.header) == (number < 0):
                yield field


@lru_cache(maxsize=64)
def _programs(protocol: Protocol, parameters: tuple[tuple[str, Any], ...], little: bool) -> Programs:
    return Programs(protocol, dict(parameters), little=little)


def programs_of(protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> Programs:
    """The programs of a protocol, each made when it is first asked for."""
    return _programs(protocol, tuple(sorted(parameters.items())), little)
