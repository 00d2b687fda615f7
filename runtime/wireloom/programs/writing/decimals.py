"""Packed decimals in programs that write."""

from collections.abc import Iterator

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler


def packed(asm: Assembler, register: int, kind: codec.Bcd) -> Iterator[int]:
    """The bytes of a packed decimal, the last one first."""
    ten, hundred = asm.number(10), asm.number(100)
    left = register
    if kind.signs:
        sign = asm.number(int(kind.signs[0], 16))
        if len(kind.signs) > 1:
            negative = asm.value(op.LESS_NUMBER, (register,), (0,))
            left = asm.value(op.CHOOSE, (negative, asm.value(op.SUBTRACT, (asm.number(0), register)), register))
            sign = asm.value(op.CHOOSE, (negative, asm.number(int(kind.signs[1], 16)), sign))
        digit = asm.value(op.MULTIPLY_NUMBER, (asm.value(op.MODULO, (left, ten)),), (16,))
        yield asm.value(op.ADD, (digit, sign))
        left = asm.value(op.DIVIDE, (left, ten))
    for _ in range(kind.size - len(kind.signs[:1])):
        pair = asm.value(op.MODULO, (left, hundred))
        tens = asm.value(op.DIVIDE, (pair, ten))
        yield asm.value(op.ADD, (pair, asm.value(op.MULTIPLY_NUMBER, (tens,), (6,))))
        left = asm.value(op.DIVIDE, (left, hundred))
