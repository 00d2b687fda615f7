"""The numpy back end for programs that write records, with the instructions of ``write_opcodes``."""

import ctypes

import numpy as np

from wireloom.backends.numpy.reader import METHODS
from wireloom.backends.numpy.tile import (
    ADDRESSED,
    FIRST_ADDRESS,
    Methods,
    Tile,
    addressed,
    mask_of,
    memory,
    number_of,
)
from wireloom.buffers import Array, ragged
from wireloom.codec.meanings import read_back
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.values import MEANINGS

_NUMBERS = {(size, big): addressed(("<i", ">i")[big] + str(size)) for size in (2, 4, 8) for big in (False, True)}


class WrittenTile(Tile):
    """Some rows of a table while a program writes their records. ``numbers`` are theirs in the table."""

    def __init__(self, numbers: Array, ends: Array, place: Array, out: Array, written: Array, safe: int) -> None:
        super().__init__(ends[numbers], ends[numbers + 1], place, out, written, safe, 0)
        self.numbers = numbers

    def row(self, d: int) -> None:
        self.registers[d] = self.numbers

    def column(self, d: int, a: int, n: int, size: int, step: int) -> None:
        rows, at = number_of(self.registers[a]), int(self.out[n])
        kind = {1: "u1", 2: "<u2", 4: "<u4", 8: "<i8"}[size]
        last = int(rows.max(initial=-1)) + 1
        values = np.ndarray((last,), kind, memory(at, last * step + size, "u1"), strides=(step,)) if last else rows
        self.registers[d] = values[rows].astype(np.int64) if last else rows

    def bit(self, d: int, a: int, n: int) -> None:
        place = number_of(self.registers[a]) + int(self.out[n + 1])
        octets = ADDRESSED["u1"][(place >> 3) + (int(self.out[n]) - FIRST_ADDRESS)]
        self.registers[d] = (octets >> (place & 7) & 1).astype(bool)

    def span(self, d: int, e: int, a: int, n: int) -> None:
        begin, end = self._offsets(a, n)
        self.registers[d], self.registers[e] = int(self.out[n + 1]) + begin, int(self.out[n + 1]) + end

    def item_count(self, d: int, a: int, n: int) -> None:
        begin, end = self._offsets(a, n)
        self.registers[d] = end - begin

    def _offsets(self, a: int, n: int) -> tuple[Array, Array]:
        rows = number_of(self.registers[a])
        offsets = memory(self.out[n], int(rows.max(initial=-1)) + 2, "<u4")
        return offsets[rows].astype(np.int64), offsets[rows + 1].astype(np.int64)

    def constant(self, d: int, e: int, n: int, size: int) -> None:
        self.registers[d], self.registers[e] = self.out[n], self.out[n] + size

    def varint_size(self, d: int, a: int, form: int) -> None:
        self.registers[d] = _varint_size(number_of(self.registers[a]), form)

    def digits_size(self, d: int, a: int, base: int, least: int) -> None:
        value = number_of(self.registers[a])
        size, rest = np.where(value < 0, 2, 1), np.abs(value) // base
        while (more := rest > 0).any():
            size, rest = size + more, rest // base
        self.registers[d] = np.maximum(size, least)

    def write(self, a: int, b: int, c: int, offset: int, size: int, big: int) -> None:
        rows = self._written(c)
        value, at = self.values(a, rows), self.values(b, rows) + (offset - FIRST_ADDRESS)
        if (numbers := _NUMBERS.get((size, big != 0))) is not None:
            numbers[at] = value
        else:
            for byte in range(size):
                ADDRESSED["u1"][at + (size - 1 - byte if big else byte)] = (value >> 8 * byte).astype(np.uint8)

    def write_varint(self, a: int, b: int, c: int, offset: int, form: int) -> None:
        rows = self._written(c)
        value = self.values(a, rows)
        at, size = self.values(b, rows) + (offset - FIRST_ADDRESS), _varint_size(value, form)
        if form == op.QUIC:
            value = value | np.log2(size).astype(np.int64) << 8 * size - 2
        value = value if form == op.SIGNED_LEB128 else value.astype(np.uint64)
        place = 0
        while len(at):
            behind = size - 1 - place
            low = 8 * behind if form == op.QUIC else 7 * (behind if form == op.VLQ else np.full_like(size, place))
            octet = (value >> low.astype(value.dtype)).astype(np.uint8)
            if form != op.QUIC:
                octet = octet & 0x7F | np.where(behind, 0x80, 0).astype(np.uint8)
            ADDRESSED["u1"][at] = octet
            more, place = behind > 0, place + 1
            at, value, size = at[more] + 1, value[more], size[more]

    def write_digits(self, a: int, b: int, c: int, f: int, base: int, capital: int) -> None:
        rows = self._written(f)
        number, begin, end = (self.values(each, rows) for each in (a, b, c))
        begin, end = begin - FIRST_ADDRESS, end - FIRST_ADDRESS
        negative = (number < 0) & (begin < end)
        ADDRESSED["u1"][begin[negative]] = ord("-")
        begin, number = begin + negative, np.abs(number)
        while (left := begin < end).any():
            begin, end, number = begin[left], end[left] - 1, number[left]
            digit = number % base
            ADDRESSED["u1"][end] = digit + np.where(digit < 10, ord("0"), ord("A" if capital else "a") - 10)
            number //= base

    def copy(self, a: int, b: int, c: int, d: int, offset: int) -> None:
        rows = self._written(d)
        start, stop, to = (self.values(each, rows) - FIRST_ADDRESS for each in (a, b, c))
        sizes = stop - start
        ADDRESSED["u1"][ragged(to + offset, sizes)] = ADDRESSED["u1"][ragged(start, sizes)]

    def write_spelled(self, a: int, b: int, c: int, f: int, offset: int, way: int) -> None:
        self.forget()
        rows, meaning = self.wanted(f), MEANINGS[way]
        start, stop, to = (self.values(each, rows).tolist() for each in (a, b, c))
        good = np.ones(len(rows), bool)
        for number, (begin, end, place) in enumerate(zip(start, stop, to, strict=True)):
            octets = read_back(meaning, ctypes.string_at(begin, end - begin))
            good[number] = octets is not None
            if octets is not None:
                ctypes.memmove(place + offset, octets, len(octets))
        self.sound_where(rows, good)

    def pad(self, a: int, b: int, c: int, byte: int) -> None:
        rows = self._written(c)
        start = self.values(a, rows)
        ADDRESSED["u1"][ragged(start - FIRST_ADDRESS, np.maximum(self.values(b, rows) - start, 0))] = byte

    def _written(self, when: int) -> Array:
        """The rows in which a mask is set. What was read of their bytes is no longer there."""
        self.forget()
        return self.rows(mask_of(self.registers[when]))


