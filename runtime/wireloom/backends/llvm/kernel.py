"""The loop that follows programs, one tile of rows after another.

An instruction works on all rows of a tile before the next one does, as numpy would, but the registers stay in the
processor's cache. It is compiled once, for all protocols. As plain Python, tests and debuggers walk through it.
"""

from collections.abc import Callable
from functools import cache

from wireloom.backends.llvm.address_texts import spelled
from wireloom.backends.llvm.tiles import TILE, Amounts, Instructions, Registers
from wireloom.buffers import Array
from wireloom.loops import accel
from wireloom.loops.crc_loops import behind
from wireloom.loops.memcpy import copy
from wireloom.loops.memory import (
    i8,
    i8_big,
    move32,
    put1,
    put2,
    put4,
    put8,
    shifted,
    u1,
    u2,
    u2_big,
    u4,
    u4_big,
)
from wireloom.loops.unsnappy import unsnappy
from wireloom.programs import escapes
from wireloom.programs import opcodes as op


def run(
    code: Instructions,
    size: int,
    start: Array,
    stop: Array,
    place: Array,
    records: int,
    sound: int,
    registers: Registers,
    out: Array,
    written: Amounts,
    safe: int,
    end: int,
) -> None:
    """Follow a program of ``size`` instructions.

    Its ``records`` are at the addresses from ``start`` to ``stop``. Theirs are the rows ``place`` of the outputs, which
    ascend; at ``sound`` is written which are sound, a byte each. ``out`` has addresses of outputs and tables,
    ``written`` how much of each output is written: bytes or items, and rows. At ``safe`` are zeros, ``end`` is the end
    of the bytes that may be read.
    """
    for first in range(0, records, TILE):
        count = min(TILE, records - first)
        for i in range(count):
            registers[op.START, i] = start[first + i]
            registers[op.STOP, i] = stop[first + i]
            registers[op.SOUND, i] = 1
            registers[op.ONES, i] = 1
        tile(code, size, count, place[first:], registers, out, written, safe, end)
        for i in range(count):
            put1(sound + first + i, registers[op.SOUND, i])


def any_set(mask: Array, count: int) -> bool:
    """Whether a mask is set in any of the first ``count`` rows."""
    i = 0
    while i < count and mask[i] == 0:
        i += 1
    return i < count


def goes_on(mask: Array, good: Array, count: int) -> bool:
    """Whether a loop takes another turn: where a mask is set in sound rows."""
    going = 0
    for i in range(count):
        going |= mask[i] & good[i]
    return going != 0


def tile(
    code: Instructions,
    size: int,
    count: int,
    place: Array,
    registers: Registers,
    out: Array,
    written: Amounts,
    safe: int,
    end: int,
) -> None:
    """Follow a program for ``count`` rows, whose first registers are set."""
    at = 0
    while at < size:
        kind = code[at, 0]
        at += 1
        if kind == op.SKIP:
            if not any_set(registers[code[at - 1, 1]], count):
                at += code[at - 1, 2]
        elif kind == op.REPEAT:
            if goes_on(registers[code[at - 1, 1]], registers[op.SOUND], count):
                at -= code[at - 1, 2] + 1
        else:
            step(kind, code[at - 1], count, place, registers, out, written, safe, end)


def step(
    kind: int,
    code: Array,
    count: int,
    place: Array,
    registers: Registers,
    out: Array,
    written: Amounts,
    safe: int,
    end: int,
) -> None:
    """Follow an instruction."""
    good = registers[op.SOUND]
    if kind < op.LOAD_1:
        _compute(kind, code, count, registers, out)
    elif kind < op.NEED:
        _load(kind, code, count, registers)
    elif kind < op.GIVEN:
        _judge(kind, code, count, registers, out, good, safe)
    elif kind < op.UNPACK:
        _store(kind, code, count, place, registers, out)
    elif kind < op.STORE_BYTES:
        _change(kind, code, count, registers, out, written, good, safe, end)
    else:
        _append(kind, code, count, place, registers, out, written, good, end)


