"""Numbers as digits in programs that write."""

from collections.abc import Iterator
from typing import NamedTuple, Self

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


class Spelled(NamedTuple):
    """The ASCII characters of the ``number`` in a register: so many ``digits``, behind a minus where the mask
    ``negative`` is set. They are ``size`` together.
    """

    asm: Assembler
    kind: codec.Ascii
    number: int
    negative: int
    digits: int
    size: int

    @classmethod
    def of(cls, asm: Assembler, register: int, kind: codec.Ascii) -> Self:
        """Those of a number as it is written."""
        negative, number, least = asm.number(0), register, asm.number(kind.digits)
        if kind.signed:
            negative = asm.value(op.LESS_NUMBER, (register,), (0,))
            number = asm.value(op.CHOOSE, (negative, asm.value(op.SUBTRACT, (asm.number(0), register)), register))
            least = asm.value(op.SUBTRACT, (least, negative))
        count = asm.number(1)
        for more in range(1, _most_digits(kind)):
            count = asm.value(op.ADD, (count, asm.value(op.MORE_NUMBER, (number,), (kind.base**more - 1,))))
        count = asm.value(op.CHOOSE, (asm.value(op.LESS, (count, least)), least, count))
        if kind.digits >= _most_digits(kind) and not kind.signed:
            count = least
        return cls(asm, kind, number, negative, count, asm.value(op.ADD, (count, negative)))

    def characters(self) -> Iterator[tuple[int, int]]:
        """Each from the last to the first, and the mask of the rows that have it."""
        asm, left, base = self.asm, self.number, self.asm.number(self.kind.base)
        minus = asm.number(ord("-"))
        for place in range(max(_most_digits(self.kind), self.kind.digits) + self.kind.signed):
            digit = asm.value(op.MODULO, (left, base))
            character = asm.value(op.ADD_NUMBER, (digit,), (ord("0"),))
            if self.kind.base > 10:
                letter = asm.value(op.ADD_NUMBER, (digit,), (self.kind.alphabet[10] - 10,))
                character = asm.value(op.CHOOSE, (asm.value(op.MORE_NUMBER, (digit,), (9,)), letter, character))
            if self.kind.signed:
                is_digit = asm.value(op.MORE_NUMBER, (self.digits,), (place,))
                character = asm.value(op.CHOOSE, (is_digit, character, minus))
            yield character, asm.value(op.MORE_NUMBER, (self.size,), (place,))
            left = asm.value(op.DIVIDE, (left, base))


def _most_digits(kind: codec.Ascii) -> int:
    """How many digits a number has at most that programs read."""
    count, most = 1, max(kind.most, -kind.least)
    while most >= kind.base**count and count < op.MOST_DIGITS:
        count += 1
    return count
