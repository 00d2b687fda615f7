"""Single-precision floats through Python's double-precision ones, bit for bit.

``struct`` preserves every number except a signalling NaN: the processor makes it quiet, which changes its bits.
"""

import struct

_SINGLE, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")
_WORD, _LONG = struct.Struct("<I"), struct.Struct("<Q")
_INFINITY = 0x7F80_0000
_DOUBLE_INFINITY = 0x7FF0_0000_0000_0000
_WIDER = 29
"""How many bits longer the fraction of a double is."""


def load(bits: int) -> float:
    """The number with these 32 bits."""
    if bits & 0x7FFF_FFFF <= _INFINITY:
        number: float = _SINGLE.unpack(_WORD.pack(bits))[0]
        return number
    fraction = (bits & 0x007F_FFFF) << _WIDER
    nan: float = _DOUBLE.unpack(_LONG.pack((bits >> 31) << 63 | _DOUBLE_INFINITY | fraction))[0]
    return nan


def dump(number: float) -> int:
    """The 32 bits of a number, rounded if need be. Raises ``OverflowError`` for one that is too large."""
    if number == number:
        bits: int = _WORD.unpack(_SINGLE.pack(number))[0]
        return bits
    double: int = _LONG.unpack(_DOUBLE.pack(number))[0]
    fraction = double >> _WIDER & 0x007F_FFFF
    return (double >> 63) << 31 | _INFINITY | (fraction or 0x0040_0000)
