"""A CRC of bytes in memory, for compiled loops. The register is reflected, as in ``wireloom.codec.checksums``."""

from functools import cache

import numpy as np

from wireloom.codec.checksums import REVERSED, Crc, table
from wireloom.columnar.buffers import Array
from wireloom.columnar.memory import folded, folds, i8, shifted, u1

SLICES = 8
"""How many bytes are looked up together."""
_BLOCK = 16
_CONSTANTS = 8 * SLICES * 256
"""Where the constants are behind the tables, in bytes."""
FLIPPED = np.frombuffer(REVERSED, np.uint8)
"""Each byte with its bits in the other order."""


def behind(register: int, at: int, stop: int, tables: int, flipped: int) -> int:
    """The register behind the bytes from ``at`` to before ``stop``. At ``tables`` is what ``word_tables`` gives, and at
    ``flipped`` each byte with its bits in the other order, or 0 if they are taken as they are.
    """
    first, blocks = at, (stop - at) // _BLOCK
    if flipped == 0 and blocks > 1 and folds():
        low, high = folded(register, at, blocks, i8(tables + _CONSTANTS), i8(tables + _CONSTANTS + 8))
        register = _word(_word(low, tables) ^ high, tables)
        at += _BLOCK * blocks
    while at + SLICES <= stop:
        word = i8(at)
        if flipped != 0:
            word = 0
            for byte in range(SLICES):
                word |= u1(flipped + u1(at + byte)) << 8 * byte
        register = _word(word ^ register, tables)
        at += SLICES
    left = stop - at
    if flipped == 0 and left > 0 and stop - first >= SLICES:
        changed = register ^ shifted(i8(stop - SLICES), 8 * (SLICES - left))
        register = shifted(register, 8 * left)
        for byte in range(left):
            register ^= i8(tables + 2048 * (SLICES - left + byte) + 8 * (shifted(changed, 8 * byte) & 0xFF))
        return register
    while at < stop:
        value = u1(at) if flipped == 0 else u1(flipped + u1(at))
        register = shifted(register, 8) ^ i8(tables + 2048 * (SLICES - 1) + 8 * ((register ^ value) & 0xFF))
        at += 1
    return register


def _word(word: int, tables: int) -> int:
    """The register behind eight bytes that the register was added to."""
    found = 0
    for byte in range(SLICES):
        found ^= i8(tables + 2048 * byte + 8 * (shifted(word, 8 * byte) & 0xFF))
    return found


@cache
def word_tables(crc: Crc) -> Array:
    """What each byte at each of eight places adds to the register, and what ``folded`` multiplies with, as 64-bit
    integers.
    """
    one = np.array(table(crc.bits, crc.poly), np.uint64)
    tables = [one]
    for _ in range(SLICES - 1):
        tables.insert(0, one[tables[0] & np.uint64(0xFF)] ^ tables[0] >> np.uint64(8))
    return np.concatenate([*tables, np.array(_constants(crc), np.uint64)]).view(np.int64)


def _constants(crc: Crc) -> tuple[int, int]:
    """Powers of x modulo the polynomial, the highest coefficient in the lowest bit: those that move eight bytes of a
    block behind the next one. A product of two reflected numbers stands a bit too low, hence 191 instead of 192.
    """
    found, power = [], 1
    for exponent in range(1, 192):
        power <<= 1
        if power >> crc.bits:
            power ^= 1 << crc.bits | crc.poly
        if exponent in (127, 191):
            found.append(int(f"{power:064b}"[::-1], 2))
    return found[1], found[0]
