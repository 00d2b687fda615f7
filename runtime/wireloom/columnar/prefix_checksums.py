"""Checksums of overlapping ranges, from the checksum registers of all prefixes.

The checksum of a range follows from the registers at its two ends, so it costs the same wherever a record could begin,
and however long it claims to be.
"""

from functools import lru_cache

import numpy as np

from wireloom.backends.numpy import checksums
from wireloom.buffers import Array
from wireloom.codec.checksums import Algorithm, Crc, Rolling, Totals, Words
from wireloom.loops import accel, compiled
from wireloom.loops.crc_loops import FLIPPED

_OVERLAP = 4
"""If ranges cover each byte this often, kept registers are used; otherwise they are summed directly."""
_PIECE = 1 << 20
_COLUMNS = 256
_KEPT = 4
_BESIDE = 256


class PrefixChecksums:
    """The checksums of ranges of one buffer. Registers are kept from ``origin`` on, four or eight bytes each."""

    def __init__(self) -> None:
        self._kept: dict[Rolling, tuple[int, Array]] = {}
        self._sums: dict[tuple[Crc, int], tuple[int, Array]] = {}

    def of(self, algorithm: Algorithm, buffer: Array, start: Array, stop: Array) -> Array:
        """The checksum of each range, as 64-bit integers."""
        if not len(start):
            return np.zeros(0, np.int64)
        first, last, count = int(start.min()), int(stop.max()), stop - start
        if int(count.sum()) < _OVERLAP * (last - first) or isinstance(algorithm, Words):
            return checksums.of_ranges(algorithm, buffer, start, stop)
        origin, registers = self._registers(algorithm, buffer, first, last)
        before, after = registers[start - origin], registers[stop - origin]
        if isinstance(algorithm, Totals):
            return _totals(algorithm, before, after, count)
        return checksums.final(algorithm, checksums.passed(algorithm, _begun(algorithm, before), count) ^ after)

    def everywhere(self, crc: Crc, buffer: Array, first: int, count: int, size: int) -> Array:
        """The CRCs of ``size`` bytes from ``first`` on, from the next byte on, and so on, ``count`` of them.

        There are some more, since the other byte order soon needs nearly the same ones.
        """
        begun, sums = self._sums.get((crc, size), (0, np.zeros(0, np.int64)))
        if not begun <= first <= first + count <= begun + len(sums):
            begun, end = max(0, first - _BESIDE), min(len(buffer) - size + 1, first + count + _BESIDE)
            origin, registers = self._registers(crc, buffer, begun, end + size - 1)
            before, after = (registers[at - origin : at - origin + end - begun] for at in (begun, begun + size))
            sums = checksums.final(crc, _alike(crc, _begun(crc, before), size) ^ after)
            if len(self._sums) >= _KEPT:
                self._sums.clear()
            self._sums[crc, size] = begun, sums
        found: Array = sums[first - begun : first - begun + count]
        return found

    def _registers(self, algorithm: Rolling, buffer: Array, first: int, last: int) -> tuple[int, Array]:
        """The start of the registers that are kept, and the registers from there to ``last`` or farther."""
        origin, registers = self._kept.get(algorithm, (first, _zero(algorithm)))
        if first < origin or first >= origin + len(registers) + _PIECE:
            origin, registers = first, _zero(algorithm)
        done = origin + len(registers) - 1
        if done < last:
            kept = max(0, first - _PIECE - origin)  # later ones are no longer needed
            origin, pieces = origin + kept, [registers[kept:]]
            while done < last:
                data = buffer[done : min(len(buffer), done + _PIECE)]
                pieces.append(_registers(algorithm, data, int(pieces[-1][-1])))
                done += len(data)
            registers = np.concatenate(pieces)
        self._kept[algorithm] = origin, registers
        return origin, registers


def _zero(algorithm: Rolling) -> Array:
    """A register of 0."""
    return np.zeros(1, checksums.register_type(algorithm) if isinstance(algorithm, Crc) else np.uint32)