def _compute(kind: int, code: Array, count: int, registers: Registers, out: Array) -> None:
    d = registers[code[1]]
    if kind == op.NUMBER:
        for i in range(count):
            d[i] = code[2]
        return
    a = registers[code[2]]
    if kind <= op.LESS_EQUAL:
        b = registers[code[3]]
        if kind == op.ADD:
            for i in range(count):
                d[i] = a[i] + b[i]
        elif kind == op.SUBTRACT:
            for i in range(count):
                d[i] = a[i] - b[i]
        elif kind == op.MULTIPLY:
            for i in range(count):
                d[i] = a[i] * b[i]
        elif kind == op.DIVIDE:
            for i in range(count):
                d[i] = a[i] // b[i] if b[i] != 0 else 0
        elif kind == op.MODULO:
            for i in range(count):
                d[i] = a[i] % b[i] if b[i] != 0 else 0
        elif kind == op.AND:
            for i in range(count):
                d[i] = a[i] & b[i]
        elif kind == op.OR:
            for i in range(count):
                d[i] = a[i] | b[i]
        elif kind == op.XOR:
            for i in range(count):
                d[i] = a[i] ^ b[i]
        elif kind == op.SHIFT_LEFT:
            for i in range(count):
                d[i] = a[i] << b[i]
        elif kind == op.SHIFT_RIGHT:
            for i in range(count):
                d[i] = a[i] >> b[i]
        elif kind == op.EQUAL:
            for i in range(count):
                d[i] = 1 if a[i] == b[i] else 0
        elif kind == op.LESS:
            for i in range(count):
                d[i] = 1 if a[i] < b[i] else 0
        else:
            for i in range(count):
                d[i] = 1 if a[i] <= b[i] else 0
    elif kind == op.ADD_NUMBER:
        for i in range(count):
            d[i] = a[i] + code[3]
    elif kind == op.MULTIPLY_NUMBER:
        for i in range(count):
            d[i] = a[i] * code[3]
    elif kind == op.AND_NUMBER:
        for i in range(count):
            d[i] = a[i] & code[3]
    elif kind == op.EQUAL_NUMBER:
        for i in range(count):
            d[i] = 1 if a[i] == code[3] else 0
    elif kind == op.LESS_NUMBER:
        for i in range(count):
            d[i] = 1 if a[i] < code[3] else 0
    elif kind == op.MORE_NUMBER:
        for i in range(count):
            d[i] = 1 if a[i] > code[3] else 0
    elif kind == op.NOT:
        for i in range(count):
            d[i] = 1 - a[i]
    elif kind == op.CHOOSE:
        b, c = registers[code[3]], registers[code[4]]
        for i in range(count):
            d[i] = b[i] if a[i] != 0 else c[i]
    elif kind == op.LOOK_UP:
        table, size = out[code[3]], code[4]
        for i in range(count):
            d[i] = u4(table + 4 * a[i]) if 0 <= a[i] < size else -1
    elif kind == op.SIGN:
        high = 1 << code[3] - 1
        for i in range(count):
            d[i] = (a[i] & high + high - 1 ^ high) - high


def _load(kind: int, code: Array, count: int, registers: Registers) -> None:
    d, a, n = registers[code[1]], registers[code[2]], code[3]
    if kind == op.LOAD_1:
        for i in range(count):
            d[i] = u1(a[i] + n)
    elif kind == op.LOAD_2:
        for i in range(count):
            d[i] = u2(a[i] + n)
    elif kind == op.LOAD_2_BIG:
        for i in range(count):
            d[i] = u2_big(a[i] + n)
    elif kind == op.LOAD_4:
        for i in range(count):
            d[i] = u4(a[i] + n)
    elif kind == op.LOAD_4_BIG:
        for i in range(count):
            d[i] = u4_big(a[i] + n)
    elif kind == op.LOAD_8:
        for i in range(count):
            d[i] = i8(a[i] + n)
    elif kind == op.LOAD_8_BIG:
        for i in range(count):
            d[i] = i8_big(a[i] + n)
    else:
        size, big = code[4], code[5]
        for i in range(count):
            value = 0
            for byte in range(size):
                value = value << 8 | u1(a[i] + n + (byte if big else size - 1 - byte))
            d[i] = value


