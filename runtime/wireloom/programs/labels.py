"""Texts for numbers: labels of enums, as tables that programs look into."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from wireloom.codec.labels import WireEnum, label_steps
from wireloom.programs.assembler import Assembler
from wireloom.programs.outputs import Table
from wireloom.programs.selection import looked_up, stepped
from wireloom.programs.values import WORD, Label, NoProgramError, Number

_MOST = 1 << 16
"""How many numbers a table of labels may cover."""
_PART = 32
"""Texts are copied so many bytes at a time."""


def named(asm: Assembler, number: Number, enum: type[WireEnum]) -> Label:
    """The labels of the numbers."""
    steps, texts = label_steps(enum)
    first, last = (steps[0][0], steps[-1][0]) if steps else (0, 0)
    if not number.whole and not 0 <= first <= last < WORD:
        raise NoProgramError("labels of numbers of 64 unsigned bits")
    if last - first >= _MOST:
        code = stepped(asm, number.register, steps, -1)
    else:
        code = looked_up(asm, number.register, _codes(steps), first)
    return Label(code, texts, number.valid, number)


def _codes(steps: Sequence[tuple[int, int]]) -> list[int]:
    """What each number from the first step on to the last has, beyond which none has anything."""
    codes: list[int] = []
    for (first, code), (following, _) in pairwise(steps):
        codes += [code] * (following - first)
    return codes


def text_tables(asm: Assembler, texts: tuple[str, ...]) -> tuple[int, int]:
    """The place of a table with the sizes of texts, behind which is one with the texts; the room that each has."""
    sizes, octets, room = _texts(texts)
    place = asm.place(sizes)
    asm.place(octets)
    return place, room


@cache
def _texts(texts: tuple[str, ...]) -> tuple[Table, Table, int]:
    encoded = [text.encode() for text in texts]
    room = -(-max(map(len, encoded), default=1) // _PART) * _PART
    joined = b"".join(text.ljust(room, b"\0") for text in encoded)
    return Table.of(map(len, encoded)), Table(joined or bytes(room)), room


@cache
def bit_table(bits: tuple[int, ...]) -> Table:
    """The bits that flags have."""
    return Table.of(bits, "Q")
