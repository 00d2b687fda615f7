"""Which message or length a record is of, by tables of the numbers that select it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wireloom.codec.matching import Match, Selection
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.outputs import Table
from wireloom.programs.values import WORD, NoProgramError, Number, Octets

_MOST = 1 << 16
"""How many numbers a table may cover."""
_MOST_WORDS = 64
"""Texts are compared one after the other."""
_MOST_STEPS = 128
"""Where a table would have to cover too many numbers, so many are compared at most."""
Met = list[int]
"""For each class of values, the selections that they meet: the bit of each is set in a number."""


def first(
    asm: Assembler, values: Mapping[str, Number | Octets], matches: Sequence[Match | None], otherwise: int = -1
) -> int:
    """The register with the place of the first of ``matches`` that the values meet, or ``otherwise`` where none is.

    None is met by none. A value that is absent meets no match that asks for it. Raises ``NoProgramError``.
    """
    place: int | None = None
    holds = [_bits(match is not None for match in matches)]
    for name, value in values.items():
        asked = [(match or {}).get(name) for match in matches]
        classes, met = _classes(asm, value, asked) if isinstance(value, Number) else _words(asm, value, asked)
        if len(holds) * len(met) > _MOST:
            raise NoProgramError("a choice among very many numbers")
        holds = [one & other for one in holds for other in met]
        if place is not None:
            classes = asm.value(op.ADD, (asm.value(op.MULTIPLY_NUMBER, (place,), (len(met),)), classes))
        place = classes
    table = [(bits & -bits).bit_length() - 1 if bits else otherwise for bits in holds]
    return asm.number(table[0]) if place is None else looked_up(asm, place, table)


def among(asm: Assembler, register: int, choices: Sequence[int]) -> int:
    """The mask where a number is one of several that are not far from each other."""
    least, chosen = min(choices), frozenset(choices)
    table = [int(number in chosen) for number in range(least, max(choices) + 1)]
    return asm.value(op.EQUAL_NUMBER, (looked_up(asm, register, table, least),), (1,))


def stepped(asm: Assembler, number: int, steps: Sequence[tuple[int, int]], otherwise: int) -> int:
    """What belongs to the last step that a number reaches, of those that ascend; ``otherwise`` if it reaches none.
    Raises ``NoProgramError``.
    """
    if len(steps) > _MOST_STEPS or any(not -WORD < first < WORD for first, _ in steps):
        raise NoProgramError("a choice among very many numbers")
    found = asm.number(otherwise)
    for first, value in steps:
        reached = asm.value(op.MORE_NUMBER, (number,), (first - 1,))
        found = asm.value(op.CHOOSE, (reached, asm.number(value), found))
    return found


def looked_up(asm: Assembler, number: int, table: Sequence[int], least: int = 0) -> int:
    """What a table has for a number, the first for ``least``; -1 outside. Raises ``NoProgramError``."""
    if least <= -WORD:
        raise NoProgramError("a table for a number without an opposite")
    place = asm.value(op.ADD_NUMBER, (number,), (-least,)) if least else number
    found = asm.value(op.LOOK_UP, (place,), (asm.shared(Table.of(table)), len(table)))
    return asm.value(op.SIGN, (found,), (32,))


def _classes(asm: Assembler, number: Number, selections: Sequence[Selection | None]) -> tuple[int, Met]:
    """The register with the class of a number, and which of the selections the numbers of each class meet.

    Those that nothing asks for are of the first one, and those that are absent, too.
    """
    if not number.whole:
        raise NoProgramError("a choice by what is no number of 64 bits")
    asked = [each for each in selections if each is not None]
    ends = [each for one in asked for each in one.listed if isinstance(each, int)]
    ends += [end for one in asked for span in one.spans for end in span]
    inside = [min(max(end, number.least), number.most) for end in ends]
    least, most = min(inside, default=0), max(inside, default=0)
    others = _bits(one is None for one in selections)
    if most - least >= _MOST:
        return _distant_classes(asm, number, selections, ends, others)
    met = [others] * (most - least + 1)
    for bit, one in enumerate(selections):
        for each in () if one is None else _numbers(one, least, most):
            met[each - least] |= 1 << bit
    kinds = {bits: kind for kind, bits in enumerate(dict.fromkeys(met), start=1)}
    found = asm.value(op.ADD_NUMBER, (looked_up(asm, number.register, [kinds[bits] - 1 for bits in met], least),), (1,))
    if number.valid != op.ONES:
        found = asm.value(op.CHOOSE, (number.valid, found, asm.number(0)))
    return found, [others, *kinds]


def _distant_classes(
    asm: Assembler, number: Number, selections: Sequence[Selection | None], ends: Iterable[int], others: int
) -> tuple[int, Met]:
    """The same of numbers that are far from each other."""
    firsts = sorted(
        {each + beside for each in ends for beside in (0, 1) if number.least <= each + beside <= number.most}
    )
    met = [_bits(one is None or first in one for one in selections) for first in firsts]
    kinds = {bits: kind for kind, bits in enumerate(dict.fromkeys(met), start=1)}
    steps = [(first, kinds[bits]) for first, bits in zip(firsts, met, strict=True)]
    found = stepped(asm, number.register, steps, 0)
    if number.valid != op.ONES:
        found = asm.value(op.CHOOSE, (number.valid, found, asm.number(0)))
    return found, [others, *kinds]


def _numbers(selection: Selection, least: int, most: int) -> Iterator[int]:
    """The numbers that a selection has from ``least`` to ``most``."""
    yield from (int(each) for each in selection.listed if isinstance(each, int) and least <= each <= most)
    for first, last in selection.spans:
        yield from range(max(first, least), min(last, most) + 1)


def _bits(holds: Iterable[bool]) -> int:
    """The number that has the bits set whose places hold."""
    return sum(1 << place for place, one in enumerate(holds) if one)


def _words(asm: Assembler, octets: Octets, selections: Sequence[Selection | None]) -> tuple[int, Met]:
    """As ``_classes``, of text or bytes."""
    asked = {each for one in selections if one is not None for each in one.listed}
    if len(asked) > _MOST_WORDS:
        raise NoProgramError("a choice among very many texts")
    found, met = asm.number(0), [_bits(one is None for one in selections)]
    for number, word in enumerate(sorted(asked, key=repr), start=1):
        assert isinstance(word, str | bytes)
        mask = asm.same(octets.start, octets.stop, word.encode() if isinstance(word, str) else word)
        found = asm.value(op.CHOOSE, (mask, asm.number(number), found))
        met.append(_bits(one is None or word in one for one in selections))
    if octets.valid != op.ONES:
        found = asm.value(op.CHOOSE, (octets.valid, found, asm.number(0)))
    return found, met
