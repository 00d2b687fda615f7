"""Signed bit fields laid out by programs."""

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, wrapped
from wireloom.programs.values import NoProgramError


def unsigned(asm: Assembler, register: int, kind: codec.As | codec.Bit) -> int:
    """The bits of a bit field's number, if it fits them, as the lowest ones of a register."""
    bit = kind.subcon if isinstance(kind, codec.As) else kind
    match bit.sign:
        case None | codec.TwosComplement():
            return register
        case codec.SignMagnitude():
            is_negative = asm.value(op.LESS_NUMBER, (register,), (0,))
            magnitude = asm.value(op.SUBTRACT, (asm.number(0), register))
            negative = asm.value(op.OR, (magnitude, asm.number(wrapped(1 << bit.width - 1))))
            return asm.value(op.CHOOSE, (is_negative, negative, register))
        case codec.OffsetBinary(offset=offset):
            return asm.value(op.ADD_NUMBER, (register,), (-offset,))
    raise NoProgramError(f"signs of type {type(bit.sign).__name__}")
