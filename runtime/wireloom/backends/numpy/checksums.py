"""Checksums of many byte ranges at once."""

import zlib
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from wireloom.buffers import Array, ragged, windows
from wireloom.codec.checksums import ADLER, Algorithm, Crc, Totals, Words, table, withdrawals
from wireloom.loops import accel, compiled
from wireloom.loops.crc_loops import FLIPPED, SLICES, sliced, word_tables

Summand = tuple[Array, Array] | bytes
"""The starts and stops of the ranges of many rows, or one for all of them."""


def of_ranges(algorithm: Algorithm, buffer: Array, start: Array, stop: Array) -> Array:
    """The checksum of each range of ``buffer``, as 64-bit integers; unsigned if it has more than 32 bits."""
    if isinstance(algorithm, Crc):
        return final(algorithm, registers(algorithm, buffer, start, stop))
    if isinstance(algorithm, Totals) and algorithm.modulus != ADLER and len(start) >= _COMMON:
        return totals(algorithm, buffer, start, stop)
    return _one_by_one(algorithm, buffer, start, stop)


def _one_by_one(algorithm: Totals | Words, buffer: Array, start: Array, stop: Array) -> Array:
    view = memoryview(buffer.data)
    return np.fromiter((algorithm(view[a:b]) for a, b in _pairs(start, stop)), np.int64, len(start))


def _pairs(start: Array, stop: Array) -> Iterator[tuple[int, int]]:
    return zip(start.tolist(), stop.tolist(), strict=True)


_COMMON = 256
"""Fewer ranges than this of one kind are not worth numpy's time."""
_SHORT = 192
"""Ranges of up to this many bytes are summed side by side even where the library has a function for one."""
_BLOCK = 512
"""CRCs of longer ranges are those of blocks, which are summed side by side."""
_TILE = 1 << 13


def register_type(crc: Crc) -> type[np.unsignedinteger]:
    """The numpy type of registers."""
    return np.uint32 if crc.bits <= 32 else np.uint64


def final(crc: Crc, registers: Array) -> Array:
    """The checksums that registers are, as 64-bit integers; unsigned if they have more than 32 bits."""
    if crc.unaugmented:
        tables, kind = np.array(withdrawals(crc.bits, crc.poly), registers.dtype), registers.dtype.type
        bytes_ = (registers >> kind(8 * place) & kind(0xFF) for place in range(len(tables)))
        registers = np.bitwise_xor.reduce([one[byte] for one, byte in zip(tables, bytes_, strict=True)])
    if not crc.reflect_out:
        size = registers.itemsize
        octets = np.ascontiguousarray(registers).view(np.uint8).reshape(-1, size)
        flipped = np.ascontiguousarray(FLIPPED[octets[:, ::-1]]).view(registers.dtype).reshape(-1)
        registers = flipped >> registers.dtype.type(8 * size - crc.bits)
    found: Array = registers ^ registers.dtype.type(crc.xor_out)
    return found if crc.bits > 32 else found.astype(np.int64)


def registers(crc: Crc, buffer: Array, start: Array, stop: Array) -> Array:
    """The register after each range."""
    if accel.WORTH:
        tables = word_tables(crc)
        found = compiled.crc(buffer, start, stop, tables, crc.initial, flipped=not crc.reflect_in)
        return found.view(np.uint64).astype(register_type(crc))
    sizes = stop - start
    accel.WORTH.add(int(sizes.sum()))
    found = np.full(len(start), crc.initial, register_type(crc))
    rest = sizes > 0
    if crc.is_native:
        short = rest & (sizes <= _SHORT)
        if np.count_nonzero(short) >= _COMMON:
            found[short] = _sliced(crc, buffer, start[short], sizes[short], crc.initial)
            rest &= ~short
        found[rest] = _fed(crc, buffer, start[rest], stop[rest])
    elif rest.any():
        found[rest] = _of_blocks(crc, buffer, start[rest], sizes[rest])
    return found