def _judge(kind: int, code: Array, count: int, registers: Registers, out: Array, good: Array, safe: int) -> None:
    if kind == op.NEED:
        d, a, b, c = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        n = code[5]
        for i in range(count):
            fits = c[i] & good[i] & (1 if a[i] + n <= b[i] else 0)
            good[i] = good[i] & (fits | (1 - c[i]))
            d[i] = a[i] if fits != 0 else safe
    elif kind == op.TAKE:
        d, e = registers[code[1]], registers[code[2]]
        a, b, c, f = registers[code[3]], registers[code[4]], registers[code[5]], registers[code[6]]
        for i in range(count):
            fits = f[i] & good[i] & (1 if 0 <= b[i] <= c[i] - a[i] else 0)
            good[i] = good[i] & (fits | (1 - f[i]))
            begin, size = a[i], b[i]
            d[i] = begin if fits != 0 else safe
            e[i] = begin + size if fits != 0 else safe
    elif kind == op.VARINT:
        d, e = registers[code[1]], registers[code[2]]
        a, b, c = registers[code[3]], registers[code[4]], registers[code[5]]
        for i in range(count):
            value, size = 0, 0
            if c[i] & good[i]:
                value, size = _varint(a[i], b[i], code[6], code[7])
                good[i] = 1 if size > 0 else 0
            e[i] = a[i] + size if c[i] & good[i] else safe
            d[i] = value
    elif kind == op.FIND:
        d, a, b, c = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        for i in range(count):
            if c[i] & good[i]:
                d[i] = _found(a[i], b[i], code[5], code[6], code[8])
                if d[i] + code[6] > b[i]:
                    d[i] = b[i]
                    good[i] = 1 - code[7]
            if c[i] & good[i] == 0:
                d[i] = safe
    elif kind == op.CHECK:
        a, b = registers[code[1]], registers[code[2]]
        for i in range(count):
            good[i] = good[i] & (a[i] | (1 - b[i]))
    elif kind == op.CHECK_TEXT:
        a, b, c = registers[code[1]], registers[code[2]], registers[code[3]]
        for i in range(count):
            if c[i] & good[i] and not _is_text(a[i], b[i], code[4]):
                good[i] = 0
    elif kind == op.CHECK_BYTES:
        a, b, c, d = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        f = registers[code[5]]
        for i in range(count):
            if f[i] & good[i] and not _are_same(a[i], b[i], c[i], d[i]):
                good[i] = 0
    elif kind == op.CRC:
        d, a, b = registers[code[1]], registers[code[2]], registers[code[3]]
        for i in range(count):
            d[i] = behind(code[5], a[i], b[i], out[code[4]], out[code[6]] * code[7])
    elif kind == op.DIGITS:
        d, a, b, c = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        for i in range(count):
            d[i] = 0
            if c[i] & good[i]:
                d[i] = _number(a[i], b[i], code[5], code[6], code[7])
                good[i] = 1 if d[i] != _NO_NUMBER else 0
    elif kind == op.SAME:
        d, a, b = registers[code[1]], registers[code[2]], registers[code[3]]
        for i in range(count):
            d[i] = 1 if _are_same(a[i], b[i], out[code[4]], out[code[4]] + code[5]) else 0
    elif kind == op.TRIM:
        d, a, b, c = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        for i in range(count):
            d[i] = _trimmed(a[i], b[i], code[5], code[6]) if c[i] & good[i] else a[i]
    elif kind == op.SUM:
        d, a, b, c = registers[code[1]], registers[code[2]], registers[code[3]], registers[code[4]]
        for i in range(count):
            d[i] = _total(a[i], b[i], code[5], code[6], code[7]) if c[i] & good[i] else 0


_LOW = (1 << 56) - 1


