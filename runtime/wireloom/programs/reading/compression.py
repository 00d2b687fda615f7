"""Bytes in programs that stand for others: packed, masked, rotated, escaped, or without zeros at their end."""

from collections.abc import Container, Iterator

from wireloom import codec
from wireloom.codec.compression import COMPRESSORS, has_library
from wireloom.codec.escapes import ESCAPINGS
from wireloom.codec.transforms import Way
from wireloom.expressions.tree import Name
from wireloom.expressions.words import numbered, words
from wireloom.programs import opcodes as op
from wireloom.programs.escapes import escape_table
from wireloom.programs.expressions import both, whole
from wireloom.programs.outputs import Table
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reading.texts import ROOM
from wireloom.programs.values import Mask, NoProgramError, Octets

_SNAPPY = "snappy"
_OF_PYTHON = frozenset(("zlib", "deflate", "gzip", "bzip2", "xz"))
"""The compressions that need no other library."""
_LONGEST = 8
"""Keys are numbers of so many bytes at most."""


def opened(through: codec.Through, at: Lowering, span: Span) -> Span:
    """Where that is what these bytes unpack to. Those that are packed become a column of their own, if there is one.
    Raises ``NoProgramError``.
    """
    if not at.decoding:
        raise NoProgramError("bytes that stand for others")
    match through.way:
        case codec.Zeros():
            return _filled(through, at, span)
        case codec.Xor():
            return _masked(through.way, at, span)
        case codec.Rol():
            return _rotated(through.way, at, span)
        case codec.Compressing():
            return _unpacked(through, through.way, at, span)
        case codec.Unescape():
            return _unescaped(through, through.way, at, span)
    raise NoProgramError("bytes that are changed")


def _masked(way: codec.Xor, at: Lowering, span: Span) -> Span:
    """The XOR with a key."""
    asm, (key, size) = at.asm, _key(way, at)
    if not size:
        return span
    start, stop = asm.several(op.MASK, 2, (*span, at.where, key), (asm.shared(ROOM), size))
    return start, stop


def _key(way: codec.Xor, at: Lowering) -> tuple[int, int]:
    """The register with a key, the first byte the lowest, and how many bytes that is."""
    asm, tree = at.asm, way.asked.tree
    octets = getattr(tree, "value", None)
    if isinstance(octets, bytes):
        if len(octets) > _LONGEST:
            raise NoProgramError("a key of more than eight bytes")
        return asm.number(int.from_bytes(octets, "little")), len(octets)
    if isinstance(tree, Name) and isinstance(known := at.known(tree), Octets):
        return _bytes_as_key(known, at)
    found = at.ask(way.asked)
    if found is None:
        raise NoProgramError("a key that may be absent")
    register = whole(asm, found)
    at.must(asm.value(op.EQUAL, (asm.value(op.AND_NUMBER, (register,), (0xFF,)), register)))
    if not isinstance(found, int):
        at.must(found.valid)
    return register, 1


def _bytes_as_key(octets: Octets, at: Lowering) -> tuple[int, int]:
    """The same of bytes of the record, if all records have as many."""
    size = at.distance(octets.start, octets.stop)
    if size is None or not 0 < size <= _LONGEST or octets.valid != op.ONES:
        raise NoProgramError("a key of a size that varies")
    return at.asm.value(op.LOAD_ODD, (octets.start,), (0, size, 0)), size


def _rotated(way: codec.Rol, at: Lowering, span: Span) -> Span:
    """The bytes whose bits are rotated to the right again."""
    bits = at.ask(way.asked)
    if not isinstance(bits, int):
        raise NoProgramError("a rotation that is not the same in all records")
    bits %= 8
    table = Table.of(1 << 24 | byte >> bits | byte << 8 - bits & 0xFF for byte in range(256))
    start, stop = at.asm.several(op.TRANSLATE, 2, (*span, at.where), (at.asm.shared(ROOM), at.asm.shared(table)))
    return start, stop


