"""Zoned decimals in programs."""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.reading.decimals import followed, taken
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.selection import looked_up
from wireloom.programs.values import Number

_MINUS, _NEITHER = 0x10, 0x20
"""What tables add to a digit with a minus, and what they have for bytes that are no digits: the digit 0 in its lowest
bits, since rows that are not sound have a number, too.
"""


def zoned_decimal(kind: codec.Zoned, at: Lowering) -> Number:
    """The number in the digits at the cursor, if it is as it is written and has no more than 64 bits."""
    asm, place, first = at.asm, *taken(kind.size, at)
    plain = {kind.zone + digit: digit for digit in range(10)}
    found, most, negative = asm.number(0), 0, asm.number(0)
    for number in range(kind.size):
        has_sign = kind.signed and number == kind.sign_at
        octet = asm.value(op.LOAD_1, (place,), (first + number,))
        meant = _signs(kind) if has_sign else plain
        entry = looked_up(asm, octet, [meant.get(byte, _NEITHER) for byte in range(256)])
        at.must(asm.value(op.LESS_NUMBER, (entry,), (_NEITHER,)))
        if has_sign:
            negative = asm.value(op.MORE_NUMBER, (asm.value(op.AND_NUMBER, (entry,), (_MINUS,)),), (0,))
        if not has_sign or not kind.separate:
            found, most = followed(found, most, asm.value(op.AND_NUMBER, (entry,), (0xF,)), 10, at)
    if kind.signed:
        at.must(asm.value(op.OR, (asm.value(op.NOT, (negative,)), asm.value(op.MORE_NUMBER, (found,), (0,)))))
        found = asm.value(op.CHOOSE, (negative, asm.value(op.SUBTRACT, (asm.number(0), found)), found))
    return Number(found, -most if kind.signed else 0, most, parts=10**kind.scale)


def _signs(kind: codec.Zoned) -> dict[int, int]:
    """What bytes with a sign mean, as they are written: a digit if it is not separate, and whether there is a minus."""
    plus, minus = ([octet] for octet in kind.signs) if kind.separate else kind.signed_digits
    meant = {octet: digit for digit, octet in enumerate(plus)}
    return meant | {octet: _MINUS + digit for digit, octet in enumerate(minus)}
