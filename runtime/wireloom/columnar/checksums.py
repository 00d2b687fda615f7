"""Checksums of many byte ranges at once."""

from functools import cache
from zlib import crc32

import numpy as np

from wireloom.codec.checksums import ALGORITHMS
from wireloom.columnar import accel
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.fields import Checksum, number
from wireloom.columnar.rows import Rows, Values


def wrong(checksum: Checksum, at: Rows, this: Values, rows: Array, found: Array) -> tuple[Array, Array]:
    """The ``rows`` whose checksum is not the one ``found``, and the right ones; rows without a range are doubted."""
    begin, begins = number(checksum.start(this, at.record, at.frame), at)
    end, ends = number(checksum.end(this, at.record, at.frame), at)
    start, stop = at.start + begin, at.start + end
    sound = (begin >= 0) & (start <= stop) & (stop <= at.batch.stop[at.index])
    for valid in (begins, ends):
        sound &= True if valid is None else valid
    at.doubt(rows[~sound[rows]])
    rows = rows[sound[rows]]
    sums = of_ranges(checksum.algorithm, at.batch.buffer, start[rows], stop[rows])
    differs = sums != found[rows].astype(np.int64)
    return rows[differs], sums[differs]


def of_ranges(algorithm: str, buffer: Array, start: Array, stop: Array) -> Array:
    """The checksum of each range of ``buffer``, as 64-bit integers."""
    if algorithm not in _REFLECTED:
        summed, view = ALGORITHMS[algorithm], memoryview(buffer.data)
        ranges = zip(start.tolist(), stop.tolist(), strict=True)
        return np.fromiter((summed(view[a:b]) for a, b in ranges), np.int64, len(start))
    register, final = _REFLECTED[algorithm]
    if accel.ENABLED:
        return accel.crc32(buffer, start, stop, _tables(accel.SLICES), register, final)
    sizes = stop - start
    found = np.zeros(len(start), np.int64)
    rest = np.ones(len(start), bool)
    for size in np.flatnonzero(np.bincount(np.minimum(sizes, _TABLED + 1)) >= _COMMON).tolist():
        if 0 < size <= _TABLED:
            mine = sizes == size
            found[mine] = _of_one_size(buffer, start[mine], size, register, final)
            rest &= ~mine
    # zlib has both inversions built in; whatever the register and the final XOR are, they can be undone.
    begin, view = register ^ _ONES, memoryview(buffer.data)
    ranges = zip(start[rest].tolist(), stop[rest].tolist(), strict=True)
    sums = [crc32(view[a:b], begin) for a, b in ranges]
    found[rest] = np.array(sums, np.int64) ^ (_ONES ^ final)
    return found


_ONES = 0xFFFFFFFF
_POLYNOMIAL = 0xEDB88320
_REFLECTED = {"crc32": (_ONES, _ONES), "crc32_zero": (0, 0)}
"""CRC-32 with its initial register and final XOR."""
_TABLED = 64
_COMMON = 256
"""If there are this many ranges of one size, up to the first, tables are used, since a CRC is linear."""


@cache
def _table() -> Array:
    """The CRC of each single byte, register 0."""
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, crc >> np.uint32(1) ^ np.uint32(_POLYNOMIAL), crc >> np.uint32(1))
    return crc


@cache
def _tables(size: int) -> Array:
    """For each position of ``size`` bytes, what each byte there adds to the CRC."""
    single = _table()
    tables = np.zeros((size, 256), np.uint32)
    tables[size - 1] = single
    for position in range(size - 2, -1, -1):
        behind = tables[position + 1]
        tables[position] = single[behind & 0xFF] ^ behind >> np.uint32(8)
    return tables


def _of_one_size(buffer: Array, start: Array, size: int, register: int, final: int) -> Array:
    """CRCs of ranges of one size: the sum of the contributions of their bytes and of the initial register."""
    data = windows(buffer, start, size).view(np.uint8).reshape(-1, size)
    tables = _tables(size)
    crc = np.full(len(data), _shifted(register, size), np.uint32)
    for position in range(size):
        crc ^= tables[position].take(data[:, position])
    return (crc ^ np.uint32(final)).astype(np.int64)


@cache
def _shifted(register: int, size: int) -> int:
    """What a register becomes after ``size`` zero bytes."""
    single = _table()
    for _ in range(size):
        register = int(single[register & 0xFF]) ^ register >> 8
    return register
