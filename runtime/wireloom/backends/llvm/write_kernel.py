"""The interpreter loop of programs that write records: ``kernel`` with the instructions of ``write_opcodes``."""

from collections.abc import Callable
from functools import cache

from wireloom.backends.llvm import kernel
from wireloom.backends.llvm.address_texts import unspelled
from wireloom.backends.llvm.tiles import TILE, Amounts, Instructions, Registers
from wireloom.buffers import Array
from wireloom.loops import accel
from wireloom.loops.memcpy import copy_all, fill
from wireloom.loops.memory import (
    i8,
    put1,
    put2,
    put2_big,
    put4,
    put4_big,
    put8,
    put8_big,
    shifted,
    u1,
    u2,
    u4,
)
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op


def run(
    code: Instructions,
    size: int,
    registers: Registers,
    rows: Array,
    place: Array,
    ends: Array,
    sound: int,
    out: Array,
    written: Amounts,
    safe: int,
    begin: int,
    end: int,
) -> None:
    """Follow a program for the ``rows`` of a table from number ``begin`` to before ``end``, and write their records to
    memory.

    In ``ends`` is the address where the first row's record begins, and behind it where each row's record ends. At
    ``sound``, too, is a byte for each row of the table. Other arguments are as in ``kernel.run``.
    """
    for first in range(begin, end, TILE):
        count = min(TILE, end - first)
        for i in range(count):
            registers[op.START, i] = ends[rows[first + i]]
            registers[op.STOP, i] = ends[rows[first + i] + 1]
            registers[op.SOUND, i] = 1
            registers[op.ONES, i] = 1
        at = 0
        while at < size:
            kind = code[at, 0]
            at += 1
            if kind == op.SKIP:
                if not kernel.any_set(registers[code[at - 1, 1]], count):
                    at += code[at - 1, 2]
            elif kind == op.REPEAT:
                if kernel.goes_on(registers[code[at - 1, 1]], registers[op.SOUND], count):
                    at -= code[at - 1, 2] + 1
            else:
                step(kind, code[at - 1], count, rows[first:], place[first:], registers, out, written, safe)
        for i in range(count):
            put1(sound + rows[first + i], registers[op.SOUND, i])


def step(
    kind: int,
    code: Array,
    count: int,
    rows: Array,
    place: Array,
    registers: Registers,
    out: Array,
    written: Amounts,
    safe: int,
) -> None:
    """Follow an instruction."""
    if kind == write_op.WRITE_SPELLED:
        _write_spelled(code, count, registers)
    elif kind >= write_op.WRITE:
        _write(kind, code, count, registers)
    elif kind >= write_op.ROW:
        _given(kind, code, count, rows, registers, out)
    else:
        kernel.step(kind, code, count, place, registers, out, written, safe, 0)


def _given(kind: int, code: Array, count: int, rows: Array, registers: Registers, out: Array) -> None:
    """What is in the columns of the table."""
    d = registers[code[1]]
    if kind == write_op.ROW:
        for i in range(count):
            d[i] = rows[i]
    elif kind == write_op.COLUMN:
        a, data, size, step = registers[code[2]], out[code[3]], code[4], code[5]
        if size == 8:
            for i in range(count):
                d[i] = i8(data + step * a[i])
        elif size == 4:
            for i in range(count):
                d[i] = u4(data + step * a[i])
        elif size == 2:
            for i in range(count):
                d[i] = u2(data + step * a[i])
        else:
            for i in range(count):
                d[i] = u1(data + step * a[i])
    elif kind == write_op.BIT:
        a, bits, first = registers[code[2]], out[code[3]], out[code[3] + 1]
        for i in range(count):
            place = first + a[i]
            d[i] = u1(bits + (place >> 3)) >> (place & 7) & 1
    elif kind == write_op.SPAN:
        e, a, offsets, data = registers[code[2]], registers[code[3]], out[code[4]], out[code[4] + 1]
        for i in range(count):
            d[i] = data + u4(offsets + 4 * a[i])
            e[i] = data + u4(offsets + 4 * a[i] + 4)
    elif kind == write_op.COUNT:
        a, offsets = registers[code[2]], out[code[3]]
        for i in range(count):
            d[i] = u4(offsets + 4 * a[i] + 4) - u4(offsets + 4 * a[i])
    elif kind == write_op.CONSTANT:
        e, data, size = registers[code[2]], out[code[3]], code[4]
        for i in range(count):
            d[i] = data
            e[i] = data + size
    elif kind == write_op.DIGITS_SIZE:
        a, base, least = registers[code[2]], code[3], code[4]
        for i in range(count):
            d[i] = max(_digits_size(a[i], base), least)
    else:
        a = registers[code[2]]
        for i in range(count):
            d[i] = _varint_size(a[i], code[3])


