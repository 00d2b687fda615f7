"""Texts for numbers: labels of enums, as tables that programs look into."""

from functools import cache

from wireloom.codec.labels import WireEnum
from wireloom.programs.assembler import Assembler
from wireloom.programs.outputs import Table
from wireloom.programs.selection import looked_up
from wireloom.programs.values import Label, NoProgramError, Number

_MOST = 1 << 16
"""How many numbers a table of labels may cover."""
_PART = 32
"""Texts are copied so many bytes at a time."""


def named(asm: Assembler, number: Number, enum: type[WireEnum]) -> Label:
    """The labels of the numbers."""
    first, codes, texts = _labelled(enum)
    if not number.whole:
        raise NoProgramError("labels of very many numbers")
    return Label(looked_up(asm, number.register, codes, first), texts, number.valid, number)


@cache
def _labelled(enum: type[WireEnum]) -> tuple[int, list[int], tuple[str, ...]]:
    """The first number with a label, the number of the text of each from there on, -1 for none, and the texts."""
    ranges = enum.ranges()
    members = [int(member) for member in enum]
    first = min([*members, *(least for least, _, _ in ranges)], default=0)
    last = max([*members, *(most for _, most, _ in ranges)], default=-1)
    if last - first >= _MOST:
        raise NoProgramError("labels of very many numbers")
    codes = [-1] * (last - first + 1)
    texts: dict[str, int] = {}
    for least, most, shared in reversed(ranges):
        codes[least - first : most - first + 1] = [texts.setdefault(shared, len(texts))] * (most - least + 1)
    for member in members:
        if (label := enum.label(member)) is not None:
            codes[member - first] = texts.setdefault(label, len(texts))
    return first, codes, tuple(texts)


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