def _fed(crc: Crc, buffer: Array, start: Array, stop: Array) -> Array:
    """Registers of ranges, one after the other."""
    feed: Callable[[memoryview, int], int] = zlib.crc32 if crc.is_zlib else crc.feeder
    view, kind, turned = memoryview(buffer.data), register_type(crc), 0xFFFFFFFF if crc.is_zlib else 0
    initial = crc.initial ^ turned
    found: Array = np.array([feed(view[a:b], initial) for a, b in _pairs(start, stop)], kind) ^ kind(turned)
    return found


@cache
def single(crc: Crc) -> Array:
    """The register after each single byte, from 0."""
    return np.array(table(crc.bits, crc.poly), register_type(crc))


@cache
def _tables(crc: Crc) -> Array:
    """For each pair of bytes in a word, what two bytes there add to the register, which is ``_flipped`` if need be."""
    tables = sliced(single(crc))
    low, high = np.divmod(np.arange(1 << 16), 1 << 8)[::-1]
    if not crc.reflect_in:
        low, high = FLIPPED[low], FLIPPED[high]
    return _flipped(crc, np.stack([tables[at][low] ^ tables[at + 1][high] for at in range(0, SLICES, 2)]))


def _flipped(crc: Crc, registers: Array) -> Array:
    """Registers with which bytes can be summed as they are: if the CRC is not reflected, theirs are flipped."""
    if crc.reflect_in:
        return registers
    found: Array = FLIPPED[registers.view(np.uint8)].view(registers.dtype)
    return found


def _sliced(crc: Crc, buffer: Array, start: Array, sizes: Array, initial: int) -> Array:
    """Registers after ranges that are not empty, some of them side by side; before each it is ``initial``."""
    found = np.empty(len(start), register_type(crc))
    begun = _flipped(crc, np.array([initial], found.dtype))
    for at in range(0, len(start), _TILE):
        tile = slice(at, at + _TILE)
        found[tile] = _of_words(crc, buffer, start[tile], sizes[tile], begun)
    return _flipped(crc, found)


def _of_words(crc: Crc, buffer: Array, start: Array, sizes: Array, begun: Array) -> Array:
    """Registers, flipped as ``begun``, after ranges that are cut into words, the last of which may be shorter.

    The register is added to its bytes, and the part that does not fit is kept.
    """
    whole = (sizes - 1) // SLICES
    order = np.argsort(-whole.astype(np.int16), kind="stable")
    most, number = int(whole.max()), whole[order]
    items = windows(buffer, start[order], SLICES * (most + 1)).view("<u8").reshape(-1, most + 1)
    columns = np.ascontiguousarray(items[:, :most].T)
    register = np.full(len(order), begun)
    for word, going in zip(columns, len(order) - np.cumsum(np.bincount(whole)), strict=False):
        register[:going] = _behind(crc, word[:going] ^ register[:going])
    half = (4 * (sizes[order] - SLICES * number)).astype(np.uint64)
    last = (items[np.arange(len(order)), number] ^ register) << (np.uint64(8 * SLICES) - 2 * half)
    found: Array = np.empty_like(register)
    found[order] = _behind(crc, last) ^ (register.astype(np.uint64) >> half >> half).astype(register.dtype)
    return found


