"""Bit fields laid out by programs."""

from collections.abc import Iterator, Mapping

from wireloom import codec
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler, wrapped
from wireloom.programs.values import NoProgramError

HALF = 32
"""So many bits of a text among bits are put together at once."""


def unsigned(asm: Assembler, register: int, kind: codec.As | codec.Bit) -> int:
    """The bits of a bit field's number, as a register that has no others; any bits if it does not fit them."""
    bit = kind.subcon if isinstance(kind, codec.As) else kind
    match bit.sign:
        case None | codec.TwosComplement():
            found = register
        case codec.SignMagnitude():
            magnitude = asm.value(op.SUBTRACT, (asm.number(0), register))
            negative = asm.value(op.OR, (magnitude, asm.number(wrapped(1 << bit.width - 1))))
            found = asm.value(op.CHOOSE, (asm.value(op.LESS_NUMBER, (register,), (0,)), negative, register))
        case codec.OffsetBinary() if bit.width == 64:
            found = asm.value(op.XOR, (register, asm.number(bit.least)))
        case codec.OffsetBinary(offset=offset):
            found = asm.value(op.ADD_NUMBER, (register,), (-offset,))
        case _:
            raise NoProgramError(f"signs of type {type(bit.sign).__name__}")
    return found if bit.width == 64 else asm.value(op.AND_NUMBER, (found,), ((1 << bit.width) - 1,))


def chunks(size: int, *, little: bool) -> Iterator[tuple[int, int, int]]:
    """The parts of a number of so many bytes that are written one by one: the lowest bit of each, how many bytes it
    has, and behind how many others these are.
    """
    for first in range(0, size, 8):
        count = min(8, size - first)
        yield 8 * first, count, first if little else size - first - count


def placed(asm: Assembler, bits: int, width: int, shift: int, low: int, count: int) -> int | None:
    """What bits that stand ``shift`` above the lowest one add to the part of their number that has so many bytes from
    the bit ``low`` on; None if they are in no part of it.
    """
    if shift + width <= low or shift >= low + 8 * count:
        return None
    if shift >= low:
        found = asm.value(op.SHIFT_LEFT, (bits, asm.number(shift - low))) if shift > low else bits
        if width + shift - low >= 64:
            asm.wide.add(found)
        return found
    found = asm.value(op.SHIFT_RIGHT, (bits, asm.number(low - shift)))
    return asm.value(op.AND_NUMBER, (found,), ((1 << width - (low - shift)) - 1,))


def piece(asm: Assembler, register: int, by: int, width: int, to: int) -> int:
    """So many bits of a number, from the bit ``by`` on, moved up ``to`` another bit."""
    found = asm.value(op.SHIFT_RIGHT, (register, asm.number(by))) if by else register
    found = asm.value(op.AND_NUMBER, (found,), ((1 << width) - 1,))
    return asm.value(op.SHIFT_LEFT, (found, asm.number(to))) if to else found


def both_halves(asm: Assembler, words: Mapping[int, int], low: int, count: int) -> int:
    """So many bytes of a number from the bit ``low`` on, of which 32 bits each are known; those that are not are 0."""
    word, high = words.get(low, asm.number(0)), words.get(low + HALF)
    if high is None or 8 * count <= HALF:
        return word
    high = asm.value(op.SHIFT_LEFT, (high, asm.number(HALF)))
    asm.wide.add(high)
    return asm.value(op.OR, (word, high))
