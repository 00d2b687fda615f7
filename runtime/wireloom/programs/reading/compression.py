"""Compressed bytes in programs: Snappy's blocks are unpacked, other compressions are left to the plan."""

from wireloom import codec
from wireloom.codec.compression import COMPRESSORS, has_library
from wireloom.expressions.words import numbered, words
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import both
from wireloom.programs.outputs import Output
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.values import Mask, NoProgramError, Octets

_SNAPPY = "snappy"
_ROOM = Output(unpacks=True)
"""Where all that is unpacked of a record goes, so that it has one bound."""


def opened(through: codec.Through, at: Lowering, span: Span) -> Span:
    """Where that is what these bytes unpack to. Those that are packed become a column of their own, if there is one.
    Raises ``NoProgramError``.
    """
    if isinstance(through.way, codec.Zeros):
        return _filled(through, at, span)
    if not isinstance(through.way, codec.Compressing):
        raise NoProgramError("bytes that are changed")
    packed = _are_packed(through.way, at)
    if packed is False:
        return span
    where = at.where if packed is True else both(at.asm, at.where, packed)
    start, stop = at.asm.several(op.UNPACK, 2, (*span, where), (at.asm.shared(_ROOM), through.limit))
    if through.raw is not None:
        at.this.columns[through.raw] = Octets(*span, op.ONES if packed is True else packed)
    return start, stop


def _filled(through: codec.Through, at: Lowering, span: Span) -> Span:
    """The bytes with the zeros that were cut off. Those that were not kept as they would be written are a column."""
    size = at.ask(through.way.asked)
    if not isinstance(size, int) or not 0 < size <= through.limit or not at.decoding:
        raise NoProgramError("zeros that are cut off, up to a size that varies")
    asm, (start, stop) = at.asm, span
    ends_in_zero = asm.value(op.LESS, (asm.value(op.TRIM, (start, stop, at.where), (0,)), stop))
    several = asm.value(op.LESS, (asm.value(op.ADD_NUMBER, (start,), (1,)), stop))
    kept = asm.value(op.OR, (both(asm, ends_in_zero, several), asm.value(op.EQUAL, (start, stop))))
    if through.raw is None:
        at.must(asm.value(op.NOT, (kept,)))
    else:
        at.this.columns[through.raw] = Octets(start, stop, kept)
    begin, end = asm.several(op.FILL, 2, (start, stop, at.where), (asm.shared(_ROOM), size))
    return begin, end


def _are_packed(way: codec.Compressing, at: Lowering) -> Mask:
    """The rows that are packed by Snappy. Those that are packed in another way are not sound."""
    tree = way.asked.tree
    known = words(tree)
    found = at.ask_tree(numbered(tree, known))
    snappy = at.decoding and has_library()  # else the codec refuses what is packed, and no engine may differ
    kinds = [_SNAPPY if word == _SNAPPY and snappy else COMPRESSORS.get(word) for word in known]
    if any(kind not in (None, _SNAPPY) for kind in kinds):
        at.left["compressed bytes"] = None
    if isinstance(found, int):
        at.must(kinds[found] in (None, _SNAPPY))
        return kinds[found] == _SNAPPY
    if found is None or found.valid != op.ONES:
        raise NoProgramError("a compression that is not known")
    asm = at.asm
    masks = {number: asm.value(op.EQUAL_NUMBER, (found.register,), (number,)) for number in range(len(kinds))}
    other = [masks[number] for number, kind in enumerate(kinds) if kind not in (None, _SNAPPY)]
    for mask in other:
        at.must(asm.value(op.NOT, (mask,)))
    packed: Mask = False
    for number, kind in enumerate(kinds):
        if kind == _SNAPPY:
            packed = masks[number] if packed is False else asm.value(op.OR, (packed, masks[number]))
    return packed
