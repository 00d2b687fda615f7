"""The optional accelerator: loops over records and bytes, compiled by numba (the extra ``accel``).

Everything here has a counterpart without numba that gives the same results. ``WIRELOOM_ACCEL=0`` turns it off.
"""

import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from wireloom.columnar.buffers import Array

ENABLED = os.environ.get("WIRELOOM_ACCEL", "1") != "0" and find_spec("numba") is not None
"""Whether numba is installed and not turned off."""


def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A loop compiled when it is first called: once for all processes, if there is a folder to keep it in."""
    import numba

    alone = numba.njit(nogil=True)(loop)
    try:
        kept = numba.njit(nogil=True, cache=True)(loop)
    except RuntimeError:  # there is none
        return alone

    def called(*arguments: Any) -> Any:
        try:
            return kept(*arguments)
        except OSError:  # it cannot be written
            return alone(*arguments)

    return called


SLICES = 8
"""How many bytes are summed up together."""


def crc32(buffer: Array, start: Array, stop: Array, tables: Array, register: int, final: int) -> Array:
    """Reflected CRC-32 of each range of ``buffer``; ``tables`` have what each byte adds at each of ``SLICES``
    positions.
    """
    found: Array = _crc32()(buffer, start, stop, tables, np.uint32(register), np.uint32(final))
    return found


@cache
def _crc32() -> Callable[..., Any]:
    @compiled
    def ranges(buffer, start, stop, tables, register, final):  # type: ignore[no-untyped-def]
        found = np.zeros(len(start), np.int64)
        for row in range(len(start)):
            crc = np.uint32(register)
            at, end = start[row], stop[row]
            while at + 8 <= end:
                low = crc ^ (
                    np.uint32(buffer[at])
                    | np.uint32(buffer[at + 1]) << np.uint32(8)
                    | np.uint32(buffer[at + 2]) << np.uint32(16)
                    | np.uint32(buffer[at + 3]) << np.uint32(24)
                )
                crc = (
                    tables[0, low & np.uint32(0xFF)]
                    ^ tables[1, low >> np.uint32(8) & np.uint32(0xFF)]
                    ^ tables[2, low >> np.uint32(16) & np.uint32(0xFF)]
                    ^ tables[3, low >> np.uint32(24)]
                    ^ tables[4, buffer[at + 4]]
                    ^ tables[5, buffer[at + 5]]
                    ^ tables[6, buffer[at + 6]]
                    ^ tables[7, buffer[at + 7]]
                )
                at += 8
            while at < end:
                crc = tables[7, (crc ^ np.uint32(buffer[at])) & np.uint32(0xFF)] ^ crc >> np.uint32(8)
                at += 1
            found[row] = crc ^ final
        return found

    return ranges


def registers(data: Array, table: Array, register: int, *, reflected: bool) -> Array:
    """A CRC's register after each byte; ``table`` has what one byte changes."""
    found = np.empty(len(data), np.uint32)
    _registers()(data, table, register, reflected, found)
    return found


@cache
def _registers() -> Callable[..., None]:
    @compiled
    def each(data, table, register, reflected, found):  # type: ignore[no-untyped-def]
        crc = np.uint32(register)
        for at in range(len(data)):
            if reflected:
                crc = table[(crc ^ np.uint32(data[at])) & np.uint32(0xFF)] ^ crc >> np.uint32(8)
            else:
                crc = table[crc >> np.uint32(8) ^ np.uint32(data[at])] ^ (crc << np.uint32(8) & np.uint32(0xFFFF))
            found[at] = crc

    return each


def passed(registers: Array, digits: Array, tables: Array) -> Array:
    """What each register becomes; ``tables`` have the effect of each of its bytes."""
    found = np.empty(len(registers), np.uint32)
    _passed()(registers, digits, tables, found)
    return found


@cache
def _passed() -> Callable[..., None]:
    @compiled
    def each(registers, digits, tables, found):  # type: ignore[no-untyped-def]
        for row in range(len(registers)):
            crc, digit = registers[row], digits[row]
            value = np.uint32(0)
            for byte in range(tables.shape[1]):
                value ^= tables[digit, byte, crc >> np.uint32(8 * byte) & np.uint32(0xFF)]
            found[row] = value

    return each


def follow(buffer: Any, at: int, last: int, room: int, hop: Any) -> tuple[Array, int]:
    """``Hop.follow``, compiled."""
    offsets = np.zeros(room, np.int64)
    data = np.frombuffer(buffer, np.uint8)
    count, at = _follow()(
        data, at, last, offsets, hop.selector, hop.select, np.array(hop.constants, np.int64), hop.table
    )
    return offsets[:count], at


@cache
def _follow() -> Callable[..., tuple[int, int]]:
    @compiled
    def hops(buffer, at, last, offsets, selector, select, constants, table):  # type: ignore[no-untyped-def]
        count = 0
        while at <= last and count < len(offsets):
            offsets[count] = at
            count += 1
            index = select[buffer[at + selector]] if selector >= 0 else 0
            if index < 0:
                break
            length = constants[index]
            for term in range(len(table)):
                if table[term, 0] == index:
                    size, little = table[term, 2], table[term, 4]
                    first = at + table[term, 1]
                    value = np.int64(0)
                    for byte in range(size):
                        place = first + size - 1 - byte if little else first + byte
                        value = value << 8 | np.int64(buffer[place])
                    if table[term, 3] and size < 8 and value >> (8 * size - 1):
                        value -= np.int64(1) << (8 * size)
                    length += value * table[term, 5]
            if length <= 0:
                break
            at += min(length, len(buffer) + 1)  # the next one is not in the buffer, however large the length
        return count, at

    return hops
