"""Rows of tables written as records by programs, as far as these find that the records say what the rows do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.codec import Column, Protocol
from wireloom.columnar.alike import lists_alike
from wireloom.columnar.buffers import LARGEST, Array, array
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine import scribe
from wireloom.columnar.machine.arranging import Arranging
from wireloom.columnar.machine.assembly import Assembled, Assembler
from wireloom.columnar.machine.columns import Column as Filling
from wireloom.columnar.machine.filled import Filled
from wireloom.columnar.machine.given import ITEM, WRITTEN, Inputs, Outline, Path
from wireloom.columnar.machine.laid import Laid
from wireloom.columnar.machine.matches import first
from wireloom.columnar.machine.programs import programs_of, unless_left
from wireloom.columnar.machine.rereading import reread
from wireloom.columnar.machine.stages import Located, Stage, registers_for
from wireloom.columnar.machine.values import Level, NoProgramError
from wireloom.columnar.planning import is_proven

_MOST = 256
"""Of so many outlines of tables at most the programs are kept."""
Outlines = tuple[tuple[str, Outline], ...]
"""Columns by name."""


@dataclass(slots=True)
class WritingProgram:
    """A program that writes records of about ``size`` bytes each, and the columns that it reads.

    Items of lists are written before, by programs of their own, which are ``asked`` for columns of the header, too.
    ``stages`` read them again, as the columns ``reread``.
    """

    assembled: Assembled
    inputs: Inputs
    items: "dict[Path, WritingProgram]"
    stages: tuple[Stage, ...] = ()
    reread: Mapping[Path, Filling] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    size: int = 64

    def run(self, batch: pa.RecordBatch, rows: Array) -> tuple[pa.Array, Array] | None:
        """The records of these rows, and which of them are sound; None if they do not fit into an array."""
        assembled, count, places = self.assembled, len(rows), np.arange(len(rows))
        known: dict[Path, tuple[pa.Array, Array]] = {}
        for path, program in self.items.items():
            if (found := program.lists(batch, path, rows)) is None:
                return None
            known[path] = found
        written = Filled(assembled.rooms, count, count, 0)
        for place, number in self.inputs.addresses(lambda path: _column(batch, path, known)):
            written.addresses[place] = number
        zeros, sound = np.zeros(assembled.reach, np.uint8), np.zeros(count, np.uint8)
        ends = np.zeros(count + 1, np.int64)
        data = pa.allocate_buffer(self.size * (count + op.TILE), resizable=True)
        loop, code, done = assembled.loops.write(count), assembled.code, 0
        while done < count:
            ranges = rows, places, count, sound.ctypes.data
            memory = written.addresses, written.amounts, ends, data.address, data.size, zeros.ctypes.data, done
            if loop is not None:
                done = loop(*ranges, *memory)
            else:
                done = scribe.compiled()(code, len(code), *ranges, registers_for(assembled), *memory)
            if done < count:
                if data.size > LARGEST:
                    return None
                data.resize(2 * data.size)
                if self.stages:  # lists are where they were, which may be elsewhere now
                    done, written.amounts[:, 0] = 0, 0
        if ends[-1] > LARGEST:
            return None
        if self.stages:
            self._prove(data, ends, written, sound.view(bool), batch, rows)
        for _, fine in known.values():
            sound &= fine
        data.resize(int(ends[-1]))
        self.size = max(self.size, 1 + data.size // max(1, count))
        return array(pa.binary(), count, None, ends.astype(np.int32), data), sound.view(bool)

    def _prove(
        self, data: pa.Buffer, ends: Array, written: Filled, sound: Array, batch: pa.RecordBatch, rows: Array
    ) -> None:
        """Leave those rows sound whose lists say what was given."""
        start, stop = ends[:-1] + data.address, ends[1:] + data.address
        records, places = Located(start, stop, data.address + data.size), np.arange(len(rows))
        for stage in self.stages:
            stage.run(records, places, written, sound)
        for path, column in self.reread.items():
            sound &= lists_alike(column.arrow(written), _of(_column(batch, path, {}), rows))

    def lists(self, batch: pa.RecordBatch, path: Path, rows: Array) -> tuple[pa.Array, Array] | None:
        """The bytes of the items of each list in these ``rows``, none in others, and which of them are sound, if this
        writes items; None if they do not fit.
        """
        lists = _of(_column(batch, path, {}), rows)
        offsets, counts = lists.offsets.to_numpy(), np.zeros(len(batch), np.int64)
        if offsets[0] == offsets[-1]:
            none = array(pa.binary(), len(batch), None, np.zeros(len(batch) + 1, np.int32), b"")
            return none, np.ones(len(rows), bool)
        counts[rows] = np.diff(offsets)
        owners = pa.array(np.repeat(np.arange(len(batch)), counts))
        columns = {ITEM: lists.values.slice(offsets[0], len(owners))}
        columns |= {name: batch.column(name).take(owners) for name in self.asked}
        found = self.run(pa.RecordBatch.from_pydict(columns), np.arange(len(owners)))
        if found is None:
            return None
        (_, ends, octets), sound = found[0].buffers(), found[1]
        at, unsound = offsets - offsets[0], np.append(0, np.cumsum(~sound))
        bounds = np.frombuffer(ends, np.int32)[np.append(0, np.cumsum(counts))]
        return array(pa.binary(), len(batch), None, bounds, octets), unsound[at[1:]] == unsound[at[:-1]]


def _of(column: pa.Array, rows: Array) -> pa.Array:
    """The values of some rows."""
    return column if len(rows) == len(column) else column.take(pa.array(rows))


ListBytes = Mapping[Path, tuple[pa.Array, Array]]
"""The bytes of lists' items, and which of these are sound."""