def _begun(crc: Crc, before: Array) -> Array:
    """The difference in the last register of a range if it begins with ``before`` instead of the initial one."""
    found: Array = before ^ before.dtype.type(crc.initial)
    return found


def _totals(totals: Totals, before: Array, after: Array, count: Array) -> Array:
    """As ``Totals.bridge``, for many ranges at once; the checksums."""
    begin, end = before.astype(np.int64), after.astype(np.int64)
    if not totals.twice:
        found: Array = (end - begin + totals.initial) % totals.modulus
        return found
    low = totals.initial - (begin & 0xFFFF)
    high = (end >> 16) - (begin >> 16) + count * low
    told: Array = high % totals.modulus << totals.bits // 2 | ((end & 0xFFFF) + low) % totals.modulus
    return told


def _registers(algorithm: Rolling, data: Array, register: int) -> Array:
    """The register after each byte."""
    if isinstance(algorithm, Totals):
        twice = algorithm.twice
        low = (register & 0xFFFF if twice else register) + np.cumsum(data, dtype=np.int64)
        high = (register >> 16) + np.cumsum(low) if twice else low * 0
        return (high % algorithm.modulus << 16 | low % algorithm.modulus).astype(np.uint32)
    if not algorithm.reflect_in:
        data = FLIPPED[data]
    table = checksums.single(algorithm)
    if accel.WORTH:
        return compiled.registers(data, table, register)
    accel.WORTH.add(len(data))
    rows = -(-len(data) // _COLUMNS)
    padded: Array = np.zeros(rows * _COLUMNS, np.uint8)
    padded[: len(data)] = data
    columns = np.ascontiguousarray(padded.reshape(rows, _COLUMNS).T)
    begun, of = _at_rows(algorithm, columns, register), table.dtype.type
    found = np.empty((_COLUMNS, rows), table.dtype)
    for number, column in enumerate(columns):
        begun = table[begun.astype(np.uint8) ^ column] ^ begun >> of(8)
        found[number] = begun
    return np.ascontiguousarray(found.T).reshape(-1)[: len(data)]


def _at_rows(crc: Crc, columns: Array, register: int) -> Array:
    """The register before each row of bytes, which are summed side by side: a CRC is linear."""
    table = checksums.single(crc)
    added = np.zeros(columns.shape[1], table.dtype)
    for column in columns:
        added = table[added.astype(np.uint8) ^ column] ^ added >> table.dtype.type(8)
    passing = [crc.passed(1 << bit, len(columns)) for bit in range(crc.bits)]
    found = []
    for row in added.tolist():
        found.append(register)
        bits, register = register, row
        while bits:
            lowest = bits & -bits
            register ^= passing[lowest.bit_length() - 1]
            bits ^= lowest
    return np.array(found, table.dtype)


def _alike(crc: Crc, registers: Array, count: int) -> Array:
    """What each register becomes over ``count`` zero bytes, alike for all."""
    width = registers.itemsize
    halves = registers.astype(f"<u{width}", copy=False).view("<u2").reshape(-1, width // 2)
    tables = _halves(crc, count)
    found: Array = tables[0].take(halves[:, 0])
    for number, table in enumerate(tables[1:], start=1):
        found ^= table.take(halves[:, number])
    return found


@lru_cache(maxsize=16)
def _halves(crc: Crc, count: int) -> list[Array]:
    """What each two bytes of a register become over ``count`` zero bytes."""
    of = checksums.register_type(crc)
    values, counts = np.arange(256, dtype=of), np.full(256, count)
    nothing = np.zeros(256, of)
    single = [
        checksums.passed(crc, values << of(shift) & of((1 << crc.bits) - 1), counts) if shift < crc.bits else nothing
        for shift in range(0, 16 * -(-crc.bits // 16), 8)
    ]
    return [(high[:, None] ^ low).reshape(-1) for low, high in zip(single[::2], single[1::2], strict=True)]