def _filled(through: codec.Through, at: Lowering, span: Span) -> Span:
    """The bytes with the zeros that were cut off. Those that were not kept as they would be written are a column."""
    size = at.ask(through.way.asked)
    if not isinstance(size, int) or not 0 < size <= through.limit:
        raise NoProgramError("zeros that are cut off, up to a size that varies")
    asm, (start, stop) = at.asm, span
    ends_in_zero = asm.value(op.LESS, (asm.value(op.TRIM, (start, stop, at.where), (0, 1)), stop))
    several = asm.value(op.LESS, (asm.value(op.ADD_NUMBER, (start,), (1,)), stop))
    kept = asm.value(op.OR, (both(asm, ends_in_zero, several), asm.value(op.EQUAL, (start, stop))))
    if through.raw is None:
        at.must(asm.value(op.NOT, (kept,)))
    else:
        at.this.columns[through.raw] = Octets(start, stop, kept)
    begin, end = asm.several(op.FILL, 2, (start, stop, at.where), (asm.shared(ROOM), size))
    return begin, end


def _unpacked(through: codec.Through, way: codec.Compressing, at: Lowering, span: Span) -> Span:
    """What compressed bytes unpack to."""
    asm, raw = at.asm, span
    packed: Mask = False
    for name, mask in _compressions(way, at):
        where = at.where if mask is True else both(asm, at.where, mask)
        reads, numbers = (*span, where), (asm.shared(ROOM), through.limit)
        if name == _SNAPPY:
            start, stop = asm.several(op.UNPACK, 2, reads, numbers)
        else:
            start, stop = asm.several(op.EXPAND, 2, reads, (*numbers, list(COMPRESSORS).index(name)))
        span = start, stop
        packed = mask if isinstance(packed, bool) or mask is True else asm.value(op.OR, (packed, mask))
    if through.raw is not None and packed is not False:
        at.this.columns[through.raw] = Octets(*raw, op.ONES if packed is True else packed)
    return span


def _unescaped(through: codec.Through, way: codec.Unescape, at: Lowering, span: Span) -> Span:
    """What escaped bytes stand for. Those that are escaped otherwise than they would be written are left to the codec,
    which may keep them.
    """
    asm, raw = at.asm, span
    named = ((ESCAPINGS[name], mask) for name, mask in _named(way, at, ESCAPINGS)) if way.table is None else ()
    for escaping, mask in named if way.table is None else ((way.table, True),):
        where = at.where if mask is True else both(asm, at.where, mask)
        numbers = asm.shared(ROOM), asm.shared(escape_table(escaping))
        start, stop = asm.several(op.UNESCAPE, 2, (*span, where), numbers)
        span = start, stop
    if through.raw is not None:
        at.partial = True
        at.this.columns[through.raw] = Octets(*raw, asm.number(0))
    return span


def _compressions(way: codec.Compressing, at: Lowering) -> Iterator[tuple[str, Mask]]:
    """The compressions of bytes, and the rows that have each. Rows with one that there is no library for are not
    sound: the codec refuses them.
    """
    for name, mask in _named(way, at, COMPRESSORS):
        if name not in _OF_PYTHON and not has_library():
            at.must(False, at.where if mask is True else both(at.asm, at.where, mask))
        else:
            yield name, mask


def _named(way: Way, at: Lowering, names: Container[str]) -> Iterator[tuple[str, Mask]]:
    """The names among these that bytes go through, and the rows that have each."""
    tree = way.asked.tree
    known = words(tree)
    found = at.ask_tree(numbered(tree, known))
    if not isinstance(found, int) and (found is None or found.valid != op.ONES):
        raise NoProgramError("a compression that is not known")
    for number, name in enumerate(known):
        if name not in names:
            continue
        mask = (
            found == number if isinstance(found, int) else at.asm.value(op.EQUAL_NUMBER, (found.register,), (number,))
        )
        if mask is not False:
            yield name, mask
