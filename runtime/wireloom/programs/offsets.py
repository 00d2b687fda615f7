"""How far behind the start of their records places are, as far as a program knows that while it is put together."""

from wireloom.programs.assembler import Assembler

Offset = int | tuple[int, "Offset", "Offset"]
"""The same in all rows, or one where a mask is set and another one elsewhere."""
_MOST = 3
"""Offsets that depend on more masks than this, one in the other, are not known."""


def moved(offset: Offset, count: int) -> Offset:
    """So many bytes further behind."""
    if isinstance(offset, int):
        return offset + count
    mask, one, other = offset
    return mask, moved(one, count), moved(other, count)


def chosen(asm: Assembler, mask: int, one: Offset, other: Offset) -> Offset | None:
    """``one`` where the mask is set, else the ``other``; None if that is not known."""
    if mask in asm.negated:
        mask, one, other = asm.negated[mask], other, one
    one, other = _where(mask, one, 1), _where(mask, other, 2)
    if one == other:
        return one
    return (mask, one, other) if max(_depth(one), _depth(other)) < _MOST else None


def within(asm: Assembler, mask: int, offset: Offset) -> Offset:
    """What an offset is where the mask is set."""
    return _where(asm.negated[mask], offset, 2) if mask in asm.negated else _where(mask, offset, 1)


def _where(mask: int, offset: Offset, place: int) -> Offset:
    """What an offset is where a mask is set, if ``place`` is 1, or where it is not, if that is 2."""
    if isinstance(offset, int):
        return offset
    if offset[0] == mask:
        return _where(mask, offset[place], place)
    one, other = (_where(mask, each, place) for each in offset[1:])
    return one if one == other else (offset[0], one, other)


def _depth(offset: Offset) -> int:
    return 0 if isinstance(offset, int) else 1 + max(_depth(offset[1]), _depth(offset[2]))
