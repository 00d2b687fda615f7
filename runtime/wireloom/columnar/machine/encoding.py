"""Rows of tables written as records by programs, as far as these find that the records say what the rows do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.codec import Column, Protocol
from wireloom.columnar.buffers import Array, array
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine import scribe
from wireloom.columnar.machine.arranging import Arranging, Laid
from wireloom.columnar.machine.assembly import Assembled, Assembler
from wireloom.columnar.machine.given import Inputs, Outline, Path
from wireloom.columnar.machine.matches import first
from wireloom.columnar.machine.programs import programs_of, unless_left
from wireloom.columnar.machine.rereading import reread
from wireloom.columnar.machine.values import Level, NoProgramError
from wireloom.columnar.planning import is_proven

_MOST = 256
"""Of so many outlines of tables at most the programs are kept."""
_LARGEST = 2**31 - 1
"""Arrow counts the bytes of binary values in 32 bits."""
Outlines = tuple[tuple[str, Outline], ...]
"""Columns by name."""


@dataclass(slots=True)
class WritingProgram:
    """A program that writes the records of a message, of about ``size`` bytes each, and the columns that it reads."""

    assembled: Assembled
    inputs: Inputs
    size: int = 64

    def run(self, batch: pa.RecordBatch, rows: Array) -> tuple[pa.Array, Array] | None:
        """The records of these rows, and which of them are sound; None if they do not fit into an array."""
        assembled, count = self.assembled, len(rows)
        out = assembled.rooms.tables.copy()
        for place, number in self.inputs.addresses(lambda path: _column(batch, path)):
            out[place] = number
        zeros, sound = np.zeros(assembled.reach, np.uint8), np.zeros(count, np.uint8)
        registers, ends = np.zeros((assembled.registers, op.TILE), np.int64), np.zeros(count + 1, np.int32)
        data = pa.allocate_buffer(self.size * (count + op.TILE), resizable=True)
        done = 0
        while done < count:
            done = scribe.compiled()(
                assembled.code, rows, sound, registers, out, ends, data.address, data.size, zeros.ctypes.data, done
            )
            if done < count:
                if data.size > _LARGEST:
                    return None
                data.resize(2 * data.size)
        data.resize(int(ends[-1]))
        self.size = max(self.size, 1 + data.size // max(1, count))
        return array(pa.binary(), count, None, ends, data), sound.view(bool)


def _column(batch: pa.RecordBatch, path: Path) -> pa.Array:
    """A column, or a field in one, without regard to where what is around it is missing."""
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
        reread(said, arranging, fields, variant, protocol.framing, proven, is_of)
        return WritingProgram(asm.assembled(), inputs)


def _given(inputs: Inputs, path: Path, outlines: dict[str, Outline], columns: Iterable[Column]) -> Laid:
    """What is given of the header, or of a message. Rows with labels of numbers that are missing are not sound."""
    labels = {column.name for column in columns if column.label}
    found = Laid(
        inputs.columns(path, {name: each for name, each in outlines.items() if name not in labels | {"variant"}})
    )
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
