"""What numpy does for instructions that compute numbers, or read them from bytes."""

from collections.abc import Callable

import numpy as np

from wireloom import buffers
from wireloom.backends.numpy.tile import (
    ADDRESSED,
    CLOSE,
    FIRST_ADDRESS,
    LOADS,
    ZERO,
    Register,
    Tile,
    addressed,
    is_set,
    mask_of,
    memory,
    number_of,
)
from wireloom.buffers import Array
from wireloom.programs import opcodes as op

_DIGITS = np.full((2, 256), 255, np.uint8)
"""What each byte is as a digit, with small letters and with capital ones."""
_DIGITS[:, ord("0") : ord("9") + 1] = range(10)
_DIGITS[0, ord("a") : ord("z") + 1] = _DIGITS[1, ord("A") : ord("Z") + 1] = range(10, 36)


def number(tile: Tile, d: int, number: int) -> None:
    tile.registers[d] = np.int64(number)


def divide(tile: Tile, d: int, a: int, b: int) -> None:
    _quotient(tile, np.floor_divide, d, a, b)


def modulo(tile: Tile, d: int, a: int, b: int) -> None:
    _quotient(tile, np.remainder, d, a, b)


def _quotient(tile: Tile, function: np.ufunc, d: int, a: int, b: int) -> None:
    by = number_of(tile.registers[b])
    there = by != 0
    tile.registers[d] = np.where(there, function(number_of(tile.registers[a]), np.where(there, by, 1)), 0)


def negate(tile: Tile, d: int, a: int) -> None:
    tile.registers[d] = ~mask_of(tile.registers[a])


def choose(tile: Tile, d: int, a: int, b: int, c: int) -> None:
    mask = mask_of(tile.registers[a])
    one, other = tile.registers[b], tile.registers[c]
    if is_set(mask):
        tile.registers[d] = one
    else:
        tile.registers[d] = np.where(mask, one, other) if np.count_nonzero(mask) else other


def look_up(tile: Tile, d: int, a: int, n: int, size: int) -> None:
    number = number_of(tile.registers[a])
    table = memory(tile.out[n], size, "<u4")
    inside = (number >= 0) & (number < size)
    if is_set(inside):
        tile.registers[d] = table[number].astype(np.int64)
    else:
        found = table[np.where(inside, number, 0)].astype(np.int64) if size else number
        tile.registers[d] = np.where(inside, found, -1)


def sign(tile: Tile, d: int, a: int, bits: int) -> None:
    high = 1 << bits - 1
    tile.registers[d] = ((number_of(tile.registers[a]) & (high + high - 1)) ^ high) - high


def load(tile: Tile, d: int, a: int, offset: int, kind: int, least: int, most: int) -> None:
    """Numbers that lie near each other, from ``least`` to before ``most``, are gathered together, once."""
    base, name = tile.registers[a], LOADS[kind]
    if most - least > CLOSE or most - least == np.dtype(name).itemsize:
        tile.registers[d] = ADDRESSED[name][base + (offset - FIRST_ADDRESS)].astype(np.int64)
        return
    known = tile.near.get(a)
    if known is None or known[0] is not base or known[1] != least or known[2].shape[1] != most - least:
        octets = (
            addressed(f"V{most - least}")[base + (least - FIRST_ADDRESS)]
            .view(np.uint8)
            .reshape(tile.count, most - least)
        )
        known = tile.near[a] = base, least, octets
    octets = known[2]
    found = np.ndarray((tile.count,), name, octets, offset - least, (most - least,))
    tile.registers[d] = found.astype(np.int64)


def load_odd(tile: Tile, d: int, a: int, offset: int, size: int, big: int) -> None:
    at = tile.registers[a] + (offset - FIRST_ADDRESS)
    value: Register = ZERO
    for byte in range(size) if big else range(size - 1, -1, -1):
        value = value << 8 | ADDRESSED["u1"][at + byte].astype(np.int64)
    tile.registers[d] = value


def given(tile: Tile, d: int, n: int) -> None:
    tile.registers[d] = memory(tile.out[n], tile.after, "<i8")[tile.place]


def varint(tile: Tile, d: int, e: int, a: int, b: int, c: int, bits: int, form: int) -> None:
    rows = tile.wanted(c)
    at, limit = tile.values(a, rows), tile.values(b, rows)
    value, size, good = _quic(tile, at, limit, bits) if form == op.QUIC else _groups(tile, at, limit, bits, form)
    tile.sound_where(rows, good)
    tile.registers[d], tile.registers[e] = tile.whole(rows, value, ZERO), tile.whole(rows, at + size, tile.safe)


