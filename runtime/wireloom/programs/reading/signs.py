"""Signed bit fields in programs."""

from wireloom import codec
from wireloom.codec.signs import NEGATIVE_ZERO, Sign
from wireloom.programs import opcodes as op
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reasons import Reason
from wireloom.programs.values import NoProgramError, Number


def signed(at: Lowering, register: int, sign: Sign, width: int, place: int) -> Number:
    """The number that the lowest bits of a register represent. Rows in which they represent none are not sound: the
    integer at this place is invalid.
    """
    asm, (least, most) = at.asm, sign.ends(width)
    match sign:
        case codec.TwosComplement():
            found = _extended(at, register, width)
        case codec.SignMagnitude():
            extended = _extended(at, register, width)
            negative_zero = asm.value(op.EQUAL_NUMBER, (extended,), (-(1 << width - 1),))
            at.must(asm.value(op.NOT, (negative_zero,)), reason=Reason("invalid", place, (NEGATIVE_ZERO,)))
            magnitude = asm.value(op.AND_NUMBER, (register,), (most,))
            opposite = asm.value(op.SUBTRACT, (asm.number(0), magnitude))
            found = asm.value(op.CHOOSE, (asm.value(op.LESS_NUMBER, (extended,), (0,)), opposite, magnitude))
        case codec.OffsetBinary(offset=offset):
            unsigned = register if width == 64 else asm.value(op.AND_NUMBER, (register,), ((1 << width) - 1,))
            found = at.moved(unsigned, offset)
        case _:
            raise NoProgramError(f"signs of type {type(sign).__name__}")
    return Number(found, least, most)


def _extended(at: Lowering, register: int, width: int) -> int:
    """What the lowest bits of a register are in two's complement."""
    return register if width == 64 else at.asm.value(op.SIGN, (register,), (width,))
