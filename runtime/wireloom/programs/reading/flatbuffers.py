"""FlatBuffers tables in programs: every offset is checked, and where one is wrong the row is not sound."""

import struct
from typing import Any

from wireloom.codec.flatbuffers import Table, TableField
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import both
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import WORD, Datum, NoProgramError, Number, Octets, Struct


def table(said: Table, at: Lowering, span: Span) -> Struct:
    """The values of the table in these bytes. Raises ``NoProgramError``."""
    found = _Table(at, *span)
    fields: dict[str, Datum] = {}
    for field in said.fields:
        with at.asm.field(field.name):
            fields[field.name] = found.field(field)
    return Struct(fields)


class _Table:
    """The table in the bytes from ``start`` to ``stop``."""

    def __init__(self, at: Lowering, start: int, stop: int) -> None:
        self.at = at
        self.asm = asm = at.asm
        self.stop = stop
        root = self._load(self._needed(start, at.where, 4), 0, 4)
        self.place = self._needed(self._behind(start, root, at.where), at.where, 4)
        back = asm.value(op.SIGN, (self._load(self.place, 0, 4),), (32,))
        away = asm.value(op.SUBTRACT, (root, back))
        self.slots = self._needed(self._behind(start, away, at.where), at.where, 4)
        self.slots_size, self.size = self._load(self.slots, 0, 2), self._load(self.slots, 2, 2)
        for size, place in ((self.slots_size, self.slots), (self.size, self.place)):
            at.must(asm.value(op.MORE_NUMBER, (size,), (3,)))
            self._behind(place, size, at.where)
        at.must(asm.value(op.EQUAL_NUMBER, (asm.value(op.AND_NUMBER, (self.slots_size,), (1,)),), (0,)))

    def field(self, said: TableField) -> Datum:
        """The value of a field."""
        asm, at = self.asm, self.at
        slot = 4 + 2 * said.id
        listed = both(asm, at.where, asm.value(op.MORE_NUMBER, (self.slots_size,), (slot + 1,)))
        offset = self._load(self._needed(self.slots, listed, slot + 2), slot, 2)
        there = both(asm, listed, asm.value(op.MORE_NUMBER, (offset,), (0,)))
        code, size = _KINDS[said.type]
        end = asm.value(op.ADD_NUMBER, (offset,), (size,))
        at.must(asm.value(op.MORE_NUMBER, (offset,), (3,)), there)
        at.must(asm.value(op.NOT, (asm.value(op.LESS, (self.size, end)),)), there)
        place = self._behind(self.place, offset, there)
        if said.type == "text":
            return self._text(said, place, there, self._load(place, 0, 4))
        return self._number(said, self._load(place, 0, size), code, size, there)

    def _text(self, said: TableField, place: int, there: int, away: int) -> Octets:
        if said.default is not None:
            raise NoProgramError("a text that is not stored")
        begin = self._needed(self._behind(place, away, there), there, 4)
        first = self.asm.value(op.ADD_NUMBER, (begin,), (4,))
        start, stop = self.asm.several(op.TAKE, 2, (first, self._load(begin, 0, 4), self.stop, there))
        self.asm.check_text(start, stop, there)
        return Octets(start, stop, there)

    def _number(self, said: TableField, register: int, code: str, size: int, there: int) -> Number:
        asm, at, bits = self.asm, self.at, 8 * size
        if code == "b":
            at.must(asm.value(op.LESS_NUMBER, (register,), (2,)), there)
            register = asm.value(op.MORE_NUMBER, (register,), (0,))
        if said.is_bounded(at.u64):
            at.must(asm.value(op.MORE_NUMBER, (register,), (-1,)), there)
        if code == "i" and bits < 64:
            register = asm.value(op.SIGN, (register,), (bits,))
        least, most = (-1 << bits - 1, (1 << bits - 1) - 1) if code == "i" else (0, (1 << bits) - 1)
        most = 1 if code == "b" else WORD - 1 if said.is_bounded(at.u64) else most
        if said.default is not None:
            register = asm.value(op.CHOOSE, (there, register, asm.number(_bits(said.default, code, size))))
            there = op.ONES
        if code == "f":
            return Number(register, 0, 0, there, floating=size)
        return Number(register, least, most, there, truth=code == "b")

    def _needed(self, place: int, where: int, count: int) -> int:
        """The same place, where so many bytes follow."""
        (found,) = self.asm.several(op.NEED, 1, (place, self.stop, where), (count,))
        return found

    def _behind(self, place: int, count: int, where: int) -> int:
        """The place so many bytes behind another, which is no farther than the end of the table's bytes."""
        return self.asm.several(op.TAKE, 2, (place, count, self.stop, where))[1]

    def _load(self, place: int, shift: int, size: int) -> int:
        """The unsigned number there."""
        return self.asm.load(place, shift, size, little=True)


def _bits(number: Any, code: str, size: int) -> int:
    """What a register has for a number."""
    if code == "f":
        return int.from_bytes(struct.pack("<f" if size == 4 else "<d", number), "little")
    return int(number)


_KINDS = {
    "bool": ("b", 1), "i8": ("i", 1), "u8": ("u", 1), "i16": ("i", 2), "u16": ("u", 2), "i32": ("i", 4),
    "u32": ("u", 4), "i64": ("i", 8), "u64": ("u", 8), "f32": ("f", 4), "f64": ("f", 8), "text": ("u", 4),
}  # fmt: skip
"""The kind of each type, and how many bytes it has; for text, those of its position."""
