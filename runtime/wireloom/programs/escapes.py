"""Escapes as tables of programs: which forms of escaped bytes ``UNESCAPE`` reads."""

from collections.abc import Sequence

from wireloom.codec.escapes import ESCAPINGS, Cobs, EscapePairs, Escaping, Unsynchronisation
from wireloom.programs.outputs import Table

PAIRS, COBS, UNSYNCHRONISATION = range(3)
"""The first number of a table: the kind of the escapes."""
PAIRS_SIZE = 1 + 2 * 256
"""How many numbers a table of pairs has."""
PLAIN, BARE, ESCAPE = range(3)
"""What a byte is that is not a code: itself, a byte that must be escaped, or the first one of an escape."""
NO_CODE = 256
"""What a byte stands for that is no code."""


def escape_table(escaping: Escaping) -> Table:
    """The kind of escapes; of pairs, also what each byte is, and what each stands for as a code. A byte has one code in
    it, the one that is written.
    """
    match escaping:
        case Cobs():
            return Table.of((COBS,))
        case Unsynchronisation():
            return Table.of((UNSYNCHRONISATION,))
    assert isinstance(escaping, EscapePairs)
    written = escaping.written
    bytes_ = [BARE if byte in written else PLAIN for byte in range(256)]
    bytes_[escaping.escaping] = ESCAPE
    codes = {code: byte for byte, code in written.items()}
    return Table.of((PAIRS, *bytes_, *(codes.get(code, NO_CODE) for code in range(256))))


def escaping_of(table: Sequence[int]) -> Escaping:
    """The escapes of a table."""
    kind, bytes_, codes = table[0], table[1:257], table[257:]
    if kind != PAIRS:
        return ESCAPINGS["cobs" if kind == COBS else "unsynchronisation"]
    return EscapePairs(bytes_.index(ESCAPE), {code: byte for code, byte in enumerate(codes) if byte != NO_CODE})
