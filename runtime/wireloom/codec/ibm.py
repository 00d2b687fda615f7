"""Hexadecimal floats of IBM's System/360: a sign, an exponent of 16 and a fraction of 24 or 56 bits.

The number is ``0.fraction * 16 ** (exponent - 64)``. It is written with a first digit of the fraction that is not 0. If
the field has ``raw``, which keeps the bytes, others are read as well: fractions with leading zeros, zeros with an
exponent, and fractions that a double does not have, as the nearest double.
"""

import math
from typing import Any

from wireloom.codec.accepted_values import unfit
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.values import Scalar

_BIAS = 64


class IbmFloat(Scalar):
    """A number of 4 or 8 ``size`` bytes. ``little`` is the byte order; None if that is the record's."""

    type = "double"
    size: int

    def __init__(self, size: int, *, little: bool | None = False) -> None:
        super().__init__()
        self.size = size
        self.little = little
        self.fraction = 8 * size - 8
        """The bits of the fraction."""

    def load(self, bits: int) -> float:
        """The number with these bits, or the nearest double."""
        fraction = bits & (1 << self.fraction) - 1
        exponent = (bits >> self.fraction & 0x7F) - _BIAS
        number = math.ldexp(float(fraction), 4 * exponent - self.fraction)
        return -number if bits >> 8 * self.size - 1 else number

    def dump(self, number: float) -> int:
        """The bits of a number, rounded if need be. Raises ``OverflowError`` for one that is too large."""
        sign = int(math.copysign(1, number) < 0) << 8 * self.size - 1
        mantissa, power = math.frexp(abs(number))
        exponent = -(-power // 4)
        fraction = round(math.ldexp(mantissa, power - 4 * exponent + self.fraction)) if number else 0
        if fraction >> self.fraction:
            fraction, exponent = fraction >> 4, exponent + 1
        if exponent >= _BIAS:
            raise OverflowError
        if exponent < -_BIAS:
            fraction = 0
        return sign | ((exponent + _BIAS) << self.fraction | fraction if fraction else 0)

    def _parse(self, stream: Any, context: Any, path: str) -> float:
        start, order = stream.pos, self._order(stream.little)
        data = stream.take(self.size)
        bits = int.from_bytes(data, order)
        number = self.load(bits)
        if self.strict and (usual := self.dump(number)) != bits:
            what = f"{number} is written {usual.to_bytes(self.size, order).hex()}, found {data.hex()}"
            stream.refuse(DecodeError("invalid", what, start))
        return number

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, int | float) or obj != obj:
            raise EncodeError(f"a number expected, not {obj}" if obj != obj else unfit(obj, "double", 8 * self.size))
        try:
            bits = self.dump(float(obj))
        except OverflowError:
            raise EncodeError(unfit(obj, "double", 8 * self.size)) from None
        if self.load(bits) != obj:
            raise EncodeError(f"{obj} is no number of {self.size} bytes; the nearest is {self.load(bits)}")
        stream.write(bits.to_bytes(self.size, self._order(stream.little)))
        return obj

    def _order(self, little: bool) -> Any:
        return "little" if (little if self.little is None else self.little) else "big"
