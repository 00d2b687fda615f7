"""Loops that are compiled: checksums, from record to record, and numbering and weaving values of Arrow arrays."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import numpy as np

from wireloom.buffers import Array
from wireloom.loops import accel
from wireloom.loops.crc_loops import FLIPPED, behind
from wireloom.loops.memcpy import copy_all
from wireloom.loops.memory import i8, i8_big, put1, put2, put4, put8, shifted, signed, u1, u2, u4

LengthTerms = tuple[int, Array, Array, Array, Array]
"""Lengths of records, for ``hops``: the place of the byte that selects one of them, the number of the one that each of
its values selects, their constants, where the terms of each begin, and all terms.
"""


def crc(buffer: Array, start: Array, stop: Array, tables: Array, register: int, *, flipped: bool) -> Array:
    """The reflected register behind each range of ``buffer``, whose bytes are ``flipped`` or not, as 64-bit integers.
    ``tables`` are those of ``sums.word_tables``.
    """
    found = np.empty(len(start), np.int64)
    base, flips = buffer.ctypes.data, FLIPPED.ctypes.data if flipped else 0
    _crc()(start + base, stop + base, len(start), tables.ctypes.data, signed(register), flips, found)
    return found


def crc_loop(starts: Array, stops: Array, count: int, tables: int, register: int, flips: int, found: Array) -> None:
    """See ``crc``."""
    for row in range(count):
        found[row] = behind(register, starts[row], stops[row], tables, flips)


@cache
def _crc() -> Callable[..., int]:
    return accel.compiled(crc_loop)


def registers(data: Array, table: Array, register: int) -> Array:
    """A CRC's reflected register after each byte; ``table`` has what one byte changes."""
    found = np.empty(len(data), table.dtype)
    bytes_of = np.ascontiguousarray(data)
    _registers()(
        bytes_of.ctypes.data, len(data), table.astype(np.uint64).view(np.int64), signed(register),
        found.ctypes.data, table.itemsize,
    )  # fmt: skip
    return found


def registers_loop(data: int, count: int, table: Array, register: int, found: int, size: int) -> None:
    """See ``registers``. The registers have ``size`` bytes each."""
    for at in range(count):
        register = table[(register ^ u1(data + at)) & 0xFF] ^ shifted(register, 8)
        _put(found + size * at, register, size)


@cache
def _registers() -> Callable[..., int]:
    return accel.compiled(registers_loop)


def passed(registers: Array, digits: Array, tables: Array) -> Array:
    """What each register becomes; ``tables`` have the effect of each of its bytes."""
    before, count = np.ascontiguousarray(registers), len(registers)
    found = np.empty(count, tables.dtype)
    _passed()(
        before.ctypes.data, before.itemsize, digits, count, tables.ctypes.data, tables.shape[1],
        found.ctypes.data, found.itemsize,
    )  # fmt: skip
    return found


def passed_loop(
    registers: int, before: int, digits: Array, count: int, tables: int, parts: int, found: int, size: int
) -> None:
    """See ``passed``. Registers have ``before`` bytes, then ``size`` bytes, of which ``parts`` count."""
    for row in range(count):
        register, result = _number(registers + before * row, before), 0
        for part in range(parts):
            place = (digits[row] * parts + part) * 256 + (shifted(register, 8 * part) & 0xFF)
            result ^= _number(tables + size * place, size)
        _put(found + size * row, result, size)


def _number(at: int, size: int) -> int:
    if size == 1:
        return u1(at)
    if size == 2:
        return u2(at)
    return u4(at) if size == 4 else i8(at)


def _put(at: int, number: int, size: int) -> None:
    if size == 1:
        put1(at, number)
    elif size == 2:
        put2(at, number)
    elif size == 4:
        put4(at, number)
    else:
        put8(at, number)


@cache
def _passed() -> Callable[..., int]:
    return accel.compiled(passed_loop)


def labelled(offsets: int, octets: int, rows: Array) -> tuple[Array, Array] | None:
    """The number of the text in each of these ``rows`` among those that occur, and rows in which these do; None if they
    are many. At the addresses ``offsets`` and ``octets`` is what an Arrow array has.
    """
    found, known = np.empty(len(rows), np.uint8), np.zeros(2 * _MOST_LABELS, np.int64)
    count = _labelled()(offsets, octets, rows, len(rows), found.ctypes.data, known, _MOST_LABELS)
    return None if count < 0 else (found, known[:count])


_MOST_LABELS = 64
"""Those of more texts are not numbered. A power of two."""


def labels_loop(offsets: int, octets: int, rows: Array, count: int, found: int, known: Array, most: int) -> int:
    """See ``labelled``. Returns how many texts occur, -1 if there are more than ``most``. Behind ``known`` rows are the
    numbers of the last texts of each kind, by their size and by two of their bytes.
    """
    texts = 0
    for number in range(count):
        row = rows[number]
        at, stop = octets + u4(offsets + 4 * row), octets + u4(offsets + 4 * row + 4)
        kind = most
        if at < stop:
            kind = most + (stop - at + 7 * u1(at) + u1(stop - 1) & most - 1)
        label = known[kind]
        if texts == 0 or not _same_text(at, stop, octets, offsets + 4 * known[label]):
            label = 0
            while label < texts and not _same_text(at, stop, octets, offsets + 4 * known[label]):
                label += 1
            if label == texts:
                if texts == most:
                    return -1
                known[texts] = row
                texts += 1
            known[kind] = label
        put1(found + number, label)
    return texts