def _write(kind: int, code: Array, count: int, registers: Registers) -> None:
    """Write into records."""
    a, b, c = registers[code[1]], registers[code[2]], registers[code[3]]
    if kind == write_op.WRITE:
        _write_number(code[5], code[6] != 0, a, b, c, code[4], count)
    elif kind == write_op.WRITE_VARINT:
        for i in range(count):
            if c[i] != 0:
                _put_varint(b[i] + code[4], a[i], code[5])
    elif kind == write_op.WRITE_DIGITS:
        d = registers[code[4]]
        for i in range(count):
            if d[i] != 0:
                _write_digits(a[i], b[i], c[i], code[5], code[6])
    elif kind == write_op.PAD:
        for i in range(count):
            if c[i] != 0:
                fill(a[i], b[i], code[4])
    else:
        d, n = registers[code[4]], code[5]
        for i in range(count):
            if d[i] != 0:
                copy_all(c[i] + n, a[i], b[i] - a[i])


def _write_spelled(code: Array, count: int, registers: Registers) -> None:
    """Write the bytes that texts spell."""
    a, b, c, f = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
    good = registers[op.SOUND]
    for i in range(count):
        if f[i] & good[i]:
            good[i] = 1 if unspelled(c[i] + code[5], a[i], b[i], code[6]) else 0


def _varint_size(value: int, form: int) -> int:
    """How many bytes a number has in a form of variable length."""
    if form == op.QUIC:
        return 1 if shifted(value, 6) == 0 else 2 if shifted(value, 14) == 0 else 4 if shifted(value, 30) == 0 else 8
    size, rest = 1, shifted(value ^ value >> 63, 6) if form == op.SIGNED_LEB128 else shifted(value, 7)
    while rest != 0:
        size, rest = size + 1, shifted(rest, 7)
    return size


def _put_varint(at: int, value: int, form: int) -> None:
    """Write a number in a form of variable length."""
    size = _varint_size(value, form)
    for i in range(size):
        behind = size - 1 - i
        if form == op.QUIC:
            length = 0 if size == 1 else 1 if size == 2 else 2 if size == 4 else 3
            put1(at + i, value >> 8 * behind | (length << 6 if i == 0 else 0))
        else:
            low = 7 * (behind if form == op.VLQ else i)
            group = value >> low if form == op.SIGNED_LEB128 else shifted(value, low)
            put1(at + i, group & 0x7F | (0x80 if behind > 0 else 0))


def _digits_size(number: int, base: int) -> int:
    size = 1
    if number < 0:
        size, number = 2, -number
    while number >= base:
        size, number = size + 1, number // base
    return size


def _write_digits(number: int, begin: int, end: int, base: int, capital: int) -> None:
    if number < 0 and begin < end:
        put1(begin, 45)
        begin, number = begin + 1, -number
    while end > begin:
        end -= 1
        digit = number % base
        put1(end, digit + (48 if digit < 10 else 55 if capital else 87))
        number //= base


def _write_number(size: int, big: bool, a: Array, b: Array, c: Array, n: int, count: int) -> None:
    if size == 8:
        for i in range(count):
            if c[i] != 0:
                put8_big(b[i] + n, a[i]) if big else put8(b[i] + n, a[i])
    elif size == 4:
        for i in range(count):
            if c[i] != 0:
                put4_big(b[i] + n, a[i]) if big else put4(b[i] + n, a[i])
    elif size == 2:
        for i in range(count):
            if c[i] != 0:
                put2_big(b[i] + n, a[i]) if big else put2(b[i] + n, a[i])
    else:
        for i in range(count):
            if c[i] != 0:
                for byte in range(size):
                    put1(b[i] + n + (size - 1 - byte if big else byte), a[i] >> 8 * byte)


@cache
def compiled() -> Callable[..., int]:
    """``run``, compiled."""
    return accel.compiled(run)
