"""Hexadecimal floats of IBM in programs."""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import both
from wireloom.programs.reading.decimals import taken
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.selection import looked_up
from wireloom.programs.values import WORD, Number

_ZEROS = [4, 3, 2, 2, *[1] * 4, *[0] * 8]
"""The zeros in front of the bits of a digit."""
BIAS = 1023 - 4 * 64 - 1
"""What the exponent of a double is more than four times that of 16, if its fraction begins with a 1."""


def ibm_float(kind: codec.IbmFloat, at: Lowering) -> Number:
    """The double with the number at the cursor, if it is as it is written and a double has it."""
    asm, place, first = at.asm, *taken(kind.size, at)
    little = at.little if kind.little is None else kind.little
    bits = asm.load(place, first, kind.size, little=little)
    fraction = asm.value(op.AND_NUMBER, (bits,), ((1 << kind.fraction) - 1,))
    exponent = asm.value(op.AND_NUMBER, (asm.value(op.SHIFT_RIGHT, (bits, asm.number(kind.fraction))),), (0x7F,))
    zeros = looked_up(asm, asm.value(op.SHIFT_RIGHT, (fraction, asm.number(kind.fraction - 4))), _ZEROS)
    is_zero = both(asm, asm.value(op.EQUAL_NUMBER, (fraction,), (0,)), asm.value(op.EQUAL_NUMBER, (exponent,), (0,)))
    at.must(asm.value(op.OR, (is_zero, asm.value(op.LESS_NUMBER, (zeros,), (4,)))))
    fraction = asm.value(op.SHIFT_LEFT, (fraction, zeros))
    if kind.fraction > 53:
        at.must(asm.value(op.EQUAL_NUMBER, (asm.value(op.AND_NUMBER, (fraction,), (7,)),), (0,)))
        fraction = asm.value(op.SHIFT_RIGHT, (fraction, asm.number(3)))
    else:
        fraction = asm.value(op.SHIFT_LEFT, (fraction, asm.number(29)))
    power = asm.value(op.ADD_NUMBER, (asm.value(op.MULTIPLY_NUMBER, (exponent,), (4,)),), (BIAS,))
    power = asm.value(op.SHIFT_LEFT, (asm.value(op.SUBTRACT, (power, zeros)), asm.number(52)))
    number = asm.value(op.OR, (power, asm.value(op.AND_NUMBER, (fraction,), ((1 << 52) - 1,))))
    number = asm.value(op.CHOOSE, (is_zero, asm.number(0), number))
    sign = asm.value(op.AND_NUMBER, (asm.value(op.SHIFT_RIGHT, (bits, asm.number(8 * kind.size - 1))),), (1,))
    sign = asm.value(op.CHOOSE, (asm.value(op.MORE_NUMBER, (sign,), (0,)), asm.number(-WORD), asm.number(0)))
    return Number(asm.value(op.OR, (sign, number)), 0, 0, floating=8)
