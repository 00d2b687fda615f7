"""Packed decimals in programs."""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.selection import looked_up
from wireloom.programs.values import WORD, Number

_MINUS = 0xD
_PAIRS = [10 * (byte >> 4) + (byte & 15) if byte >> 4 < 10 and byte & 15 < 10 else -1 for byte in range(256)]
"""What two digits in each byte are together; -1 where they are none."""


def packed_decimal(kind: codec.Bcd, at: Lowering) -> Number:
    """The number in the digits at the cursor, if it is as it is written and has no more than 64 bits."""
    asm, place, first = at.asm, *taken(kind.size, at)
    octets = [asm.value(op.LOAD_1, (place,), (first + number,)) for number in range(kind.size)]
    octets = [swapped_nibbles(asm, octet) for octet in octets] if kind.low else octets
    octets = octets[::-1] if kind.little else octets
    if 2 * kind.size - len(kind.signs[:1]) > kind.digits:
        at.must(asm.value(op.LESS_NUMBER, (octets[0],), (0x10,)))
    found, most = asm.number(0), 0
    for octet in octets[:-1] if kind.signs else octets:
        pair = looked_up(asm, octet, _PAIRS)
        at.must(asm.value(op.MORE_NUMBER, (pair,), (-1,)))
        found, most = followed(found, most, pair, 100, at)
    negative = asm.number(0)
    if kind.signs:
        digit = asm.value(op.SHIFT_RIGHT, (octets[-1], asm.number(4)))
        at.must(asm.value(op.LESS_NUMBER, (digit,), (10,)))
        found, most = followed(found, most, digit, 10, at)
        negative = _sign(kind, octets[-1], found, at)
        found = asm.value(op.CHOOSE, (negative, asm.value(op.SUBTRACT, (asm.number(0), found)), found))
    return Number(found, -most if len(kind.signs) > 1 else 0, most, parts=10**kind.scale)


def swapped_nibbles(asm: Assembler, octet: int) -> int:
    """A byte with its nibbles in the other order."""
    low = asm.value(op.MULTIPLY_NUMBER, (asm.value(op.AND_NUMBER, (octet,), (0xF,)),), (16,))
    return asm.value(op.OR, (low, asm.value(op.SHIFT_RIGHT, (octet, asm.number(4)))))


def taken(size: int, at: Lowering) -> tuple[int, int]:
    """The position of so many bytes at the cursor, and how far behind it they are; goes on behind them."""
    at.need((None, size))
    place, first = at.position, at.shift
    at.shift += size
    return place, first


def followed(found: int, most: int, more: int, base: int, at: Lowering) -> tuple[int, int]:
    """A number and the most that it can be, with more digits behind it. Rows in which it does not fit are not sound."""
    asm, bound = at.asm, WORD // base - 1
    if most > bound:
        at.partial = True
        at.must(asm.value(op.LESS_NUMBER, (found,), (bound + 1,)))
        most = bound
    return asm.value(op.ADD, (asm.value(op.MULTIPLY_NUMBER, (found,), (base,)), more)), most * base + base - 1


def _sign(kind: codec.Bcd, octet: int, found: int, at: Lowering) -> int:
    """The mask of the rows whose sign is a minus, which no zero has. Rows with an unusual sign are not sound."""
    asm, sign = at.asm, at.asm.value(op.AND_NUMBER, (octet,), (0xF,))
    plus = asm.value(op.EQUAL_NUMBER, (sign,), (int(kind.signs[0], 16),))
    if len(kind.signs) == 1:
        at.must(plus)
        return asm.number(0)
    minus = both(asm, asm.value(op.EQUAL_NUMBER, (sign,), (_MINUS,)), asm.value(op.MORE_NUMBER, (found,), (0,)))
    at.must(asm.value(op.OR, (plus, minus)))
    return minus