def _same_text(at: int, stop: int, octets: int, other: int) -> bool:
    """Whether bytes are those whose offset is at ``other``."""
    begin, end = octets + u4(other), octets + u4(other + 4)
    if stop - at != end - begin:
        return False
    if stop - at >= 8:
        while at + 8 < stop:
            if i8(at) != i8(begin):
                return False
            at, begin = at + 8, begin + 8
        return i8(stop - 8) == i8(end - 8)
    while at < stop:
        if u1(at) != u1(begin):
            return False
        at, begin = at + 1, begin + 1
    return True


@cache
def _labelled() -> Callable[..., int]:
    return accel.compiled(labels_loop)


def grouped(groups: Array, begins: Array, start: Array, stop: Array) -> tuple[Array, Array, Array]:
    """Rows by their group, in order within each, and the ``start`` and ``stop`` of these. ``begins`` are the places of
    the first one of each group.
    """
    rows, starts, stops = (np.empty(len(groups), np.int64) for _ in range(3))
    _grouped()(groups, len(groups), begins.copy(), start, stop, rows, starts, stops)
    return rows, starts, stops


def groups_loop(
    groups: Array, count: int, places: Array, start: Array, stop: Array, rows: Array, starts: Array, stops: Array
) -> None:
    """See ``grouped``."""
    for row in range(count):
        place = places[groups[row]]
        places[groups[row]] = place + 1
        rows[place], starts[place], stops[place] = row, start[row], stop[row]


@cache
def _grouped() -> Callable[..., int]:
    return accel.compiled(groups_loop)


def weave(places: Array, begins: Array, owners: Array, offsets: int, octets: int) -> None:
    """Put values of several Arrow arrays one behind the other in the order of their ``owners``.

    An owner says whose next value it is. ``places`` are the addresses of the offsets of each array, ``begins`` those of
    its bytes. What comes of it is written to the addresses ``offsets`` and ``octets``.
    """
    _woven()(places.copy(), begins, owners, len(owners), offsets, octets)


def woven_loop(places: Array, begins: Array, owners: Array, count: int, offsets: int, octets: int) -> None:
    """See ``weave``."""
    to = octets
    put4(offsets, 0)
    for row in range(count):
        place, begin = places[owners[row]], begins[owners[row]]
        at, size = begin + u4(place), u4(place + 4) - u4(place)
        places[owners[row]] = place + 4
        copy_all(to, at, size)
        to += size
        put4(offsets + 4 * row + 4, to - octets)


@cache
def _woven() -> Callable[..., int]:
    return accel.compiled(woven_loop)


Terms = Annotated[Array, 10]
"""The terms of lengths, as in ``hopping.LengthTerms``."""


def follow(buffer: Any, at: int, last: int, room: int, hop: Any) -> tuple[Array, int]:
    """``Hop.follow``, compiled."""
    offsets, data = np.empty(room + 1, np.int64), np.frombuffer(buffer, np.uint8)
    count = _follow()(data.ctypes.data, len(data), at, last, room, offsets, *hop.terms)
    return offsets[:count], int(offsets[count])


def hops(
    data: int, end: int, at: int, last: int, room: int, offsets: Array, selector: int, select: Array,
    constants: Array, begins: Array, terms: Terms,
) -> int:  # fmt: skip
    """Note where records begin, from ``at`` on, as far as there is ``room``, the last one up to ``last``, and behind
    them where the next one would begin. Returns how many there are.

    ``data`` is an address, ``end`` how many bytes are there. What follows ``offsets`` is as in ``hopping.LengthTerms``.
    """
    count = 0
    while at <= last and count < room:
        offsets[count] = at
        count += 1
        index = select[u1(data + at + selector)] if selector >= 0 else 0
        if index < 0:
            break
        length, place = constants[index], at
        for each in range(begins[index], begins[index + 1]):
            first, form = place + terms[each, 2], terms[each, 1]
            value, size = term(data, end, first, form, terms[each, 3], terms[each, 4], terms[each, 5])
            place = first + size if form > 0 else place
            length += (value >> terms[each, 8] & terms[each, 9]) * terms[each, 6] + size * terms[each, 7]
        if length <= 0:
            break
        at += min(length, end + 1)  # the next one is not in the data, however large the length
    offsets[count] = at
    return count


def term(data: int, end: int, first: int, form: int, size: int, signed: int, little: int) -> tuple[int, int]:
    """The number at ``first``, which has ``size`` bytes unless its ``form`` is one of variable size, and its size.
    Bytes after the ``end`` of the data are 0.
    """
    if form > 0:
        value, size = _varint(data, end, form, first, size)
        return value, size
    if first + 8 <= end:
        spare = 64 - 8 * size
        word = i8(data + first) << spare if little != 0 else i8_big(data + first)
        return word >> spare if signed != 0 else shifted(word, spare), size
    value = 0
    for byte in range(size):
        place = first + size - 1 - byte if little != 0 else first + byte
        value = value << 8 | (u1(data + place) if place < end else 0)
    if signed != 0 and size < 8 and value >> (8 * size - 1) != 0:
        value -= 1 << (8 * size)
    return value, size


def _varint(data: int, end: int, form: int, first: int, size: int) -> tuple[int, int]:
    """A number of variable size, and that size."""
    value = 0
    if form == 3 and first < end:
        size = 1 << (u1(data + first) >> 6)
    for byte in range(size):
        part = u1(data + first + byte) if first + byte < end else 0
        if form == 3:
            value = value << 8 | (part if byte > 0 else part & 0x3F)
        elif form == 2:
            value = value << 7 | part & 0x7F
        else:
            value |= (part & 0x7F) << (7 * byte)
        if form != 3 and part < 0x80:
            return value, byte + 1
    return value, size


@cache
def _follow() -> Callable[..., int]:
    return accel.compiled(hops)
