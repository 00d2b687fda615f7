"""Packed decimals of many rows at once."""

import numpy as np
import pyarrow as pa

from wireloom import codec
from wireloom.codec.bcd import MINUS, PLUS
from wireloom.columnar import buffers
from wireloom.columnar.arrays import Column, Made, Numbers
from wireloom.columnar.buffers import Array
from wireloom.columnar.frames import Values
from wireloom.columnar.rows import Rows

_LONG = 18
"""Any number with this many digits fits 64 bits."""
_CHUNK = 9
"""Any number with this many digits fits 32 bits, with room for carries."""


_PLUS, _MINUS = ([int(nibble, 16) for nibble in nibbles] for nibbles in (PLUS, MINUS))


class Bcd:
    """Packed decimals of one kind. Those with other signs are kept if they can be; anything else is doubtful."""

    def __init__(self, kind: codec.Bcd) -> None:
        self.digits = kind.digits
        self.scale = kind.scale
        self.signs = kind.signs
        self.fixed = kind.size

    def read(self, at: Rows, this: Values) -> Column:
        raw, offset = at.gather(self.fixed)
        octets = raw.view(np.uint8).reshape(len(at), raw.itemsize)[:, offset : offset + self.fixed]
        nibbles = np.stack([octets >> 4, octets & 0x0F], axis=2).reshape(len(at), 2 * self.fixed)
        digits, negative = nibbles, np.zeros(len(at), bool)
        wrong = np.zeros(len(at), bool)
        if self.signs:
            digits, sign = nibbles[:, :-1], nibbles[:, -1]
            negative = np.isin(sign, _MINUS) & digits.any(axis=1)
            wrong |= ~np.isin(sign, _PLUS + _MINUS) | (negative & (len(self.signs) == 1))
            other = sign != np.where(negative, int(self.signs[-1], 16), int(self.signs[0], 16))
            if other.any():
                at.keep(other & ~wrong)
        wrong |= (digits > 9).any(axis=1)
        digits, rest = digits[:, -self.digits :], digits[:, : -self.digits]
        wrong |= rest.any(axis=1)
        if wrong.any():
            at.doubt(wrong)
            digits, negative = np.where(wrong[:, None], 0, digits), negative & ~wrong
        if self.digits > _LONG:
            words = _words(digits, negative)
            return Made(buffers.array(pa.decimal128(self.digits, self.scale), len(at), None, words))
        number = _number(digits)
        return Numbers(np.where(negative, -number, number))


def _number(digits: Array) -> Array:
    """The number given by the digits of each row."""
    found: Array = digits @ 10 ** np.arange(digits.shape[1] - 1, -1, -1, dtype=np.int64)
    return found


def _words(digits: Array, negative: Array) -> Array:
    """The same as 128-bit numbers, in two words each, the lower word first."""
    limbs = np.zeros((4, len(digits)), np.uint64)
    mask, half = np.uint64(0xFFFF_FFFF), np.uint64(32)
    first = digits.shape[1] % _CHUNK
    for end in range(first or _CHUNK, digits.shape[1] + 1, _CHUNK):
        carried = _number(digits[:, max(0, end - _CHUNK) : end]).astype(np.uint64)
        for limb in limbs:
            limb *= np.uint64(10**_CHUNK)
            limb += carried
            carried = limb >> half
            limb &= mask
    words = np.stack([limbs[0] | limbs[1] << half, limbs[2] | limbs[3] << half], axis=1)
    words[negative] = ~words[negative]
    words[negative, 0] += np.uint64(1)
    words[negative & (words[:, 0] == 0), 1] += np.uint64(1)
    return words
