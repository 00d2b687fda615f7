"""Hexadecimal floats of IBM in programs that write."""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.reading.ibm import BIAS
from wireloom.programs.values import WORD


def ibm_bits(asm: Assembler, register: int, kind: codec.IbmFloat) -> int:
    """The bits that a double is written as, if it is one of these numbers: else the record does not say it."""
    double = asm.value(op.AND_NUMBER, (register,), (WORD - 1,))
    power = asm.value(op.ADD_NUMBER, (asm.value(op.SHIFT_RIGHT, (double, asm.number(52))),), (-BIAS,))
    exponent = asm.value(op.SHIFT_RIGHT, (asm.value(op.ADD_NUMBER, (power,), (3,)), asm.number(2)))
    zeros = asm.value(op.SUBTRACT, (asm.value(op.MULTIPLY_NUMBER, (exponent,), (4,)), power))
    fraction = asm.value(op.OR, (asm.value(op.AND_NUMBER, (double,), ((1 << 52) - 1,)), asm.number(1 << 52)))
    way, by = (op.SHIFT_LEFT, 3) if kind.fraction > 53 else (op.SHIFT_RIGHT, 29)
    fraction = asm.value(op.SHIFT_RIGHT, (asm.value(way, (fraction, asm.number(by))), zeros))
    exponent = asm.value(op.SHIFT_LEFT, (asm.value(op.AND_NUMBER, (exponent,), (0x7F,)), asm.number(kind.fraction)))
    number = asm.value(op.OR, (exponent, fraction))
    number = asm.value(op.CHOOSE, (asm.value(op.EQUAL_NUMBER, (double,), (0,)), asm.number(0), number))
    minus = asm.number(-WORD if kind.size == 8 else 1 << 31)
    sign = asm.value(op.CHOOSE, (asm.value(op.LESS_NUMBER, (register,), (0,)), minus, asm.number(0)))
    return asm.value(op.OR, (sign, number))