def _behind(crc: Crc, words: Array) -> Array:
    """The register after each word, which contains the one before it."""
    tables, pairs = _tables(crc), words.view("<u2").reshape(-1, SLICES // 2)
    found: Array = tables[0].take(pairs[:, 0], mode="wrap")  # all are in range, and numpy need not look
    for place in range(1, SLICES // 2):
        found ^= tables[place].take(pairs[:, place], mode="wrap")
    return found


def _of_blocks(crc: Crc, buffer: Array, start: Array, sizes: Array) -> Array:
    """Registers of ranges of any size: that of the first bytes, then the contribution of each block."""
    first = (sizes - 1) % _BLOCK + 1
    found = _sliced(crc, buffer, start, first, crc.initial)
    blocks = (sizes - first) // _BLOCK
    begin, most = np.cumsum(blocks) - blocks, int(blocks.max(initial=0))
    places = ragged(start + first, blocks) if most else start[:0]
    places += (_BLOCK - 1) * ragged(np.zeros(len(blocks), np.int64), blocks) if most else 0
    sums = _sliced(crc, buffer, places, np.full(len(places), _BLOCK), 0)
    for block in range(most):
        more = np.flatnonzero(blocks > block)
        found[more] = passed(crc, found[more], np.full(len(more), _BLOCK)) ^ sums[begin[more] + block]
    return found


def totals(algorithm: Totals, buffer: Array, start: Array, stop: Array) -> Array:
    """Sums of ranges, byte by byte in each if sums of sums are needed."""
    sizes = stop - start
    if not algorithm.twice:
        padded = np.append(buffer, np.uint8(0)) if int(stop.max()) == len(buffer) else buffer
        ends = np.stack([start, stop], axis=1).reshape(-1)
        found: Array = np.where(sizes > 0, np.add.reduceat(padded, ends, dtype=np.int64)[::2], 0) % algorithm.modulus
        return found
    order = np.argsort(-sizes, kind="stable")
    at, falling = start[order], -sizes[order]
    low = np.full(len(at), algorithm.initial, np.int64)
    high = np.zeros(len(at), np.int64)
    for column in range(-int(falling[0])):
        going = np.searchsorted(falling, -column)
        low[:going] += buffer[at[:going] + column]
        high[:going] += low[:going]
    sums = np.empty_like(low)
    sums[order] = high % algorithm.modulus << algorithm.bits // 2 | low % algorithm.modulus
    return sums


_LEVEL = 256


def passed(crc: Crc, registers: Array, count: Array) -> Array:
    """What each register becomes over ``count`` zero bytes."""
    level = 0
    most = int(count.max(initial=0))
    while most:
        digits = count & (_LEVEL - 1)
        if digits.any():
            tables = _passing(crc, level)
            if accel.WORTH:
                registers = compiled.passed(registers, digits, tables)
            else:
                registers = _looked_up(registers, digits, tables)
        count, most, level = count >> 8, most >> 8, level + 1
    return registers


def _looked_up(registers: Array, digits: Array, tables: Array) -> Array:
    size, of = tables.shape[1], registers.dtype.type
    if len(digits) and (digits == digits[0]).all():
        alike = tables[digits[0]]
        found: Array = alike[0].take(registers.astype(np.uint8), mode="wrap")
        for byte in range(1, size):
            found ^= alike[byte].take((registers >> of(8 * byte)).astype(np.uint8), mode="wrap")
        return found
    flat, row = tables.reshape(-1), digits * (size * 256)
    found = flat.take(row + (registers & of(0xFF)).astype(np.int64), mode="wrap")
    for byte in range(1, size):
        at = row + (byte * 256 + (registers >> of(8 * byte) & of(0xFF)).astype(np.int64))
        found ^= flat.take(at, mode="wrap")
    return found


@cache
def _passing(crc: Crc, level: int) -> Array:
    """What each byte of a register becomes over 0, 1, 2, … 255 times ``256 ** level`` zero bytes."""
    size, of = -(-crc.bits // 8), register_type(crc)
    bits = np.array([crc.passed(1 << bit, _LEVEL**level) for bit in range(crc.bits)], of)
    values = np.arange(256, dtype=of)
    once = np.zeros((1, size, 256), of)
    for bit in range(crc.bits):
        once[0, bit // 8] ^= np.where(values >> of(bit % 8) & of(1), bits[bit], of(0))
    tables = np.zeros((_LEVEL, size, 256), of)
    tables[0] = values << (8 * np.arange(size, dtype=of))[:, None]
    nothing = np.zeros(size * 256, np.int64)
    for times in range(1, _LEVEL):
        tables[times] = _looked_up(tables[times - 1].reshape(-1), nothing, once).reshape(size, 256)
    return tables