def _varint(at: int, limit: int, bits: int, form: int) -> tuple[int, int]:
    """The number of variable length at a place, and how many bytes it has: none if it is not as it must be."""
    if form == op.QUIC:
        value, size = _quic(at, limit, bits)
        return value, size
    value, size, byte, last, lost = 0, 0, 0x80, 0, 0
    while byte >= 0x80 and at + size < limit and size < 10:
        last, byte = byte, u1(at + size)
        if form == op.VLQ:
            lost |= shifted(value, 57)
            value = (value & _LOW) << 7 | byte & 0x7F | -(value >> 56 & 1) << 63
        elif size < 9:
            value |= (byte & 0x7F) << 7 * size
        else:
            value |= -(byte & 1) << 63
        size += 1
    good = byte < 0x80
    if form == op.SIGNED_LEB128:
        if byte & 0x40 != 0 and size < 10:
            value |= -1 << 7 * size
        good = good and (size == 1 or byte != (0x7F if last & 0x40 != 0 else 0))
        good = good and (size < 10 or byte == 0 or byte == 0x7F) and value >> bits - 1 == value >> 63
    else:
        if form == op.VLQ:
            good = good and u1(at) != 0x80 and lost == 0
        else:
            good = good and (size == 1 or byte != 0) and (size < 10 or byte == 1)
        good = good and (bits == 64 or shifted(value, bits) == 0)
    return value, size if good else 0


def _quic(at: int, limit: int, bits: int) -> tuple[int, int]:
    """The same for the form of QUIC, in which the two highest bits say how many bytes there are."""
    size = 1 << (u1(at) >> 6) if at < limit else 0
    if size == 0 or at + size > limit:
        return 0, 0
    value = u1(at) & 0x3F
    for i in range(1, size):
        value = value << 8 | u1(at + i)
    shortest = size == 1 or value >> 4 * size - 2 != 0
    return value, size if shortest and value >> bits == 0 else 0


_NO_NUMBER = -(1 << 62)


def _number(at: int, stop: int, base: int, least: int, form: int) -> int:
    """The number that characters are in the one form in which it is written; ``_NO_NUMBER`` if they are none."""
    sign, size, value = 1, stop - at, 0
    if form & 1 and at < stop and u1(at) == 45:
        sign = -1
        at += 1
    if at >= stop or size < least or stop - at > op.MOST_DIGITS or (u1(at) == 48 and size != least):
        return _NO_NUMBER
    while at < stop:
        byte = u1(at)
        digit = byte - 48
        if byte >= 58:
            digit = byte - (55 if form & 2 else 87)
            if digit < 10:
                return _NO_NUMBER
        if digit < 0 or digit >= base:
            return _NO_NUMBER
        value = value * base + digit
        at += 1
    return _NO_NUMBER if sign < 0 and value == 0 else sign * value


def _found(at: int, stop: int, wanted: int, size: int, unit: int) -> int:
    """Where some bytes begin, a multiple of ``unit`` behind ``at``, or how far they were sought."""
    while at + size <= stop:
        same = 0
        while same < size and u1(at + same) == wanted >> 8 * same & 0xFF:
            same += 1
        if same == size:
            break
        at += unit
    return at


def _trimmed(at: int, stop: int, padding: int, size: int) -> int:
    """Where the bytes that end at ``stop`` and are ``padding`` again and again begin."""
    same = size
    while stop - at >= size and same == size:
        same = 0
        while same < size and u1(stop - size + same) == padding >> 8 * same & 0xFF:
            same += 1
        if same == size:
            stop -= size
    return stop


_EXACT = 4096
"""Sums of so many bytes, and of their sums, are not too large."""


def _total(at: int, stop: int, modulus: int, initial: int, shift: int) -> int:
    """The sum of bytes, and of the sums after each byte, ``shift`` bits higher if that is not 0."""
    low, high = initial, 0
    while at < stop:
        end = min(stop, at + _EXACT)
        while at < end:
            low += u1(at)
            high += low
            at += 1
        low, high = low % modulus, high % modulus
    return high << shift | low if shift != 0 else low


def _are_same(at: int, stop: int, other: int, end: int) -> bool:
    """Whether some bytes are those from ``other`` to before ``end``."""
    if stop - at != end - other:
        return False
    while at + 8 <= stop and i8(at) == i8(other):
        at, other = at + 8, other + 8
    if at + 8 <= stop:
        return False
    while at < stop and u1(at) == u1(other):
        at, other = at + 1, other + 1
    return at == stop


