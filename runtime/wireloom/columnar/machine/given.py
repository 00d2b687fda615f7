"""Columns of a table as programs that write records see them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from wireloom.columnar.buffers import Array, ends_of
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine import orders
from wireloom.columnar.machine.assembly import Assembler
from wireloom.columnar.machine.formulas import both
from wireloom.columnar.machine.rooms import Space
from wireloom.columnar.machine.values import FARTHEST, WORD, Datum, NoItems, NoProgramError, Number, Octets, Struct


@dataclass(frozen=True, slots=True)
class Outline:
    """What a program knows of a column: its type, whether some values are missing, its fields if it is a struct, and
    its ``items`` if it is a list that has some.
    """

    kind: pa.DataType
    missing: bool
    fields: "tuple[tuple[str, Outline], ...]" = ()
    items: "Outline | None" = None


def outline_of(column: pa.Array) -> Outline | None:
    """The outline of a column; None if it has no value."""
    nulls = column.null_count
    if nulls == len(column):
        return None
    if pa.types.is_list(column.type):
        return Outline(column.type, nulls > 0, items=outline_of(column.flatten()))
    if not pa.types.is_struct(column.type):
        return Outline(column.type, nulls > 0)
    outlines = ((field.name, outline_of(column.field(place))) for place, field in enumerate(column.type))
    return Outline(
        pa.struct([]), nulls > 0, tuple((name, outline) for name, outline in outlines if outline is not None)
    )


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


@dataclass(frozen=True, slots=True)
class Address:
    """A number that a program takes from a column: the address of its validity, of its values or of the bytes that they
    point to, or the place of its first bit.
    """

    path: Path
    number: Callable[[pa.Array], int]


class Inputs:
    """The columns that a program reads, and what it takes from them, by its place among the outputs."""

    def __init__(self, asm: Assembler) -> None:
        self.asm = asm
        self.row = asm.value(orders.ROW)
        self.taken: dict[int, Address] = {}

    def addresses(self, columns: Callable[[Path], pa.Array]) -> Iterator[tuple[int, int]]:
        """What each of them is in a table, by its place."""
        found: dict[Path, pa.Array] = {}
        for place, taken in self.taken.items():
            if taken.path not in found:
                found[taken.path] = columns(taken.path)
            yield place, taken.number(found[taken.path])

    def size(self, columns: Callable[[Path], pa.Array], rows: Array) -> int:
        """How many bytes these rows have in texts and bytes."""
        found = 0
        for taken in self.taken.values():
            if taken.number is _octets:
                ends = ends_of(columns(taken.path))
                found += int((ends[rows + 1] - ends[rows]).sum())
        return found

    def _take(self, path: Path, *numbers: Callable[[pa.Array], int]) -> int:
        places = [self.asm.room(Space()) for _ in numbers]
        self.taken.update({place: Address(path, number) for place, number in zip(places, numbers, strict=True)})
        return places[0]

    def columns(self, path: Path, fields: Mapping[str, Outline], where: int = op.ONES) -> dict[str, Datum]:
        """Columns, or the fields of a struct that is there ``where`` the mask is set."""
        return {name: self._column((*path, name), outline, where) for name, outline in fields.items()}

    def valid(self, path: Path, outline: Outline, where: int = op.ONES) -> int:
        """The mask of the rows that have a value."""
        if not outline.missing:
            return where
        place = self._take(path, _validity, _offset)
        return both(self.asm, where, self.asm.value(orders.BIT, (self.row,), (place,)))

    def _column(self, path: Path, outline: Outline, where: int) -> Datum:
        asm, kind, valid = self.asm, outline.kind, self.valid(path, outline, where)
        if pa.types.is_struct(kind):
            return Struct(self.columns(path, dict(outline.fields), valid), valid)
        if pa.types.is_list(kind):
            count = Number(asm.value(orders.COUNT, (self.row,), (self._take(path, _values(4)),)), 0, FARTHEST)
            return Items(valid, count, path=path, outline=outline, inputs=self)
        if kind in (pa.string(), pa.binary()):
            return self.octets(path, valid)
        if pa.types.is_boolean(kind):
            place = self._take(path, _bits, _offset)
            return Number(asm.value(orders.BIT, (self.row,), (place,)), 0, 1, valid, truth=True)
        if pa.types.is_decimal128(kind) and not kind.scale:
            place = self._take(path, _values(16), _values(16, 8))
            low, high = (asm.value(orders.COLUMN, (self.row,), (each, 8, 16)) for each in (place, place + 1))
            asm.check(asm.value(op.EQUAL_NUMBER, (high,), (0,)), valid)
            return Number(low, 0, 2 * WORD - 1, valid)
        return self._number(path, kind, valid)

    def variant(self) -> int:
        """The number of the variant."""
        return self._number((VARIANT,), pa.int64(), op.ONES).register

    def octets(self, path: Path, valid: int) -> Octets:
        """Texts or bytes."""
        start, stop = self.asm.several(orders.SPAN, 2, (self.row,), (self._take(path, _values(4), _octets),))
        return Octets(start, stop, valid)

    def _number(self, path: Path, kind: pa.DataType, valid: int) -> Number:
        asm, fits = self.asm, pa.types.is_integer(kind) or pa.types.is_temporal(kind) or pa.types.is_floating(kind)
        if not fits or kind.bit_width not in (8, 16, 32, 64) or kind in (pa.float16(), pa.uint64()):
            raise NoProgramError(f"columns of type {kind}")
        size = kind.bit_width // 8
        register = asm.value(orders.COLUMN, (self.row,), (self._take(path, _values(size)), size, size))
        if pa.types.is_floating(kind):
            self._no_nan(register, size, valid)
            return Number(register, 0, 0, valid, floating=size)
        if pa.types.is_unsigned_integer(kind):
            return Number(register, 0, (1 << kind.bit_width) - 1, valid)
        signed = register if size == 8 else asm.value(op.SIGN, (register,), (kind.bit_width,))
        return Number(signed, -1 << kind.bit_width - 1, (1 << kind.bit_width - 1) - 1, valid)

    def _no_nan(self, register: int, size: int, valid: int) -> None:
        """Rows with a NaN are not sound: which bits it is written with is for others to say."""
        highest, infinite = (0x7FFF_FFFF, 0x7F80_0000) if size == 4 else (WORD - 1, 0x7FF0_0000_0000_0000)
        bits = self.asm.value(op.AND_NUMBER, (register,), (highest,))
        self.asm.check(self.asm.value(op.LESS_NUMBER, (bits,), (infinite + 1,)), valid)


def _validity(column: pa.Array) -> int:
    return int(column.buffers()[0].address)


def _bits(column: pa.Array) -> int:
    return int(column.buffers()[1].address)


def _offset(column: pa.Array) -> int:
    return int(column.offset)


def _octets(column: pa.Array) -> int:
    octets = column.buffers()[2]
    return 0 if octets is None else int(octets.address)


@cache
def _values(size: int, more: int = 0) -> Callable[[pa.Array], int]:
    """The address of a column's values of so many bytes each, or of what stands so many bytes behind it."""
    return lambda column: int(column.buffers()[1].address) + size * int(column.offset) + more