def _groups(tile: Tile, at: Array, limit: Array, bits: int, form: int) -> tuple[Array, Array, Array]:
    """Numbers in groups of seven bits, how many bytes they have, and whether they are as they must be."""
    value, size = np.zeros(len(at), np.int64), np.zeros(len(at), np.int64)
    byte, last = np.full(len(at), 0x80, np.uint8), np.zeros(len(at), np.uint8)
    going, good = np.ones(len(at), bool), np.ones(len(at), bool)
    for place in range(10):
        going &= at + place < limit
        if not going.any():
            break
        last = np.where(going, byte, last)
        byte = np.where(going, _octets(tile, at + place, going), byte)
        group = (byte & 0x7F).astype(np.int64)
        if form == op.VLQ:
            good &= ~going | ((byte != 0x80) if place == 0 else value >> 57 == 0)
            value = np.where(going, value << 7 | group, value)
        else:
            value |= np.where(going, group << 7 * place, 0)
        size += going
        going &= byte >= 0x80
    good &= byte < 0x80
    if form == op.SIGNED_LEB128:
        value |= np.where((byte & 0x40 != 0) & (size < 10), np.int64(-1) << 7 * size, 0)
        good &= (size == 1) | (byte != np.where(last & 0x40, 0x7F, 0))
        good &= (size < 10) | (byte == 0) | (byte == 0x7F)
        return value, size, good & (value >> bits - 1 == value >> 63)
    if form == op.LEB128:
        good &= (size == 1) | (byte != 0)
        good &= (size < 10) | (byte == 1)
    return value, size, good if bits == 64 else good & (value >> bits == 0)


def _quic(tile: Tile, at: Array, limit: Array, bits: int) -> tuple[Array, Array, Array]:
    """The same for the form of QUIC, in which the two highest bits say how many bytes there are."""
    first = _octets(tile, at, at < limit).astype(np.int64)
    size = np.int64(1) << (first >> 6)
    good, value = (at < limit) & (at + size <= limit), first & 0x3F
    for place in range(1, 8):
        mine = good & (place < size)
        value = np.where(mine, value << 8 | _octets(tile, at + place, mine), value)
    good &= (size == 1) | (value >> 4 * size - 2 != 0)
    return value, size, good & (value >> bits == 0)


def _octets(tile: Tile, at: Array, there: Array) -> Array:
    """The bytes at some places, 0 where they are not ``there``."""
    found: Array = ADDRESSED["u1"][np.where(there, at, tile.safe) - FIRST_ADDRESS]
    return found


def digits(tile: Tile, d: int, a: int, b: int, c: int, base: int, least: int, form: int) -> None:
    rows = tile.wanted(c)
    at, stop = tile.values(a, rows), tile.values(b, rows)
    sizes = stop - at
    good = (sizes >= max(1, least)) & (sizes <= 1 + op.MOST_DIGITS)
    value, sign = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool)
    width = int(sizes[good].max(initial=0))
    if width:
        octets, begins, _ = tile.buffer_of(at, np.maximum(at, stop))
        digits = buffers.windows(octets, begins, width).view(np.uint8).reshape(-1, width)
        if form & 1:
            sign = digits[:, 0] == ord("-")
        first = np.where(sign, digits[:, min(1, width - 1)], digits[:, 0])
        good &= (first != ord("0")) | (sizes == least)
        digits = _DIGITS[form >> 1].take(digits)
        for place in range(width):
            inside = (place < sizes) & ~(sign & (place == 0))
            good &= (digits[:, place] < base) | ~inside
            value = np.where(inside, value * base + digits[:, place], value)
    count = sizes - sign
    good &= (count > 0) & (count <= op.MOST_DIGITS) & ~(sign & (value == 0))
    tile.sound_where(rows, good)
    tile.registers[d] = tile.whole(rows, np.where(sign, -value, value), ZERO)


def binary(function: np.ufunc) -> Callable[..., None]:
    def do(tile: Tile, d: int, a: int, b: int) -> None:
        tile.registers[d] = function(number_of(tile.registers[a]), number_of(tile.registers[b]))

    return do


def logical(function: np.ufunc) -> Callable[..., None]:
    """As ``binary``; what masks have in common is a mask."""

    def do(tile: Tile, d: int, a: int, b: int) -> None:
        tile.registers[d] = function(tile.registers[a], tile.registers[b])

    return do


def with_number(function: np.ufunc) -> Callable[..., None]:
    def do(tile: Tile, d: int, a: int, n: int) -> None:
        tile.registers[d] = function(number_of(tile.registers[a]), n)

    return do
