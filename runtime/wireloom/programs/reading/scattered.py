"""Bytes of a region that are read out of sequence, and what nobody reads of it."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both
from wireloom.programs.values import NoProgramError

_MOST = 8
"""Each of so many is compared with each other one."""


class TakenSpan(NamedTuple):
    """What was read out of sequence in the rows ``where`` the mask is set: from ``start`` to before ``stop``."""

    start: int
    stop: int
    where: int


def total(asm: Assembler, taken: Iterable[TakenSpan]) -> int:
    """How many bytes were taken."""
    found = asm.number(0)
    for start, stop, where in taken:
        size = asm.value(op.CHOOSE, (where, asm.value(op.SUBTRACT, (stop, start)), asm.number(0)))
        found = asm.value(op.ADD, (found, size))
    return found


def left_over(
    asm: Assembler, taken: Sequence[TakenSpan], cursor: int, limit: int, must: Callable[[int, int], None]
) -> tuple[int, int]:
    """From where to where the bytes are that are left between the ``cursor`` and the ``limit``. ``must`` is told masks
    that must hold, and where: no byte is taken twice, and what is left is in one place. Raises ``NoProgramError``.
    """
    if len(taken) > _MOST:
        raise NoProgramError("very many values at other places")
    some = [each._replace(where=both(asm, each.where, asm.value(op.LESS, each[:2]))) for each in taken]
    size = asm.value(op.SUBTRACT, (asm.value(op.SUBTRACT, (limit, cursor)), total(asm, some)))
    for start, _, where in some:
        must(asm.value(op.LESS_EQUAL, (cursor, start)), where)
    for one, other in combinations(some, 2):
        orders = [
            asm.value(op.LESS_EQUAL, (first.stop, second.start)) for first, second in ((one, other), (other, one))
        ]
        must(asm.value(op.OR, orders), both(asm, one.where, other.where))
    gaps, begin = asm.number(0), limit
    for stop, where in ((cursor, op.ONES), *((each.stop, each.where) for each in some)):
        is_gap = both(asm, where, asm.value(op.LESS, (stop, limit)))
        for each in some:
            follows = both(asm, each.where, asm.value(op.EQUAL, (each.start, stop)))
            is_gap = both(asm, is_gap, asm.value(op.NOT, (follows,)))
        begin = asm.value(op.CHOOSE, (is_gap, stop, begin))
        gaps = asm.value(op.ADD, (gaps, is_gap))
    must(asm.value(op.LESS_NUMBER, (gaps,), (2,)), op.ONES)
    return begin, asm.value(op.ADD, (begin, size))
