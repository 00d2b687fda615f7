"""Integers that have as many bytes as another value says, in programs."""

from wireloom import codec
from wireloom.codec.sized import LONGEST
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reasons import Distance, Reason
from wireloom.programs.values import Number

PIECES = (4, 2, 1)
"""The sizes of the numbers that an integer of less than 8 bytes consists of."""


def sized_integer(kind: codec.SizedInteger, span: Span, at: Lowering) -> Number:
    """The number in these bytes."""
    asm, (start, stop) = at.asm, span
    little = at.little if kind.little is None else kind.little
    size = asm.value(op.SUBTRACT, (stop, start))
    words = f"at most {LONGEST} bytes expected, found ", Distance(start, stop)
    at.must(asm.value(op.LESS_NUMBER, (size,), (LONGEST + 1,)), reason=Reason("invalid-size", start, words))
    found = asm.number(0)
    for count in PIECES:
        position = asm.value(op.ADD, (start, taken(at, size, before(count))))
        piece = _piece(count, position, size, span, at, little=little)
        if little:
            piece = asm.value(op.SHIFT_LEFT, (piece, bits(at, size, before(count))))
        else:
            found = asm.value(op.SHIFT_LEFT, (found, bits(at, size, count)))
        found = asm.value(op.ADD, (found, piece))
    if kind.signed:
        last = asm.value(op.ADD_NUMBER, (size,), (-1,))
        sign = asm.value(op.SHIFT_LEFT, (asm.number(0x80), bits(at, last, LONGEST - 1)))
        found = asm.value(op.SUBTRACT, (asm.value(op.XOR, (found, sign)), sign))
    found = asm.value(op.ADD, (found, _piece(LONGEST, start, size, span, at, little=little)))
    if kind.shortest:
        at.must(asm.value(op.EQUAL, (size, fewest_bytes(asm, found, kind))))
    return Number(found, kind.least, kind.most)


def fewest_bytes(asm: Assembler, register: int, kind: codec.SizedInteger) -> int:
    """The fewest bytes that hold a number, at least one."""
    size, positive = asm.number(1), register
    if kind.signed:
        positive = asm.value(op.XOR, (register, asm.value(op.SHIFT_RIGHT, (register, asm.number(63)))))
    for count in range(1, LONGEST):
        more = asm.value(op.SHIFT_RIGHT, (positive, asm.number(8 * count - kind.signed)))
        fits = asm.value(op.EQUAL_NUMBER, (more,), (0,))
        size = asm.value(op.CHOOSE, (fits, size, asm.number(count + 1)))
    return size


def before(count: int) -> int:
    """The sizes of all pieces that are larger than one, which stand in front of it."""
    return sum(each for each in PIECES if each > count)


def behind(count: int) -> int:
    """The sizes of all pieces that are smaller than one, which stand behind it."""
    return sum(each for each in PIECES if each < count)


def taken(at: Lowering, size: int, counts: int) -> int:
    """How many bytes the pieces of these sizes have in a number of ``size`` bytes."""
    return at.asm.value(op.AND_NUMBER, (size,), (counts,)) if counts else at.asm.number(0)


def bits(at: Lowering, size: int, counts: int) -> int:
    """How many bits they have."""
    return at.asm.value(op.MULTIPLY_NUMBER, (taken(at, size, counts),), (8,))


def has_piece(at: Lowering, size: int, count: int) -> int:
    """The mask of the rows whose number has a piece of so many bytes."""
    return at.asm.value(op.MORE_NUMBER, (taken(at, size, count),), (0,))


def _piece(count: int, position: int, size: int, span: Span, at: Lowering, *, little: bool) -> int:
    """The number in a piece at a position; 0 where there is none."""
    where = both(at.asm, at.where, has_piece(at, size, count))
    (there,) = at.asm.several(op.NEED, 1, (position, span[1], where), (count,))
    return at.asm.load(there, 0, count, little=little)