def _column(batch: pa.RecordBatch, path: Path, known: ListBytes) -> pa.Array:
    """A column, or a field in one, without regard to where what is around it is missing; or the bytes of its items."""
    if path[-1] == WRITTEN:
        return known[path[:-1]][0]
    found = batch.column(path[0])
    for name in path[1:]:
        found = found.field(name)
    return found


class WritingPrograms:
    """The programs that write records of one byte order with the same ``parameters``."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> None:
        self.protocol = protocol
        self.parameters = parameters
        self.programs = programs_of(protocol, parameters, little=little)
        self._made: dict[tuple[int, int, Outlines], WritingProgram | None] = {}

    def of(self, message: int, variant: int, outlines: Outlines) -> WritingProgram | None:
        """Writes records of a message in a variant, or without one if that is -1, from a table with columns of these
        outlines: those of the header, and of the message. None if no program can.
        """
        key = message, variant, outlines
        if key not in self._made:
            if len(self._made) >= _MOST:
                self._made.clear()
            self._made[key] = unless_left(lambda: self._program(message, variant, dict(outlines)))
        return self._made[key]

    def _program(self, number: int, variant: int, outlines: dict[str, Outline]) -> WritingProgram:
        programs, protocol = self.programs, self.protocol
        said = programs.messages[number]
        asm = Assembler()
        inputs = Inputs(asm)
        if said.name not in outlines:
            raise NoProgramError("a message without a struct of its own")
        outline = outlines.pop(said.name)
        asm.check(inputs.valid((said.name,), outline), op.ONES)
        header = _given(inputs, (), outlines, protocol.record.columns)
        fields = _given(inputs, (said.name,), dict(outline.fields), said.columns)
        arranging = Arranging(programs.judge, self.parameters, asm, header, little=programs.little)
        for name, selection in said.match.items():
            if name in {column.name for column in protocol.record.columns}:
                arranging.fill(header, name, selection.first)
        arranging.message(said, variant, fields)

        def is_of(read: Level) -> int:
            code = first(asm, *programs.matched(read.columns), programs.unknown)
            return asm.value(op.EQUAL_NUMBER, (code,), (number,))

        proven = is_proven(protocol, said.match)
        stages, again = reread(said, arranging, fields, variant, protocol.framing, proven, is_of)
        return WritingProgram(asm.assembled(), inputs, _items(arranging), stages, again)


def _items(around: Arranging) -> dict[Path, WritingProgram]:
    """The programs that write items of lists before another one does the rest."""
    return {
        path: WritingProgram(inner.asm.assembled(), inner.inputs, _items(inner), asked=tuple(inner.asked))
        for path, inner in around.items.items()
    }


def _given(inputs: Inputs, path: Path, outlines: dict[str, Outline], columns: Iterable[Column]) -> Laid:
    """What is given of the header, or of a message. Rows with labels of numbers that are missing are not sound."""
    labels = {column.name for column in columns if column.label}
    told = {name: each for name, each in outlines.items() if name not in labels | {"variant"}}
    found = Laid(inputs.columns(path, told), outlines=told)
    for label in labels & outlines.keys():
        number = found.columns.get(label.rpartition("_")[0])
        if number is None or number.valid != op.ONES:
            labelled = inputs.valid((*path, label), outlines[label])
            inputs.asm.check(inputs.asm.number(0) if number is None else number.valid, labelled)
    return found


@lru_cache(maxsize=64)
def _writing(protocol: Protocol, parameters: tuple[tuple[str, Any], ...], little: bool) -> WritingPrograms:
    return WritingPrograms(protocol, dict(parameters), little=little)


def writing(protocol: Protocol, parameters: Mapping[str, Any], *, little: bool) -> WritingPrograms:
    """The programs of a protocol that write records, each made when it is first asked for."""
    return _writing(protocol, tuple(sorted(parameters.items())), little)
