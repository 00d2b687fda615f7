"""The optional accelerator: loops over records and bytes, compiled by numba (the extra ``accel``).

Everything here has a counterpart without numba that gives the same results. A process loads numba when it has read so
much without it that loading pays. Where ``WIRELOOM_ACCEL`` is 0, it never does; where that is 1, at once.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wireloom.columnar.buffers import Array, read_only
from wireloom.columnar.memory import i8, i8_big, shifted
from wireloom.columnar.sums import FLIPPED, LOOPS, behind

ENABLED = os.environ.get("WIRELOOM_ACCEL", "1") != "0" and find_spec("numba") is not None
"""Whether numba is installed and not turned off."""


class Worth:
    """Whether numba is worth its loading: after so many bytes were ``read`` by what has a loop here."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.read = 0

    def __bool__(self) -> bool:
        return ENABLED and self.read >= self.after

    def add(self, size: int) -> None:
        """That so many bytes more were read without a loop."""
        self.read += size


WORTH = Worth(0 if os.environ.get("WIRELOOM_ACCEL") == "1" else 32 * 1024 * 1024)
"""Loading takes about as long as it saves in reading so many bytes."""


def compiled(loop: Callable[..., Any], *called: Callable[..., Any]) -> Callable[..., Any]:
    """A loop compiled when it is first called, with what is ``called`` in it: once for all processes, if there is a
    folder to keep it in.

    What is kept has the digest of all sources in its name. numba itself asks only whether the file of the loop has
    changed, not those of what it calls.
    """
    import numba.extending

    from wireloom.columnar import intrinsics  # noqa: F401 - teaches numba what ``memory`` does

    for each in called:
        numba.extending.register_jitable(each)
    loop.__qualname__ = f"{loop.__name__}_{_digest()}"
    alone = numba.njit(nogil=True)(loop)
    try:
        kept = numba.njit(nogil=True, cache=True)(loop)
    except RuntimeError:  # there is none
        return alone

    def called_once(*arguments: Any) -> Any:
        try:
            return kept(*arguments)
        except OSError:  # it cannot be written
            return alone(*arguments)

    return called_once


@cache
def _digest() -> str:
    """The digest of all sources that loops may depend on."""
    found = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def crc(buffer: Array, start: Array, stop: Array, tables: Array, register: int, *, flipped: bool) -> Array:
    """The reflected register behind each range of ``buffer``, whose bytes are ``flipped`` or not, as 64-bit integers.
    ``tables`` are those of ``sums.word_tables``.
    """
    found = np.empty(len(start), np.int64)
    base, flips = buffer.ctypes.data, FLIPPED.ctypes.data if flipped else 0
    _crc()(start + base, stop + base, tables.ctypes.data, np.uint64(register).astype(np.int64), flips, found)
    return found


@cache
def _crc() -> Callable[..., None]:
    def ranges(start, stop, tables, register, flips, found):  # type: ignore[no-untyped-def]
        for row in range(len(start)):
            found[row] = behind(register, start[row], stop[row], tables, flips)

    return compiled(ranges, *LOOPS)


def registers(data: Array, table: Array, register: int) -> Array:
    """A CRC's reflected register after each byte; ``table`` has what one byte changes."""
    found = np.empty(len(data), table.dtype)
    _registers()(data, table, np.uint64(register), found)
    return found


@cache
def _registers() -> Callable[..., None]:
    @compiled
    def each(data, table, register, found):  # type: ignore[no-untyped-def]
        crc = register
        for at in range(len(data)):
            crc = np.uint64(table[(crc ^ np.uint64(data[at])) & np.uint64(0xFF)]) ^ crc >> np.uint64(8)
            found[at] = crc

    return each


def passed(registers: Array, digits: Array, tables: Array) -> Array:
    """What each register becomes; ``tables`` have the effect of each of its bytes."""
    found = np.zeros(len(registers), tables.dtype)
    _passed()(registers, digits, tables, found)
    return found


@cache
def _passed() -> Callable[..., None]:
    @compiled
    def each(registers, digits, tables, found):  # type: ignore[no-untyped-def]
        for row in range(len(registers)):
            crc, digit = np.uint64(registers[row]), digits[row]
            for byte in range(tables.shape[1]):
                found[row] ^= tables[digit, byte, crc >> np.uint64(8 * byte) & np.uint64(0xFF)]

    return each


def follow(buffer: Any, at: int, last: int, room: int, hop: Any) -> tuple[Array, int]:
    """``Hop.follow``, compiled."""
    offsets, data = np.empty(room, np.int64), read_only(buffer)
    count, at = _follow()(data, data.ctypes.data, at, last, offsets, *hop.told)
    return offsets[:count], at


def hops(
    data: Array, base: int, at: int, last: int, offsets: Array, selector: int, select: Array, constants: Array,
    begins: Array, terms: Array,
) -> tuple[Any, Any]:  # fmt: skip
    """Note where records begin, from ``at`` on, as far as there is room, the last one up to ``last``.

    Returns how many there are, and where the next one would begin. ``base`` is the address of the data. What follows
    ``offsets`` is as in ``hopping.Told``.
    """
    count, end = 0, len(data)
    while at <= last and count < len(offsets):
        offsets[count] = at
        count += 1
        index = select[data[at + selector]] if selector >= 0 else 0
        if index < 0:
            break
        length, place = constants[index], at
        for term in range(begins[index], begins[index + 1]):
            form, size, first = terms[term, 1], terms[term, 3], place + terms[term, 2]
            if form > 0:
                value, size = _varint(data, form, first, size)
                place = first + size
            elif first + 8 <= end:
                spare = 64 - 8 * size
                word = i8(base + first) << spare if terms[term, 5] else i8_big(base + first)
                value = word >> spare if terms[term, 4] else shifted(word, spare)
            else:
                value = _rest(data, first, size, terms[term, 4], terms[term, 5])
            length += (value >> terms[term, 8] & terms[term, 9]) * terms[term, 6] + size * terms[term, 7]
        if length <= 0:
            break
        at += min(length, end + 1)  # the next one is not in the data, however large the length
    return count, at


def _rest(data: Array, first: int, size: int, signed: int, little: int) -> Any:
    """A number near the end of the data, of which bytes may be missing."""
    value = np.int64(0)
    for byte in range(size):
        place = first + size - 1 - byte if little else first + byte
        value = value << 8 | (np.int64(data[place]) if place < len(data) else 0)
    if signed and size < 8 and value >> (8 * size - 1):
        value -= np.int64(1) << (8 * size)
    return value


def _varint(data: Array, form: int, first: int, size: int) -> tuple[Any, Any]:
    """A number of variable size, and that size."""
    value = np.int64(0)
    if form == 3 and first < len(data):
        size = 1 << (data[first] >> 6)
    for byte in range(size):
        part = np.int64(data[first + byte]) if first + byte < len(data) else np.int64(0)
        if form == 3:
            value = value << 8 | (part if byte else part & 0x3F)
        elif form == 2:
            value = value << 7 | part & 0x7F
        else:
            value |= (part & 0x7F) << (7 * byte)
        if form != 3 and part < 0x80:
            return value, byte + 1
    return value, size


HOPS = (hops, _rest, _varint)
"""What loops call that follow records."""


@cache
def _follow() -> Callable[..., tuple[int, int]]:
    return compiled(*HOPS)
