"""Checksums of overlapping ranges: the register after every byte is kept, and a range follows from two of them.

So the checksum costs the same wherever a record could begin, and however long it claims to be.
"""

from functools import cache, lru_cache

import numpy as np

from wireloom.codec.checksums import ALGORITHMS, Adler, Crc
from wireloom.columnar import accel, checksums
from wireloom.columnar.buffers import Array

_OVERLAP = 4
"""If ranges cover each byte this often, kept registers are used; otherwise they are summed directly."""
_PIECE = 1 << 20
_COLUMNS = 256
_LEVEL = 256
_KEPT = 4
_BESIDE = 256


class Running:
    """The checksums of ranges of one buffer. Registers are kept from ``origin`` on, with four bytes for each byte."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[int, Array]] = {}
        self._sums: dict[tuple[str, int], tuple[int, Array]] = {}

    def of(self, name: str, buffer: Array, start: Array, stop: Array) -> Array:
        """The checksum of each range, as 64-bit integers."""
        if not len(start):
            return np.zeros(0, np.int64)
        first, last, count = int(start.min()), int(stop.max()), stop - start
        if int(count.sum()) < _OVERLAP * (last - first):
            return checksums.of_ranges(name, buffer, start, stop)
        origin, registers = self._registers(name, buffer, first, last)
        before, after, algorithm = registers[start - origin], registers[stop - origin], ALGORITHMS[name]
        if isinstance(algorithm, Adler):
            return _adler(algorithm, before, after, count)
        passed = _passed(name, before ^ np.uint32(algorithm.initial), count)
        found: Array = (passed ^ after ^ np.uint32(algorithm.final)).astype(np.int64)
        return found

    def everywhere(self, name: str, buffer: Array, first: int, count: int, size: int) -> Array:
        """The CRCs of ``size`` bytes from ``first`` on, from the next byte on, and so on, ``count`` of them.

        There are some more, since the other byte order soon needs nearly the same ones.
        """
        begun, sums = self._sums.get((name, size), (0, np.zeros(0, np.uint32)))
        if not begun <= first <= first + count <= begun + len(sums):
            begun, end = max(0, first - _BESIDE), min(len(buffer) - size + 1, first + count + _BESIDE)
            origin, registers = self._registers(name, buffer, begun, end + size - 1)
            crc = ALGORITHMS[name]
            assert isinstance(crc, Crc)
            before, after = (registers[at - origin : at - origin + end - begun] for at in (begun, begun + size))
            sums = _alike(name, before ^ np.uint32(crc.initial), size) ^ after ^ np.uint32(crc.final)
            if len(self._sums) >= _KEPT:
                self._sums.clear()
            self._sums[name, size] = begun, sums
        found: Array = sums[first - begun : first - begun + count]
        return found

    def _registers(self, name: str, buffer: Array, first: int, last: int) -> tuple[int, Array]:
        """Where what is kept begins, and the registers from there on, to ``last`` or farther."""
        origin, registers = self._kept.get(name, (first, np.zeros(1, np.uint32)))
        if first < origin or first >= origin + len(registers) + _PIECE:
            origin, registers = first, np.zeros(1, np.uint32)
        done = origin + len(registers) - 1
        if done < last:
            kept = max(0, first - _PIECE - origin)  # what is behind is asked for no more
            origin, pieces = origin + kept, [registers[kept:]]
            while done < last:
                data = buffer[done : min(len(buffer), done + _PIECE)]
                pieces.append(_registers(name, data, int(pieces[-1][-1])))
                done += len(data)
            registers = np.concatenate(pieces)
        self._kept[name] = origin, registers
        return origin, registers


def _adler(adler: Adler, before: Array, after: Array, count: Array) -> Array:
    """As ``Adler.bridge``, for many ranges at once."""
    prime, half = adler.PRIME, np.int64(0xFFFF)
    low = adler.initial - (before & half).astype(np.int64)
    high = count * low - (before >> np.uint32(16)).astype(np.int64)
    upper = ((after >> np.uint32(16)).astype(np.int64) + high) % prime
    found: Array = upper << 16 | ((after & half).astype(np.int64) + low) % prime
    return found


def _registers(name: str, data: Array, register: int) -> Array:
    """The register behind each byte."""
    algorithm = ALGORITHMS[name]
    if isinstance(algorithm, Adler):
        low = (register & 0xFFFF) + np.cumsum(data, dtype=np.int64)
        high = (register >> 16) + np.cumsum(low)
        return (high % algorithm.PRIME << 16 | low % algorithm.PRIME).astype(np.uint32)
    table, reflected = _table(name)
    if accel.ENABLED:
        return accel.registers(data, table, register, reflected=reflected)
    rows = -(-len(data) // _COLUMNS)
    padded: Array = np.zeros(rows * _COLUMNS, np.uint8)
    padded[: len(data)] = data
    columns = np.ascontiguousarray(padded.reshape(rows, _COLUMNS).T)
    view = memoryview(padded.data)
    begun = np.empty(rows, np.uint32)
    for row in range(rows):
        begun[row] = register
        register = algorithm.feed(view[row * _COLUMNS : (row + 1) * _COLUMNS], register)
    found = np.empty((_COLUMNS, rows), np.uint32)
    for number, column in enumerate(columns):
        if reflected:
            begun = table[begun.astype(np.uint8) ^ column] ^ begun >> np.uint32(8)
        else:
            top = (begun >> np.uint32(algorithm.bits - 8)).astype(np.uint8)
            begun = table[top ^ column] ^ begun << np.uint32(8) & np.uint32((1 << algorithm.bits) - 1)
        found[number] = begun
    return np.ascontiguousarray(found.T).reshape(-1)[: len(data)]


@cache
def _table(name: str) -> tuple[Array, bool]:
    """What the register becomes by one byte, and whether its low bits are the ones that go out."""
    algorithm = ALGORITHMS[name]
    table = np.array([algorithm.feed(bytes([byte]), 0) for byte in range(256)], np.uint32)
    return table, algorithm.feed(b"\1", 1) == 0


def _passed(name: str, registers: Array, count: Array) -> Array:
    """What each register becomes over ``count`` zero bytes."""
    level = 0
    most = int(count.max())
    while most:
        digits = count & (_LEVEL - 1)
        if digits.any():
            tables = _passing(name, level)
            if accel.ENABLED:
                registers = accel.passed(registers, digits, tables)
            else:
                registers = _looked_up(registers, digits, tables)
        count, most, level = count >> 8, most >> 8, level + 1
    return registers


def _alike(name: str, registers: Array, count: int) -> Array:
    """What each register becomes over ``count`` zero bytes, alike for all."""
    halves = registers.astype("<u4", copy=False).view("<u2").reshape(-1, 2)
    tables = _halves(name, count)
    found: Array = tables[0].take(halves[:, 0])
    for number, table in enumerate(tables[1:], start=1):
        found ^= table.take(halves[:, number])
    return found


@lru_cache(maxsize=16)
def _halves(name: str, count: int) -> list[Array]:
    """What each two bytes of a register become over ``count`` zero bytes."""
    crc, values = ALGORITHMS[name], np.arange(256, dtype=np.uint32)
    assert isinstance(crc, Crc)
    counts = np.full(256, count)
    single = [_passed(name, values << np.uint32(shift), counts) for shift in range(0, crc.bits, 8)]
    return [(high[:, None] ^ low).reshape(-1) for low, high in zip(single[::2], single[1::2], strict=True)]


def _looked_up(registers: Array, digits: Array, tables: Array) -> Array:
    size = tables.shape[1]
    if len(digits) and (digits == digits[0]).all():
        alike = tables[digits[0]]
        found: Array = alike[0].take(registers.astype(np.uint8))
        for byte in range(1, size):
            found ^= alike[byte].take((registers >> np.uint32(8 * byte)).astype(np.uint8))
        return found
    flat, row = tables.reshape(-1), digits * (size * 256)
    found = flat.take(row + (registers & np.uint32(0xFF)))
    for byte in range(1, size):
        found ^= flat.take(row + (byte * 256 + (registers >> np.uint32(8 * byte) & np.uint32(0xFF))))
    return found


@cache
def _passing(name: str, level: int) -> Array:
    """What each byte of a register becomes over 0, 1, 2, … 255 times ``256 ** level`` zero bytes."""
    crc = ALGORITHMS[name]
    assert isinstance(crc, Crc)
    size = crc.bits // 8
    bits = np.array([crc.passed(1 << bit, _LEVEL**level) for bit in range(crc.bits)], np.uint32)
    values = np.arange(256, dtype=np.uint32)
    once = np.zeros((1, size, 256), np.uint32)
    for bit in range(crc.bits):
        once[0, bit // 8] ^= np.where(values >> np.uint32(bit % 8) & np.uint32(1), bits[bit], np.uint32(0))
    tables = np.zeros((_LEVEL, size, 256), np.uint32)
    tables[0] = values << (8 * np.arange(size, dtype=np.uint32))[:, None]
    nothing = np.zeros(size * 256, np.int64)
    for times in range(1, _LEVEL):
        tables[times] = _looked_up(tables[times - 1].reshape(-1), nothing, once).reshape(size, 256)
    return tables