_HIGH = -0x7F7F7F7F7F7F7F80
"""The highest bit of each byte, in two's complement."""


def _is_text(at: int, stop: int, is_ascii: int) -> bool:
    """Whether the bytes are UTF-8, or ASCII."""
    last = max(at, stop - 8)
    while at < last and i8(at) & _HIGH == 0:
        at += 8
    if at >= last and stop - last == 8 and i8(last) & _HIGH == 0:
        return True
    while at < stop:
        lead = u1(at)
        if lead < 0x80:
            at += 1
            continue
        if is_ascii != 0:
            return False
        further = 1 if 0xC2 <= lead < 0xE0 else 2 if 0xE0 <= lead < 0xF0 else 3 if 0xF0 <= lead < 0xF5 else 0
        if further == 0 or at + further >= stop:
            return False
        least = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        most = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        for _ in range(further):
            at += 1
            if not least <= u1(at) <= most:
                return False
            least, most = 0x80, 0xBF
        at += 1
    return True


def _store(kind: int, code: Array, count: int, place: Array, registers: Registers, out: Array) -> None:
    a, to = registers[code[1]], out[code[2]]
    if kind == op.GIVEN:
        for i in range(count):
            a[i] = i8(to + 8 * place[i])
    elif kind == op.STORE_1:
        for i in range(count):
            put1(to + place[i], a[i])
    elif kind == op.STORE_2:
        for i in range(count):
            put2(to + 2 * place[i], a[i])
    elif kind == op.STORE_4:
        for i in range(count):
            put4(to + 4 * place[i], a[i])
    elif kind == op.STORE_8:
        for i in range(count):
            put8(to + 8 * place[i], a[i])
    elif kind == op.STORE_UNSIGNED:
        for i in range(count):
            put8(to + 16 * place[i], a[i])
            put8(to + 16 * place[i] + 8, 0)
    elif kind == op.STORE_SIGNED:
        for i in range(count):
            put8(to + 16 * place[i], a[i])
            put8(to + 16 * place[i] + 8, a[i] >> 63)
    else:
        for i in range(count):
            byte = to + (place[i] >> 3)
            put1(byte, u1(byte) | (a[i] & 1) << (place[i] & 7))


def _change(
    kind: int,
    code: Array,
    count: int,
    registers: Registers,
    out: Array,
    written: Amounts,
    good: Array,
    safe: int,
    end: int,
) -> None:
    """Write what becomes of bytes to an output, as long as there is room."""
    d, e = registers[code[1]], registers[code[2]]
    a, b, c = registers[code[3]], registers[code[4]], registers[code[5]]
    n = code[7] if kind == op.MASK else code[6]
    used, room = written[n, 0], written[n, 1]
    for i in range(count):
        begin, stop = a[i], b[i]
        if c[i] & good[i]:
            size = 0
            if kind == op.UNPACK:
                size = unsnappy(begin, stop, out[n] + used, min(room - used, code[7]), end)
            elif kind == op.FILL:
                size = _filled(begin, stop, out[n] + used, room - used, code[7], end)
            elif kind == op.TRANSLATE:
                size = _translated(begin, stop, out[n] + used, room - used, out[code[7]])
            elif kind == op.UNESCAPE:
                size = _unescaped(begin, stop, out[n] + used, room - used, out[code[7]])
            elif kind == op.SPREAD:
                size = _spread(begin, stop, out[n] + used, room - used, code[7], code[8], code[9], code[10])
            else:
                size = _masked(begin, stop, out[n] + used, room - used, registers[code[6], i], code[8])
            good[i] = 1 if size >= 0 else 0
            begin = out[n] + used
            stop = begin + size
            used += max(size, 0)
        d[i] = begin if good[i] else safe
        e[i] = stop if good[i] else safe
    written[n, 0] = used


def _filled(at: int, stop: int, to: int, room: int, least: int, end: int) -> int:
    """Copy bytes, with zeros after them if they are fewer than ``least``. Returns how many are at ``to``, or -1 if they
    need more than ``room``. No byte behind ``end`` is read.
    """
    size = max(stop - at, least)
    if size > room:
        return -1
    copy(to, at, stop - at, end)
    for place in range(stop - at, size):
        put1(to + place, 0)
    return size


