"""Which message or length a record is of, by tables of the numbers that select it."""

from collections.abc import Mapping, Sequence

import numpy as np

from wireloom.codec.matching import Match, Selection
from wireloom.columnar import matching
from wireloom.columnar.buffers import Array
from wireloom.columnar.machine import operations as op
from wireloom.columnar.machine.assembly import Assembler
from wireloom.columnar.machine.values import WORD, NoProgramError, Number, Octets

_MOST = 1 << 16
"""How many numbers a table may cover."""
_MOST_WORDS = 64
"""Texts are compared one after the other."""


def first(
    asm: Assembler, values: Mapping[str, Number | Octets], matches: Sequence[Match | None], otherwise: int = -1
) -> int:
    """The register with the place of the first of ``matches`` that the values meet, or ``otherwise`` where none is.

    None is met by none. A value that is absent meets no match that asks for it. Raises ``NoProgramError``.
    """
    place: int | None = None
    holds = np.array([[match is not None] for match in matches], bool).reshape(-1, 1)
    for name, value in values.items():
        asked = [(match or {}).get(name) for match in matches]
        classes, met = _classes(asm, value, asked) if isinstance(value, Number) else _words(asm, value, asked)
        holds = (holds[:, :, None] & met[:, None, :]).reshape(len(matches), -1)
        if holds.shape[1] > _MOST:
            raise NoProgramError("a choice among very many numbers")
        if place is not None:
            classes = asm.value(op.ADD, (asm.value(op.MULTIPLY_NUMBER, (place,), (met.shape[1],)), classes))
        place = classes
    table = np.where(holds.any(axis=0), holds.argmax(axis=0), otherwise)
    return asm.number(int(table[0])) if place is None else looked_up(asm, place, table)


def among(asm: Assembler, register: int, choices: Sequence[int]) -> int:
    """The mask where a number is one of several that are not far from each other."""
    least = min(choices)
    table = np.zeros(max(choices) - least + 1, np.int64)
    table[np.array(choices) - least] = 1
    return asm.value(op.EQUAL_NUMBER, (looked_up(asm, register, table, least),), (1,))


def looked_up(asm: Assembler, number: int, table: Array, least: int = 0) -> int:
    """What a table has for a number, the first for ``least``; -1 outside. Raises ``NoProgramError``."""
    if least <= -WORD:
        raise NoProgramError("a table for a number without an opposite")
    place = asm.value(op.ADD_NUMBER, (number,), (-least,)) if least else number
    found = asm.value(op.LOOK_UP, (place,), (asm.shared(np.asarray(table, np.int32)), len(table)))
    return asm.value(op.SIGN, (found,), (32,))


def _classes(asm: Assembler, number: Number, selections: Sequence[Selection | None]) -> tuple[int, Array]:
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
    if most - least >= _MOST:
        raise NoProgramError("a choice among very many numbers")
    every = np.arange(least, most + 1)
    met = np.array([np.ones(len(every), bool) if one is None else matching.numbers(every, one) for one in selections])
    others = np.array([[one is None] for one in selections])
    kinds, classes = np.unique(met, axis=1, return_inverse=True)
    found = asm.value(op.ADD_NUMBER, (looked_up(asm, number.register, classes.reshape(-1), least),), (1,))
    if number.valid != op.ONES:
        found = asm.value(op.CHOOSE, (number.valid, found, asm.number(0)))
    return found, np.concatenate([others, kinds], axis=1)


def _words(asm: Assembler, octets: Octets, selections: Sequence[Selection | None]) -> tuple[int, Array]:
    """As ``_classes``, of text or bytes."""
    asked = {each for one in selections if one is not None for each in one.listed}
    if len(asked) > _MOST_WORDS:
        raise NoProgramError("a choice among very many texts")
    found, met = asm.number(0), [[one is None for one in selections]]
    for number, word in enumerate(sorted(asked, key=repr), start=1):
        assert isinstance(word, str | bytes)
        mask = asm.same(octets.start, octets.stop, word.encode() if isinstance(word, str) else word)
        found = asm.value(op.CHOOSE, (mask, asm.number(number), found))
        met.append([one is None or word in one for one in selections])
    if octets.valid != op.ONES:
        found = asm.value(op.CHOOSE, (octets.valid, found, asm.number(0)))
    return found, np.array(met).T
