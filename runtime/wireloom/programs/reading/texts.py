"""Texts in programs: those in other encodings are translated to UTF-8."""

from functools import lru_cache

from wireloom import codec
from wireloom.characters import characters
from wireloom.expressions.tree import Conditional, Expr, Name, Origin, Value
from wireloom.programs import opcodes as op
from wireloom.programs.expressions import either_not, truth
from wireloom.programs.merging import merged
from wireloom.programs.outputs import Output, Table
from wireloom.programs.reading.lowering import Lowering, Span
from wireloom.programs.reasons import Reason, Undecodable
from wireloom.programs.values import Datum, Label, NoProgramError, Octets

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
    octets = [b"" if character is None else character.encode() for character in known]
    return Table.of(len(each) << 24 | int.from_bytes(each, "little") for each in octets)
