"""Texts in programs: those in other encodings are translated to UTF-8."""

from functools import lru_cache

from wireloom import codec
from wireloom.characters import CharacterSet, characters
from wireloom.codec.character_sets import Characters
from wireloom.expressions.tree import Conditional, Expr, Name, Origin, Value
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import either_not, truth
from wireloom.programs.merging import merged
from wireloom.programs.outputs import Output, Table
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reasons import Reason, Undecodable
from wireloom.programs.values import Datum, Label, NoProgramError, Number, Octets

ROOM = Output(unpacks=True)
"""Where all goes that bytes of a record become, so that it has one bound."""


def text(kind: codec.Text, span: Span, begin: int, at: Lowering) -> Octets:
    """The text that bytes are, in UTF-8, of a value that begins somewhere. Raises ``NoProgramError``."""
    if kind.encoding in ("utf-8", "ascii"):
        reason = Reason("text", begin, (Undecodable(*span, kind.encoding),)) if kind.strict else None
        at.asm.check_text(*span, at.where, at.reason_here(reason), is_ascii=kind.encoding == "ascii")
        return Octets(*span)
    table = _translation(kind.encoding)
    if not at.decoding:
        raise NoProgramError("a text that is not in UTF-8 or ASCII")
    asm, reads, room = at.asm, (*span, at.where), at.asm.shared(ROOM)
    if table is not None:
        return Octets(*asm.several(op.TRANSLATE, 2, reads, (room, asm.shared(table))))
    name = kind.encoding.encode()
    return Octets(*asm.several(op.TRANSCODE, 2, reads, (room, asm.shared(Table(name)), len(name))))


def packed_text(kind: codec.PackedText, span: Span, at: Lowering) -> Octets:
    """The text that packed characters in bytes of their own are. Raises ``NoProgramError``."""
    return _spelled(kind.characters, span, (int(kind.known.lsb), 0, 0), at)


def counted_text(kind: codec.PackedText, count: Number, at: Lowering) -> Octets:
    """So many packed characters at the cursor. Raises ``NoProgramError``."""
    asm, known = at.asm, kind.known
    if count.most > _MOST_COUNTED:
        at.partial = True
        at.must(asm.value(op.LESS_NUMBER, (count.register,), (_MOST_COUNTED + 1,)))
        at.must(asm.value(op.MORE_NUMBER, (count.register,), (-1,)))
    bits = asm.value(op.ADD_NUMBER, (asm.value(op.MULTIPLY_NUMBER, (count.register,), (known.width,)),), (7,))
    octets = asm.value(op.SHIFT_RIGHT, (bits, asm.number(3)))
    start, stop = _spread(kind.characters, at.take(Number(octets, 0, _MOST_COUNTED)), (int(known.lsb), 0, 0), at)
    if known.right:
        first = asm.value(op.SUBTRACT, (stop, count.register))
        first = asm.value(op.CHOOSE, (asm.value(op.LESS, (first, start)), start, first))
        rest, start = (start, first), first
    else:
        last = asm.value(op.ADD, (start, count.register))
        last = asm.value(op.CHOOSE, (asm.value(op.LESS, (stop, last)), stop, last))
        rest, stop = (last, stop), last
    at.must(asm.value(op.EQUAL, (asm.value(op.TRIM, (*rest, at.where), (0, 1)), rest[0])))
    return _translated(known, (start, stop), at)


_MOST_COUNTED = 1 << 40
"""The most characters that programs read."""


def text_in_bits(
    kind: codec.BitText, span: Span, behind: tuple[int, int], at: Lowering, *, lsb: bool, little: bool
) -> Octets:
    """The text in some bits of the bytes of a number, whose other bits in these bytes are so many lower ones, and so
    many higher ones. Raises ``NoProgramError``.
    """
    lower, higher = behind
    order = int(little) + 2 * int(lsb is not little)
    numbers = (order, lower, higher) if little else (order, higher, lower)
    return _spelled(kind.characters(lsb=lsb), span, numbers, at)


def _spelled(known: Characters, span: Span, numbers: tuple[int, int, int], at: Lowering) -> Octets:
    start, stop = _spread(known, span, numbers, at)
    if known.pad:
        stop = at.asm.value(op.TRIM, (start, stop, at.where), (known.known.codes(known.pad)[0], 1))
    return _translated(known.known, (start, stop), at)


def _spread(known: Characters, span: Span, numbers: tuple[int, int, int], at: Lowering) -> Span:
    """The codes of packed characters, a byte each."""
    if not at.decoding:
        raise NoProgramError("a text of packed characters")
    start, stop = at.asm.several(op.SPREAD, 2, (*span, at.where), (at.asm.shared(ROOM), known.known.width, *numbers))
    return start, stop


def _translated(of: CharacterSet, codes: Span, at: Lowering) -> Octets:
    """The text that codes are."""
    octets = [b"" if each == of.NONE else each.encode() for each in of.characters.ljust(256, of.NONE)]
    if max(map(len, octets)) > 3:
        raise NoProgramError("packed characters of 4 bytes in UTF-8")
    numbers = at.asm.shared(ROOM), at.asm.shared(_table(tuple(octets)))
    return Octets(*at.asm.several(op.TRANSLATE, 2, (*codes, at.where), numbers))


def chosen(tree: Expr, at: Lowering) -> Datum | None:
    """The text or the bytes that an expression chooses; None if no row has any. Raises ``NoProgramError``."""
    match tree:
        case Value(None):
            return None
        case Value(str(word)):
            return Label(at.asm.number(0), (word,))
        case Name(origin=Origin.PARAMETER) if isinstance(word := at.parameters[tree.name], str):
            return Label(at.asm.number(0), (word,))
        case Name() if isinstance(found := at.known(tree), Octets):
            return found
        case Conditional(test, then, other):
            mask, one, two = truth(at.ask_tree(test), at.asm), chosen(then, at), chosen(other, at)
            if isinstance(mask, bool):
                return one if mask else two
            if one is None:
                return None if two is None else merged(at.asm, either_not(at.asm, True, mask), two, None)
            return merged(at.asm, mask, one, two)
    raise NoProgramError("a text that is computed")


@lru_cache(maxsize=64)
def _translation(encoding: str) -> Table | None:
    """What the bytes of an encoding are in UTF-8, as ``TRANSLATE`` asks for it; None if characters have several."""
    known = characters(encoding)
    if known is None:
        return None
    return _table(tuple(b"" if character is None else character.encode() for character in known))


@lru_cache(maxsize=64)
def _table(octets: tuple[bytes, ...]) -> Table:
    """What bytes stand for, as ``TRANSLATE`` asks for it."""
    return Table.of(len(each) << 24 | int.from_bytes(each, "little") for each in octets)
