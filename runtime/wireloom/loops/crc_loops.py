"""A CRC of bytes in memory, for compiled loops. The register is reflected, as in ``wireloom.codec.checksums``."""

from functools import cache

import numpy as np

from wireloom.buffers import Array
from wireloom.codec.checksums import REVERSED, Crc, table
from wireloom.loops.memory import folded, folds, i8, shifted, u1

SLICES = 8
"""How many bytes are looked up together."""
_BLOCK = 16
_CONSTANTS = 8 * SLICES * 256
"""Where the constants are after the tables, in bytes."""
FLIPPED = np.frombuffer(REVERSED, np.uint8)
"""Each byte with its bits in the other order."""


def behind(register: int, at: int, stop: int, tables: int, flipped: int) -> int:
    """The register behind the bytes from ``at`` to before ``stop``. At ``tables`` is what ``word_tables`` gives, and at
    ``flipped`` each byte with its bits in the other order, or 0 if they are taken as they are.
    """
    first = at
    if flipped == 0 and stop - at >= _BLOCK and folds():
        return folded(register, at, stop - at, tables + _CONSTANTS)
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
    """The register after eight bytes that were added to it."""
    found = 0
    for byte in range(SLICES):
        found ^= i8(tables + 2048 * byte + 8 * (shifted(word, 8 * byte) & 0xFF))
    return found


@cache
def word_tables(crc: Crc) -> Array:
    """What each byte at each of eight places adds to the register, and the constants of ``folded``: 64-bit integers."""
    tables = sliced(np.array(table(crc.bits, crc.poly), np.uint64))
    found = np.concatenate([*tables, np.array(_constants(crc), np.uint64)]).view(np.int64)
    ALGORITHMS[found.ctypes.data] = crc
    return found


ALGORITHMS: dict[int, Crc] = {}
"""The CRCs that ``word_tables`` was asked for, by the addresses of their tables."""


def sliced(one: Array) -> list[Array]:
    """What each byte at each of ``SLICES`` places adds to a register; ``one`` is what the last of them adds."""
    tables, of = [one], one.dtype.type
    for _ in range(SLICES - 1):
        tables.insert(0, one[tables[0] & of(0xFF)] ^ tables[0] >> of(8))
    return tables


def _constants(crc: Crc) -> tuple[int, ...]:
    """The powers of x that move the first and the last eight bytes of a block behind the next one, and behind the one
    after that; what stands for the division by the polynomial, and the polynomial, both without their last coefficient;
    and this one, in all bits.

    Registers are as if the polynomial had 64 bits. A product of two reflected numbers stands a bit too low, hence 191
    instead of 192.
    """
    divisor = (1 << crc.bits | crc.poly) << 64 - crc.bits
    powers = [_divided(1 << exponent, divisor)[1] for exponent in (191, 127, 319, 255)]
    numbers = *powers, _divided(1 << 128, divisor)[0] >> 1, divisor >> 1
    return *(int(f"{number:064b}"[::-1], 2) for number in numbers), (divisor & 1) * ((1 << 64) - 1)


def _divided(number: int, divisor: int) -> tuple[int, int]:
    """The quotient of two polynomials, and the remainder."""
    quotient = 0
    while (shift := number.bit_length() - divisor.bit_length()) >= 0:
        quotient |= 1 << shift
        number ^= divisor << shift
    return quotient, number
