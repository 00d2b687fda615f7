"""Values that some rows have from one place and other rows from another."""

from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.expressions import both
from wireloom.programs.selection import looked_up
from wireloom.programs.values import (
    WORD,
    Borrowed,
    Datum,
    Flags,
    Label,
    Listed,
    Names,
    NoItems,
    NoProgramError,
    Number,
    Octets,
    Spelled,
    Struct,
    valid_in,
)


def merged(asm: Assembler, mask: int, one: Datum, other: Datum | None) -> Datum:
    """``one`` where ``mask`` is set, elsewhere ``other``, if there is one. ``one`` is of rows in ``mask`` alone."""
    valid = both(asm, mask, one.valid)
    if other is None:
        return valid_in(one, valid)
    if other.valid != op.ONES or one.valid != op.ONES:
        valid = asm.value(op.CHOOSE, (mask, one.valid, other.valid))
    else:
        valid = op.ONES
    match one, other:
        case Number(), Number() if _form(one) == _form(other):
            least, most = min(one.least, other.least), max(one.most, other.most)
            if least < 0 and most >= WORD:
                raise NoProgramError("what numbers of 64 bits cannot say")
            register = asm.value(op.CHOOSE, (mask, one.register, other.register))
            names: Names = one.names if one.names == other.names else (mask, one.names, other.names)
            truth = one.truth and other.truth
            return Number(register, least, most, valid, truth, one.floating, one.parts, names, one.double)
        case Octets(), Octets():
            start = asm.value(op.CHOOSE, (mask, one.start, other.start))
            return Octets(start, asm.value(op.CHOOSE, (mask, one.stop, other.stop)), valid)
        case Spelled(), Spelled() if one.way == other.way:
            return Spelled(asm.value(op.CHOOSE, (mask, one.start, other.start)), one.way, valid)
        case Label(), Label():
            texts = tuple(dict.fromkeys((*other.texts, *one.texts)))
            numbers = (_renumbered(asm, each, texts) for each in (one, other))
            return Label(asm.value(op.CHOOSE, (mask, *numbers)), texts, valid, _both_known(asm, mask, one.of, other.of))
        case Flags(), Flags() if one.bits == other.bits:
            named = _both_known(asm, mask, one.of, other.of)
            return Flags(asm.value(op.CHOOSE, (mask, one.number, other.number)), one.bits, valid, named)
        case NoItems(), NoItems():
            return NoItems(valid)
        case Listed(), Listed():
            count = _both_known(asm, mask, one.count, other.count)
            return Listed(tuple(dict.fromkeys((*one.listings, *other.listings))), count, valid)
        case Borrowed(), Borrowed() if one.name == other.name:
            return Borrowed(tuple(dict.fromkeys((*one.listings, *other.listings))), one.name, valid)
        case Struct(), Struct():
            return Struct(_fields(asm, mask, one, other), valid)
    raise NoProgramError("values of several types under one name")


def _both_known(asm: Assembler, mask: int, one: Number | None, other: Number | None) -> Number | None:
    """A number that is this one in some rows and that one in others; None unless both are known."""
    found = None if one is None or other is None else merged(asm, mask, one, other)
    return found if isinstance(found, Number) else None


def _fields(asm: Assembler, mask: int, one: Struct, other: Struct) -> dict[str, Datum]:
    fields: dict[str, Datum] = {}
    for name in dict.fromkeys((*one.fields, *other.fields)):
        if name in one.fields:
            fields[name] = merged(asm, mask, one.fields[name], other.fields.get(name))
        else:
            value = other.fields[name]
            fields[name] = valid_in(value, both(asm, asm.value(op.NOT, (mask,)), value.valid))
    return fields


def _renumbered(asm: Assembler, label: Label, texts: tuple[str, ...]) -> int:
    """The numbers of its texts among others."""
    if texts[: len(label.texts)] == label.texts:
        return label.number
    return looked_up(asm, label.number, [texts.index(text) for text in label.texts])


def _form(number: Number) -> tuple[object, ...]:
    """As what registers have a number."""
    return number.floating, number.parts, number.double
