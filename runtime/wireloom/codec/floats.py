"""Floats of half and single precision through Python's double-precision ones, bit for bit.

``struct`` preserves every number except a NaN: of one of half precision it keeps the sign alone, and of single
precision the processor makes a signalling one quiet.
"""

import struct

_HALF, _SINGLE, _DOUBLE = struct.Struct("<e"), struct.Struct("<f"), struct.Struct("<d")
_SHORT, _WORD, _LONG = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
_HALF_INFINITY = 0x7C00
_INFINITY = 0x7F80_0000
_DOUBLE_INFINITY = 0x7FF0_0000_0000_0000
_HALF_WIDER, _WIDER = 42, 29
"""How many bits longer the fraction of a double is."""


def load_half(bits: int) -> float:
    """The number with these 16 bits."""
    if bits & 0x7FFF <= _HALF_INFINITY:
        number: float = _HALF.unpack(_SHORT.pack(bits))[0]
        return number
    return _nan(bits >> 15, (bits & 0x03FF) << _HALF_WIDER)


def dump_half(number: float) -> int:
    """The 16 bits of a number, rounded if need be. Raises ``OverflowError`` for one that is too large."""
    if number == number:
        bits: int = _SHORT.unpack(_HALF.pack(number))[0]
        return bits
    double: int = _LONG.unpack(_DOUBLE.pack(number))[0]
    return (double >> 63) << 15 | _HALF_INFINITY | (double >> _HALF_WIDER & 0x03FF or 0x0200)


def load(bits: int) -> float:
    """The number with these 32 bits."""
    if bits & 0x7FFF_FFFF <= _INFINITY:
        number: float = _SINGLE.unpack(_WORD.pack(bits))[0]
        return number
    return _nan(bits >> 31, (bits & 0x007F_FFFF) << _WIDER)


def dump(number: float) -> int:
    """The 32 bits of a number, rounded if need be. Raises ``OverflowError`` for one that is too large."""
    if number == number:
        bits: int = _WORD.unpack(_SINGLE.pack(number))[0]
        return bits
    double: int = _LONG.unpack(_DOUBLE.pack(number))[0]
    return (double >> 63) << 31 | _INFINITY | (double >> _WIDER & 0x007F_FFFF or 0x0040_0000)


def nearest(number: float, bits: int) -> float:
    """The nearest number that so many bits have; the number itself if it is too large for them."""
    try:
        return load_half(dump_half(number)) if bits == 16 else load(dump(number))
    except OverflowError:
        return number


def _nan(sign: int, fraction: int) -> float:
    number: float = _DOUBLE.unpack(_LONG.pack(sign << 63 | _DOUBLE_INFINITY | fraction))[0]
    return number