def _translated(at: int, stop: int, to: int, room: int, table: int) -> int:
    """Write what bytes stand for in a table. Returns how many bytes are at ``to``, or -1 if they need more than
    ``room``, or one stands for nothing.
    """
    size = 0
    while at < stop:
        known = u4(table + 4 * u1(at))
        if known < 1 << 24 or size + 3 > room:
            return -1
        put4(to + size, known)
        size += known >> 24
        at += 1
    return size


def _unescaped(at: int, stop: int, to: int, room: int, table: int) -> int:
    """Write what escaped bytes stand for. Returns how many bytes are at ``to``, or -1 if they might need more than
    ``room``, or would be escaped otherwise.
    """
    if stop - at > room:
        return -1
    kind = u4(table)
    if kind == escapes.PAIRS:
        return _unescaped_pairs(at, stop, to, table + 4)
    return _unescaped_cobs(at, stop, to) if kind == escapes.COBS else _synchronised(at, stop, to)


def _unescaped_pairs(at: int, stop: int, to: int, table: int) -> int:
    """The same for pairs, with the rest of the table."""
    size = 0
    while at < stop:
        byte = u1(at)
        kind = u4(table + 4 * byte)
        at += 1
        if kind == escapes.ESCAPE and at < stop:
            byte = u4(table + 4 * (256 + u1(at)))
            at += 1
            if byte == escapes.NO_CODE:
                return -1
        elif kind != escapes.PLAIN:
            return -1
        put1(to + size, byte)
        size += 1
    return size


def _unescaped_cobs(at: int, stop: int, to: int) -> int:
    """The same for COBS."""
    size = 0
    before = 0
    if at == stop:
        return -1
    while at < stop:
        count = u1(at)
        if count == 0 or at + count > stop or (count == 1 and before == 0xFF and at + 1 == stop):
            return -1
        for place in range(1, count):
            byte = u1(at + place)
            if byte == 0:
                return -1
            put1(to + size, byte)
            size += 1
        at += count
        if count < 0xFF and at < stop:
            put1(to + size, 0)
            size += 1
        before = count
    return size


def _synchronised(at: int, stop: int, to: int) -> int:
    """The same for bytes after unsynchronisation."""
    size = 0
    while at < stop:
        byte = u1(at)
        put1(to + size, byte)
        size += 1
        at += 1
        if byte == 0xFF:
            if at == stop or u1(at) >= 0xE0:
                return -1
            if u1(at) == 0:
                at += 1
                if at < stop and 0 < u1(at) < 0xE0:
                    return -1
    return size


def _spread(at: int, stop: int, to: int, room: int, bits: int, order: int, before: int, behind: int) -> int:
    """Write numbers of so many bits a byte each. Returns how many bytes are at ``to``, or -1 if they need more than
    ``room``, or bits are left over that are not 0.
    """
    some = 8 * (stop - at) - before - behind
    count = some // bits
    if count > room:
        return -1
    left = some - count * bits
    if left > 0:
        last = u1(stop - 1)
        if (last >> 8 - left if order & 1 != 0 else last & (1 << left) - 1) != 0:
            return -1
    bit, mask = before, (1 << bits) - 1
    for place in range(count):
        byte, shift, more = at + (bit >> 3), bit & 7, 0
        if shift + bits > 8:
            more = u1(byte + 1)
        code = u1(byte) << 8 | more
        code = code >> 16 - bits - shift
        if order & 1 != 0:
            code = (u1(byte) | more << 8) >> shift
        put1(to + (count - 1 - place if order & 2 != 0 else place), code & mask)
        bit += bits
    return count


def _masked(at: int, stop: int, to: int, room: int, key: int, size: int) -> int:
    """Write the XOR of bytes with the lowest of a key. Returns how many are at ``to``, or -1 if they need more than
    ``room``.
    """
    if stop - at > room:
        return -1
    for place in range(stop - at):
        put1(to + place, u1(at + place) ^ key >> 8 * (place % size))
    return stop - at


