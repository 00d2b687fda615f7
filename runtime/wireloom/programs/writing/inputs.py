"""Columns of a table as programs that write records see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both
from wireloom.programs.outputs import Output
from wireloom.programs.values import FARTHEST, WORD, Datum, NoItems, NoProgramError, Number, Octets, Struct


class Kind(Enum):
    """What the values of a column are."""

    STRUCT = "structs"
    LIST = "lists"
    BYTES = "bytes"
    BOOLEAN = "booleans"
    DECIMAL = "whole decimals of 128 bits, not below zero"
    SCALED = "decimals of 128 bits"
    SIGNED = "signed integers"
    UNSIGNED = "unsigned integers"
    FLOAT = "floats"
    OTHER = "other values"


@dataclass(frozen=True, slots=True)
class Outline:
    """What a program knows of a column: its kind, how many ``bits`` a number has, whether some values are missing, its
    fields if it is a struct, its ``items`` if it is a list that has some, and the ``places`` behind the point of
    decimals. ``type`` is a list's type in the table.
    """

    kind: Kind
    bits: int
    missing: bool
    fields: "tuple[tuple[str, Outline], ...]" = ()
    items: "Outline | None" = None
    type: Any = None
    places: int = 0


Path = tuple[str, ...]
"""The name of a column, and those of fields in it."""
ITEM = ""
"""The name of the only column of a table of items."""
WRITTEN = "items, as they are written"
"""Behind the path of a list, that of the bytes of its items: a value a row."""
VARIANT = "number of the variant"
"""The name of the column that has the number of each row's variant, a long: -1 if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(NoItems):
    """A list of a table: where it is, and what is known of it."""

    path: Path
    outline: Outline
    inputs: "Inputs"

    def written(self) -> Octets:
        """The bytes of its items, which a program of their own writes before."""
        return self.inputs.octets((*self.path, WRITTEN), self.valid)


class Address(NamedTuple):
    """A number that a program takes from a column: the address of a buffer of Arrow's, moved on by its ``offset`` of so
    many bytes a value, and by ``more`` bytes; or that offset itself, where there is no buffer.
    """

    path: Path
    buffer: int | None
    size: int = 0
    more: int = 0

    @property
    def is_of_octets(self) -> bool:
        """Whether bytes are there that values point to."""
        return self.buffer == _OCTETS


VALIDITY, _VALUES, _OCTETS = range(3)
"""The numbers of buffers."""


class Inputs:
    """The columns that a program reads, and what it takes from them, by its place among the outputs."""

    def __init__(self, asm: Assembler) -> None:
        self.asm = asm
        self.row = asm.value(write_op.ROW)
        self.taken: dict[int, Address] = {}

    def _take(self, path: Path, *addresses: tuple[int | None, int, int]) -> int:
        places = [self.asm.place(Output()) for _ in addresses]
        taken = (Address(path, *each) for each in addresses)
        self.taken.update(zip(places, taken, strict=True))
        return places[0]

    def columns(self, path: Path, fields: Mapping[str, Outline], where: int = op.ONES) -> dict[str, Datum]:
        """Columns, or the fields of a struct that is there ``where`` the mask is set."""
        found = {}
        for name, outline in fields.items():
            with self.asm.field(name):
                found[name] = self._column((*path, name), outline, where)
        return found

    def valid(self, path: Path, outline: Outline, where: int = op.ONES) -> int:
        """The mask of the rows that have a value."""
        if not outline.missing:
            return where
        place = self._take(path, (VALIDITY, 0, 0), (None, 0, 0))
        return both(self.asm, where, self.asm.value(write_op.BIT, (self.row,), (place,)))

    def _column(self, path: Path, outline: Outline, where: int) -> Datum:
        asm, valid = self.asm, self.valid(path, outline, where)
        match outline.kind:
            case Kind.STRUCT:
                return Struct(self.columns(path, dict(outline.fields), valid), valid)
            case Kind.LIST:
                count = Number(asm.value(write_op.COUNT, (self.row,), (self._take(path, _values(4)),)), 0, FARTHEST)
                return Items(valid, count, path=path, outline=outline, inputs=self)
            case Kind.BYTES:
                return self.octets(path, valid)
            case Kind.BOOLEAN:
                place = self._take(path, (_VALUES, 0, 0), (None, 0, 0))
                return Number(asm.value(write_op.BIT, (self.row,), (place,)), 0, 1, valid, truth=True)
            case Kind.DECIMAL:
                low, high = self._halves(path)
                asm.check(asm.value(op.EQUAL_NUMBER, (high,), (0,)), valid)
                return Number(low, 0, 2 * WORD - 1, valid)
            case Kind.SCALED:
                low, high = self._halves(path)
                sign = asm.value(op.SHIFT_RIGHT, (low, asm.number(63)))
                asm.check(asm.value(op.EQUAL, (high, sign)), valid)
                return Number(low, -WORD, WORD - 1, valid, parts=10**outline.places)
            case Kind.OTHER:
                raise NoProgramError("columns of this type")
        return self._number(path, outline.kind, outline.bits, valid)

    def _halves(self, path: Path) -> tuple[int, int]:
        """The lowest 64 bits of numbers of 128 bits, and the highest."""
        place = self._take(path, _values(16), _values(16, 8))
        low, high = (self.asm.value(write_op.COLUMN, (self.row,), (each, 8, 16)) for each in (place, place + 1))
        return low, high

    def variant(self) -> int:
        """The number of the variant."""
        with self.asm.field("variant"):
            return self._number((VARIANT,), Kind.SIGNED, 64, op.ONES).register

    def octets(self, path: Path, valid: int) -> Octets:
        """Texts or bytes."""
        start, stop = self.asm.several(write_op.SPAN, 2, (self.row,), (self._take(path, _values(4), (_OCTETS, 0, 0)),))
        return Octets(start, stop, valid)

    def _number(self, path: Path, kind: Kind, bits: int, valid: int) -> Number:
        asm, size = self.asm, bits // 8
        register = asm.value(write_op.COLUMN, (self.row,), (self._take(path, _values(size)), size, size))
        if kind is Kind.FLOAT:
            self._no_nan(register, size, valid)
            return Number(register, 0, 0, valid, floating=size)
        if kind is Kind.UNSIGNED:
            return Number(register, 0, (1 << bits) - 1, valid)
        signed = register if size == 8 else asm.value(op.SIGN, (register,), (bits,))
        return Number(signed, -1 << bits - 1, (1 << bits - 1) - 1, valid)

    def _no_nan(self, register: int, size: int, valid: int) -> None:
        """Rows with a NaN are not sound: which bits it is written with is for others to say."""
        highest, infinite = (0x7FFF_FFFF, 0x7F80_0000) if size == 4 else (WORD - 1, 0x7FF0_0000_0000_0000)
        bits = self.asm.value(op.AND_NUMBER, (register,), (highest,))
        self.asm.check(self.asm.value(op.LESS_NUMBER, (bits,), (infinite + 1,)), valid)


def _values(size: int, more: int = 0) -> tuple[int, int, int]:
    """The address of a column's values of so many bytes each, or of what is so many bytes after it."""
    return _VALUES, size, more
