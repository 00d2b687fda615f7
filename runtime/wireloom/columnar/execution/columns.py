"""What programs write, as Arrow arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from wireloom.backends.numpy.meanings import doubles
from wireloom.buffers import (
    Places,
    as_arrow,
    between,
    dictionary,
    grouped,
    nulls,
    numbers,
    ragged,
    row_numbers,
    spread,
    zeros,
)
from wireloom.codec.meanings import DoubleMeaning
from wireloom.columnar.execution.output_memory import ListValues, OutputMemory
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, wrapped
from wireloom.programs.expressions import both
from wireloom.programs.labels import bit_table, text_tables
from wireloom.programs.outputs import Output
from wireloom.programs.values import (
    LONGEST,
    WORD,
    Borrowed,
    Datum,
    Flags,
    Label,
    Listed,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
)


class Column(Protocol):
    """Makes an array of what was written."""

    def arrow(self, written: OutputMemory) -> pa.Array:
        """The array, one value a row."""
        ...


@dataclass(frozen=True, slots=True)
class _Absent:
    kind: pa.DataType

    def arrow(self, written: OutputMemory) -> pa.Array:
        return nulls(self.kind, written.count)


@dataclass(frozen=True, slots=True)
class _Fixed:
    kind: pa.DataType
    data: int
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        held = [written.bits(self.valid), written.buffer(self.data)]
        if held[0] is not None and not np.frombuffer(held[0], np.uint8, -(-written.count // 8)).any():
            return nulls(self.kind, written.count)  # of which all columns share one
        return pa.Array.from_buffers(self.kind, written.count, held, -1 if held[0] else 0)


@dataclass(frozen=True, slots=True)
class _Doubles:
    """Doubles that integers stand for, of which the program writes these."""

    data: int
    valid: int | None
    meaning: DoubleMeaning
    unsigned: bool

    def arrow(self, written: OutputMemory) -> pa.Array:
        found = doubles(self.meaning, written.numbers(self.data, np.uint64 if self.unsigned else np.int64))
        held = [written.bits(self.valid), pa.py_buffer(found)]
        return pa.Array.from_buffers(pa.float64(), written.count, held, -1 if held[0] else 0)


@dataclass(frozen=True, slots=True)
class _Bytes:
    kind: pa.DataType
    first: int
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        size = int(written.amounts[self.first, 0])
        held = [written.bits(self.valid), written.offsets(self.first, written.count)]
        held.append(written.octets(self.first + 1, size))
        return pa.Array.from_buffers(self.kind, written.count, held, -1 if held[0] else 0)


@dataclass(frozen=True, slots=True)
class _SizedBytes:
    """Bytes that all have the size that their type says, written as if that varied."""

    kind: pa.DataType
    first: int
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        count, size = written.count, int(written.amounts[self.first, 0])
        if not size:
            return nulls(self.kind, count)
        ends = np.frombuffer(written.offsets(self.first, count), np.int32, count + 1)
        octets = np.frombuffer(written.octets(self.first + 1, size), f"V{self.kind.byte_width}")
        if len(octets) < count:
            octets = spread(octets, Places(np.flatnonzero(np.diff(ends)), count))
        held = [written.bits(self.valid), pa.py_buffer(octets)]
        return pa.Array.from_buffers(self.kind, count, held, -1 if held[0] else 0)


@dataclass(frozen=True, slots=True)
class _Dictionary:
    """Labels as their numbers in a dictionary of all of them."""

    kind: pa.DataType
    data: int
    valid: int
    texts: tuple[str, ...]

    def arrow(self, written: OutputMemory) -> pa.Array:
        indexes = _Fixed(self.kind.index_type, self.data, self.valid).arrow(written)
        return dictionary(indexes, self.texts)


@dataclass(frozen=True, slots=True)
class _TextLists:
    kind: pa.DataType
    first: int
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        first, held = self.first, written.bits(self.valid)
        items, size = int(written.amounts[first, 0]), int(written.amounts[first + 1, 0])
        written.amounts[first + 1] = size, items
        texts = [None, written.offsets(first + 1, items), written.octets(first + 2, size)]
        values = pa.Array.from_buffers(pa.string(), items, texts, 0)
        lists = [held, written.offsets(first, written.count)]
        return pa.Array.from_buffers(self.kind, written.count, lists, -1 if held else 0, children=[values])


@dataclass(frozen=True, slots=True)
class _FlagLists:
    """The names of bits as lists of their numbers in a dictionary of all names."""

    kind: pa.DataType
    data: int
    valid: int | None
    bits: tuple[tuple[str, int], ...]

    def arrow(self, written: OutputMemory) -> pa.Array:
        texts = tuple(dict.fromkeys(text for text, _ in self.bits))
        index = np.array([texts.index(text) for text, _ in self.bits], np.int64)
        found, held = written.numbers(self.data, np.uint64), written.bits(self.valid)
        if held is not None:
            found = found * np.unpackbits(np.frombuffer(held, np.uint8), count=written.count, bitorder="little")
        codes, known = grouped(found)
        sets = (np.array(known, np.uint64)[:, None] & np.array([bit for _, bit in self.bits], np.uint64)) != 0
        counts, (_, named) = sets.sum(axis=1), sets.nonzero()
        items = index[named][ragged((np.cumsum(counts) - counts)[codes], counts[codes])]
        ends = np.zeros(written.count + 1, np.int32)
        np.cumsum(counts[codes], out=ends[1:])
        values = dictionary(numbers(self.kind.value_type.index_type, items, None, None), texts)
        lists = [held, pa.py_buffer(ends)]
        return pa.Array.from_buffers(self.kind, written.count, lists, -1 if held else 0, children=[values])


@dataclass(frozen=True, slots=True)
class _NoItems:
    kind: pa.DataType
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        held = written.bits(self.valid)
        offsets = zeros(written.count + 1)
        values = nulls(self.kind.value_type, 0)
        return pa.Array.from_buffers(self.kind, written.count, [held, offsets], -1 if held else 0, children=[values])


@dataclass(frozen=True, slots=True)
class ItemLists:
    """Lists whose items other programs read."""

    kind: pa.DataType
    places: tuple[int, ...]
    valid: int | None

    def filled(self, written: OutputMemory) -> ListValues:
        """Their items."""
        return _by_row([written.lists[place] for place in self.places])

    def arrow(self, written: OutputMemory) -> pa.Array:
        held = written.bits(self.valid)
        rows, counts, values = self.filled(written)
        ends = np.zeros(len(rows) + 1, np.int32)
        np.cumsum(counts, out=ends[1:])
        offsets = between(ends, Places(rows, written.count))
        return pa.Array.from_buffers(
            self.kind, written.count, [held, pa.py_buffer(offsets)], -1 if held else 0, children=[values]
        )


def _by_row(lists: Sequence[ListValues]) -> ListValues:
    """Lists of which each row has items of one at most, as one."""
    there = [each for each in lists if len(each.values)]
    if len(there) <= 1:
        return (there or lists)[0]
    rows, counts = (np.concatenate([getattr(each, name) for each in there]) for name in ("rows", "counts"))
    order = rows.argsort(kind="stable")
    begins = (np.cumsum(counts) - counts)[order]
    values = pa.concat_arrays([each.values for each in there])
    return ListValues(rows[order], counts[order], values.take(as_arrow(ragged(begins, counts[order]))))


@dataclass(frozen=True, slots=True)
class _Substruct:
    kind: pa.DataType
    fields: tuple[Column, ...]
    valid: int | None

    def arrow(self, written: OutputMemory) -> pa.Array:
        held, children = written.bits(self.valid), [field.arrow(written) for field in self.fields]
        return pa.Array.from_buffers(self.kind, written.count, [held], -1 if held else 0, children=children)


@dataclass(frozen=True, slots=True)
class _BorrowedColumn:
    """Values that other programs read, of this ``name`` there."""

    kind: pa.DataType
    places: tuple[int, ...]
    name: str

    def arrow(self, written: OutputMemory) -> pa.Array:
        rows, _, items = _by_row([written.lists[place] for place in self.places])
        if not len(rows):
            return nulls(self.kind, written.count)
        which, missing = np.zeros(written.count, np.int64), np.ones(written.count, bool)
        which[rows], missing[rows] = row_numbers(len(rows)), False
        return items.field(self.name).take(pa.array(which, mask=missing))


def column(asm: Assembler, kind: pa.DataType, known: Datum | None, where: int = op.ONES) -> Column:
    """Write a value as a column of that type, or as a field of structs that are there ``where`` the mask is set. Raises
    ``NoProgramError``.
    """
    if known is None:
        return _Absent(kind)
    there = both(asm, where, known.valid)
    valid = None if known.valid == op.ONES else _bits(asm, known.valid)
    if isinstance(known, Borrowed):
        for listing in known.listings:
            listing.kind = pa.struct([*(listing.kind or ()), pa.field(known.name, kind)])
        return _BorrowedColumn(kind, tuple(listing.place for listing in known.listings), known.name)
    match known:
        case Number():
            return _fixed(asm, kind, known, valid)
        case Octets(start, stop) if kind in (pa.string(), pa.binary()):
            return _Bytes(kind, _octets(asm, start, stop, there), valid)
        case Octets(start, stop) if pa.types.is_fixed_size_binary(kind):
            return _SizedBytes(kind, _octets(asm, start, stop, there), valid)
        case Spelled(start) if pa.types.is_fixed_size_binary(kind):
            stop = asm.value(op.ADD_NUMBER, (start,), (kind.byte_width,))
            return _SizedBytes(kind, _octets(asm, start, stop, there), valid)
        case Spelled(start, way):
            first = asm.place(Output(bits=32))
            asm.place(Output(more=LONGEST[way]))
            asm.store(op.STORE_SPELLED, (start, there), (first, way))
            return _Bytes(kind, first, valid)
        case Label(number, texts) if pa.types.is_dictionary(kind):
            unnamed = asm.value(op.LESS_NUMBER, (number,), (0,))
            place = asm.place(Output(bits=kind.index_type.bit_width, like=str(kind.index_type)))
            asm.store(_STORES[kind.index_type.bit_width], (number,), (place,))
            return _Dictionary(kind, place, _bits(asm, both(asm, there, asm.value(op.NOT, (unnamed,)))), texts)
        case Label(number, texts):
            sizes, room = text_tables(asm, texts)
            first = asm.place(Output(bits=32))
            asm.place(Output(more=max((1, *(len(text.encode()) for text in texts)))))
            bits = asm.place(Output(bits=1, cleared=True))
            asm.store(op.STORE_LABEL, (number, there), (first, sizes, len(texts), room))
            return _Bytes(kind, first, bits)
        case Flags(number, bits) if pa.types.is_dictionary(kind.value_type):
            place = asm.place(Output(bits=64, like="uint64"))
            asm.store(op.STORE_8, (number,), (place,))
            return _FlagLists(kind, place, None if there == op.ONES else _bits(asm, there), bits)
        case Flags(number, bits):
            texts = tuple(text for text, _ in bits)
            masks = asm.place(bit_table(tuple(bit for _, bit in bits)))
            _, room = text_tables(asm, texts)
            first = asm.place(Output(bits=32))
            asm.place(Output(bits=32, more=32 // 8 * len(bits)))
            asm.place(Output(more=sum(len(text.encode()) for text in texts)))
            every = 0
            for _, bit in bits:
                every |= bit
            numbers = (first, masks, len(bits), room, wrapped(every))
            asm.store(op.STORE_FLAGS, (number, there), numbers)
            return _TextLists(kind, first, valid)
        case NoItems():
            return _NoItems(kind, valid)
        case Listed(listings):
            for listing in listings:
                listing.kind = kind.value_type
            return ItemLists(kind, tuple(listing.place for listing in listings), valid)
        case Struct(fields):
            return _Substruct(kind, tuple(_field(asm, each, fields, there) for each in kind), valid)
    raise NoProgramError("values of this type")


def _octets(asm: Assembler, start: int, stop: int, where: int) -> int:
    """The outputs for bytes of the rows ``where`` the mask is set: offsets, at the place returned, and bytes."""
    first = asm.place(Output(bits=32))
    asm.place(Output(holds=True))
    asm.store(op.STORE_BYTES, (start, stop, where), (first,))
    return first


def _field(asm: Assembler, field: pa.Field, fields: Mapping[str, Datum], where: int) -> Column:
    with asm.field(field.name):
        return column(asm, field.type, fields.get(field.name), where)


def _fixed(asm: Assembler, kind: pa.DataType, number: Number, valid: int | None) -> Column:
    register = (number.register,)
    if pa.types.is_boolean(kind):
        if not number.truth:
            raise NoProgramError("values of this type")
        return _Fixed(kind, _bits(asm, number.register), valid)
    if number.double is not None and pa.types.is_float64(kind):
        place = asm.place(Output(bits=64, like="int64"))
        asm.store(op.STORE_8, register, (place,))
        return _Doubles(place, valid, number.double, number.most >= WORD)
    if (
        pa.types.is_floating(kind) != bool(number.floating)
        or number.double is not None
        or (number.parts > 1 and not pa.types.is_decimal(kind))
    ):
        raise NoProgramError("values of this type")
    place = asm.place(Output(bits=kind.bit_width, like=str(kind)))
    if pa.types.is_decimal(kind):
        if kind.bit_width != 128 or 10**kind.scale != number.parts:
            raise NoProgramError("values of this type")
        asm.store(op.STORE_SIGNED if number.least < 0 else op.STORE_UNSIGNED, register, (place,))
        return _Fixed(kind, place, valid)
    if number.floating and 8 * number.floating != kind.bit_width:
        raise NoProgramError("values of this type")
    asm.store(_STORES[kind.bit_width], register, (place,))
    return _Fixed(kind, place, valid)


_STORES = {8: op.STORE_1, 16: op.STORE_2, 32: op.STORE_4, 64: op.STORE_8}


def _bits(asm: Assembler, mask: int) -> int:
    """A mask as an output, which all columns share that ask for it."""
    for each in asm.outputs:
        if each.kind == op.STORE_BIT and each.reads == (mask,):
            return each.numbers[0]
    place = asm.place(Output(bits=1, cleared=True))
    asm.store(op.STORE_BIT, (mask,), (place,))
    return place