def _append(
    kind: int,
    code: Array,
    count: int,
    place: Array,
    registers: Registers,
    out: Array,
    written: Amounts,
    good: Array,
    end: int,
) -> None:
    if kind == op.STORE_BYTES:
        a, b, c = registers[code[1]], registers[code[2]], registers[code[3]]
        n = code[4]
        offsets, octets, size, rows = out[n], out[n + 1], written[n, 0], written[n, 1]
        for i in range(count):
            if c[i] & good[i] != 0 and a[i] < b[i]:
                rows = _fill(offsets, rows, place[i] + 1, size)
                copy(octets + size, a[i], b[i] - a[i], end)
                size += b[i] - a[i]
        written[n, 0], written[n, 1] = size, rows
    elif kind == op.STORE_SPELLED:
        a, b = registers[code[1]], registers[code[2]]
        n = code[3]
        offsets, octets, size, rows = out[n], out[n + 1], written[n, 0], written[n, 1]
        for i in range(count):
            if b[i] & good[i] != 0:
                rows = _fill(offsets, rows, place[i] + 1, size)
                size += spelled(octets + size, a[i], code[4])
        written[n, 0], written[n, 1] = size, rows
    elif kind == op.STORE_LABEL:
        a, b = registers[code[1]], registers[code[2]]
        n, m, known = code[3], code[4], code[5]
        offsets, octets, size, rows = out[n], out[n + 1], written[n, 0], written[n, 1]
        for i in range(count):
            if b[i] != 0 and 0 <= a[i] < known:
                rows = _fill(offsets, rows, place[i] + 1, size)
                size += _put(octets + size, out[m], out[m + 1], a[i], code[6])
                byte = out[n + 2] + (place[i] >> 3)
                put1(byte, u1(byte) | 1 << (place[i] & 7))
        written[n, 0], written[n, 1] = size, rows
    elif kind == op.STORE_LIST:
        a, b, c = registers[code[1]], registers[code[2]], registers[code[3]]
        n = code[4]
        starts, stops, rows_of, lists = out[n], out[n + 1], out[n + 2], written[n, 0]
        for i in range(count):
            if c[i] & good[i] != 0 and a[i] < b[i]:
                put8(starts + 8 * lists, a[i])
                put8(stops + 8 * lists, b[i])
                put8(rows_of + 8 * lists, place[i])
                lists += 1
        written[n, 0] = lists
    else:
        a, b = registers[code[1]], registers[code[2]]
        n, m, known, all_bits = code[3], code[4], code[5], code[7]
        ends, offsets, octets = out[n], out[n + 1], out[n + 2]
        items, rows, size = written[n, 0], written[n, 1], written[n + 1, 0]
        for i in range(count):
            if b[i] != 0 and a[i] & all_bits != 0:
                rows = _fill(ends, rows, place[i] + 1, items)
                for label in range(known):  # those that are not set are written over: the processor cannot guess them
                    there = 1 if a[i] & i8(out[m] + 8 * label) != 0 else 0
                    put4(offsets + 4 * items, size)
                    size += there * _put(octets + size, out[m + 1], out[m + 2], label, code[6])
                    items += there
        written[n, 0], written[n, 1], written[n + 1, 0] = items, rows, size


def _fill(to: int, at: int, end: int, number: int) -> int:
    """Write a number, in 4 bytes each, at the places from ``at`` to before ``end``. Returns the end."""
    stop = min(at + 8, end)
    while at < stop:
        put4(to + 4 * at, number)
        at += 1
    while at + 8 <= end:
        move32(to + 4 * at, to + 4 * at - 32)
        at += 8
    while at < end:
        put4(to + 4 * at, number)
        at += 1
    return end


def _put(to: int, sizes: int, texts: int, label: int, room: int) -> int:
    """Write the text of a label, and return its size. Each has ``room``, a multiple of 32 bytes. All of a small one is
    copied, whatever the size, so that nothing branches.
    """
    size = u4(sizes + 4 * label)
    for part in range(0, size if room > 64 else room, 32):
        move32(to + part, texts + room * label + part)
    return size


@cache
def compiled() -> Callable[..., int]:
    """``run``, compiled."""
    return accel.compiled(run)
