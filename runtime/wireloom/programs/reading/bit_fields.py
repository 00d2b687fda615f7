"""Bit fields in programs: some bits of a number that is loaded, or of bytes in memory, and what their sign is."""

from wireloom import codec
from wireloom.codec.signs import NEGATIVE_ZERO, Sign
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import some_bits
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.reasons import Reason
from wireloom.programs.values import NoProgramError, Number


def bit_field(at: Lowering, kind: codec.As | codec.Bit, word: Number, shift: int, start: int) -> Number:
    """The number of a bit field of a number that starts there. Raises ``NoProgramError``."""
    bit = kind.subcon if isinstance(kind, codec.As) else kind
    if bit.sign is not None:
        return _signed(at, _shifted(at, word.register, shift), bit.sign, bit.width, start)
    return word if bit.width == 64 else some_bits(at.asm, word, shift, (1 << bit.width) - 1)


def bits_in_memory(at: Lowering, place: int, size: int, shift: int, width: int, *, little: bool) -> Number:
    """Some bits of a number of any size whose bytes are at a place behind the position: its lowest ones."""
    asm = at.asm
    low = shift % 8
    count = -(-(low + width) // 8)
    first = shift // 8 if little else size - shift // 8 - count
    begin = place + first
    loaded = [asm.load(at.position, begin, min(count, 8), little=little)]
    if count > 8:
        loaded.append(asm.load(at.position, begin + 8, 1, little=little))
    asm.parts |= dict.fromkeys(loaded, place)
    if count <= 8:
        register = _shifted(at, loaded[0], low)
    else:
        high, rest = loaded
        if little:
            high, rest = rest, asm.value(op.AND_NUMBER, (_shifted(at, high, low),), ((1 << 64 - low) - 1,))
            above = 64 - low
        else:
            rest, above = _shifted(at, rest, low), 8 - low
        high = asm.value(op.SHIFT_LEFT, (high, asm.number(above)))
        asm.wide.add(high)
        register = asm.value(op.OR, (high, rest))
    return Number(register, 0, (1 << 64) - 1)


def _shifted(at: Lowering, register: int, shift: int) -> int:
    return at.asm.value(op.SHIFT_RIGHT, (register, at.asm.number(shift))) if shift else register


def _signed(at: Lowering, register: int, sign: Sign, width: int, start: int) -> Number:
    """The number that the lowest bits of a register represent. Rows in which they represent none are not sound: the
    number that starts there is invalid.
    """
    asm, (least, most) = at.asm, sign.ends(width)
    match sign:
        case codec.TwosComplement():
            found = _extended(at, register, width)
        case codec.SignMagnitude():
            extended = _extended(at, register, width)
            negative_zero = asm.value(op.EQUAL_NUMBER, (extended,), (-(1 << width - 1),))
            at.must(asm.value(op.NOT, (negative_zero,)), reason=Reason("invalid", start, (NEGATIVE_ZERO,)))
            magnitude = asm.value(op.AND_NUMBER, (register,), (most,))
            opposite = asm.value(op.SUBTRACT, (asm.number(0), magnitude))
            found = asm.value(op.CHOOSE, (asm.value(op.LESS_NUMBER, (extended,), (0,)), opposite, magnitude))
        case codec.OffsetBinary() if width == 64:  # 2^63 less is the only offset with which all of them fit
            found = asm.value(op.XOR, (register, asm.number(least)))
        case codec.OffsetBinary(offset=offset):
            unsigned = asm.value(op.AND_NUMBER, (register,), ((1 << width) - 1,))
            found = asm.value(op.ADD_NUMBER, (unsigned,), (offset,))
        case _:
            raise NoProgramError(f"signs of type {type(sign).__name__}")
    return Number(found, least, most)


def _extended(at: Lowering, register: int, width: int) -> int:
    """What the lowest bits of a register are in two's complement."""
    return register if width == 64 else at.asm.value(op.SIGN, (register,), (width,))
