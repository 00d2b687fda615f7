"""Packed decimals in programs that write."""

from collections.abc import Iterator

from wireloom import codec
from wireloom.codec.digits import Digits
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.reading.decimals import swapped_nibbles
from wireloom.programs.selection import looked_up
from wireloom.programs.values import NoProgramError


def octets_of(asm: Assembler, register: int, kind: Digits) -> Iterator[int]:
    """The bytes of a number in digits, the last one first. Raises ``NoProgramError``."""
    match kind:
        case codec.Bcd():
            return packed(asm, register, kind)
        case codec.Zoned():
            return zoned(asm, register, kind)
    raise NoProgramError(f"parts of type {type(kind).__name__}")


def packed(asm: Assembler, register: int, kind: codec.Bcd) -> Iterator[int]:
    """The bytes of a packed decimal, the last one first."""
    octets = [swapped_nibbles(asm, octet) if kind.low else octet for octet in _packed(asm, register, kind)]
    yield from reversed(octets) if kind.little else octets


def _packed(asm: Assembler, register: int, kind: codec.Bcd) -> Iterator[int]:
    """The same in the usual order, the lowest digits first."""
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


def zoned(asm: Assembler, register: int, kind: codec.Zoned) -> Iterator[int]:
    """The bytes of a zoned decimal, the last one first."""
    ten, left, negative = asm.number(10), register, asm.number(0)
    if kind.signed:
        negative = asm.value(op.LESS_NUMBER, (register,), (0,))
        left = asm.value(op.CHOOSE, (negative, asm.value(op.SUBTRACT, (asm.number(0), register)), register))
    for at in reversed(range(kind.size)):
        if kind.separate and at == kind.sign_at:
            yield asm.value(op.CHOOSE, (negative, *map(asm.number, reversed(kind.signs))))
            continue
        digit = asm.value(op.MODULO, (left, ten))
        left = asm.value(op.DIVIDE, (left, ten))
        if kind.signed and at == kind.sign_at:
            digit = asm.value(op.ADD, (digit, asm.value(op.CHOOSE, (negative, ten, asm.number(0)))))
            yield looked_up(asm, digit, [*b"".join(kind.signed_digits)])
        else:
            yield asm.value(op.ADD_NUMBER, (digit,), (kind.zone,))