WRITING_METHODS: Methods = {
    **METHODS,
    write_op.ROW: WrittenTile.row,
    write_op.COLUMN: WrittenTile.column,
    write_op.BIT: WrittenTile.bit,
    write_op.SPAN: WrittenTile.span,
    write_op.COUNT: WrittenTile.item_count,
    write_op.CONSTANT: WrittenTile.constant,
    write_op.VARINT_SIZE: WrittenTile.varint_size,
    write_op.DIGITS_SIZE: WrittenTile.digits_size,
    write_op.WRITE: WrittenTile.write,
    write_op.WRITE_VARINT: WrittenTile.write_varint,
    write_op.WRITE_DIGITS: WrittenTile.write_digits,
    write_op.COPY: WrittenTile.copy,
    write_op.WRITE_SPELLED: WrittenTile.write_spelled,
    write_op.PAD: WrittenTile.pad,
}


def _varint_size(value: Array, form: int) -> Array:
    """How many bytes numbers have in a form of variable length."""
    if form == op.QUIC:
        unsigned, widths = value.astype(np.uint64), np.array([6, 14, 30], np.uint64)
        found: Array = 1 << (unsigned[..., None] >> widths != 0).sum(axis=-1)
        return found
    bits = 6 if form == op.SIGNED_LEB128 else 7
    unsigned = (value ^ value >> 63 if form == op.SIGNED_LEB128 else value).astype(np.uint64)
    size = np.ones_like(value)
    for place in range(9):
        size += unsigned >> np.uint64(bits + 7 * place) != 0
    return size
