"""Syntax → model for keys of fields: extents, interpretations, checksums; and keys without a meaning."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location, closest
from wireloom_generator.reading import shape, syntax
from wireloom_generator.reading.catalogue import ALGORITHMS, CrcParameters
from wireloom_generator.reading.vocabulary import BIT_ORDERS, COUNTED, JUSTIFIED, TERMINATORS, U64_TYPES, UNTERMINATED
from wireloom_generator.resolve import conditions
from wireloom_generator.types import Ascii, CharacterSet, FlatBuffers, Text, WireType, Zoned, meanings
from wireloom_generator.types.base import WrongKey

_IN_BYTES = (
    "size", "prefix", "until", "pad", "terminator", "unterminated", "encoding", "table", "raw", "flags",
    "optional", "repeat", "table_type", "byte_order", "reserved", "at", "shared", "with",
    "through", "limit",
)  # fmt: skip
"""The keys without a meaning for a computed field, unless they are false."""


def sized(entry: syntax.Field | syntax.Section, names: Names) -> model.Size | model.Rest:
    """The extent given by the ``size`` of a field or a section."""
    if entry.size is None or entry.size == "rest":
        return model.Rest()
    return model.Size(conditions.expression(entry.size, names))


def extent(field: syntax.Field, type_: WireType, names: Names) -> model.Extent | None:
    """The extent of a field's value without a length prefix; None if the type determines it."""
    until = _terminator(field, type_)
    if field.size is None:
        return until
    if until is None and field.pad is None:
        return sized(field, names)
    pad = b"\0" if field.pad is None else field.pad
    return model.Size(conditions.expression(field.size, names), pad, until)


def length(prefix: syntax.LengthPrefix) -> syntax.Field:
    """The number of a length prefix as a field. As many ASCII digits as there are bytes are a zoned decimal."""
    is_ascii = prefix.type == Ascii.spelling
    return syntax.Field(
        at=prefix.at,
        places=prefix.places,
        doc=syntax.Doc(at=prefix.at, places={}),
        name="",
        type=Zoned.spelling if is_ascii else prefix.type,
        digits=prefix.digits,
        encoding=Ascii.spelling if is_ascii else prefix.encoding,
    )


def prefix_faults(field: syntax.Field, wire: model.Wire) -> Iterator[WrongKey]:
    """The mistakes in a length prefix: the key of the field, the problem, a hint."""
    prefix, found = field.prefix, wire.extent
    if prefix is None or not isinstance(found, model.Prefix):
        return
    kind = found.length.type
    if isinstance(prefix, str):
        if "digits" in kind.keys:
            yield "prefix", f"a length of type {prefix} needs digits", f"write {{type: {prefix}, digits: 2}}"
        return
    if prefix.digits is not None or "digits" not in kind.keys:
        yield from (("prefix", what, hint) for _, what, hint in kind.faults(length(prefix)))
    else:
        yield "prefix", f"a length of type {prefix.type} needs digits", "as in digits: 2"
    for key in ("digits", "encoding"):
        is_known = key in kind.keys and (key, prefix.type) != ("encoding", Ascii.spelling)
        if getattr(prefix, key) is not None and not is_known:
            yield "prefix", f"{prefix.type} cannot have {key}", f"delete {key}:"
    if prefix.counts not in COUNTED:
        yield "prefix", f"unknown word {prefix.counts!r}", closest(prefix.counts, COUNTED)
    elif found.in_characters and not (isinstance(wire.type, Text) and isinstance(wire.type.encoding, CharacterSet)):
        yield "prefix", "only the characters of packed text are counted", "delete counts:"


def _terminator(field: syntax.Field, type_: WireType) -> model.Terminator | None:
    if not field.ends:
        return None
    missing = "allowed" if field.size is not None else "malformed"
    return model.Terminator(
        field.ends[0],
        field.terminator or TERMINATORS[0],
        (field.unterminated or missing) == "allowed",
        type_.unit if isinstance(type_, Text) else 1,
        field.ends[1:],
    )


def meaning(written: syntax.Meaning | str | None, type_: WireType) -> meanings.Meaning | None:
    """The meaning of a field of that type; None if it has none, or one that does not exist."""
    match written:
        case str():
            return meanings.WORDS.get(written)
        case syntax.Meaning(timestamp=syntax.Timestamp(unit=unit, epoch=epoch)):
            return meanings.Timestamp(unit, epoch)
        case syntax.Meaning(duration=syntax.Duration(unit=unit)):
            return meanings.Duration(unit)
        case syntax.Meaning(decimal=syntax.Scaled(scale=scale, offset=offset)):
            return meanings.DecimalNumber(scale, offset, type_.values.least, type_.values.most)
        case syntax.Meaning(double=syntax.Scaled(scale=scale, offset=offset)):
            return meanings.DoubleNumber(scale, offset, type_.values.least, type_.values.most)
        case syntax.Meaning() | None:
            return None


def checksum(written: syntax.Checksum | None, names: Names) -> model.Checksum | None:
    """A checksum with its ranges resolved."""
    if written is None:
        return None
    parts: tuple[syntax.Checksum | syntax.Summand, ...] = (written, *written.over)
    over = tuple(piece for part in parts if (piece := _piece(part, names)) is not None)
    named, kind, title = written.algorithm, None, ""
    if isinstance(named, str):
        known = ALGORITHMS.get(named)
        kind, title = (known.kind, known.title) if known else (None, named)
    else:
        kind = CrcParameters(named.width, named.poly, named.init, named.reflect_in, named.reflect_out, named.xor_out)
        named = title = kind.words
    return model.Checksum(named, title, kind, over, tuple(_faults(written)), written=written)


def _piece(written: syntax.Checksum | syntax.Summand, names: Names) -> model.ByteRange | bytes | None:
    """A range or a constant; None if it is neither."""
    if written.start is not None and written.end is not None:
        start = conditions.expression(written.start, names)
        return model.ByteRange(start, conditions.expression(written.end, names))
    return written.const if isinstance(written, syntax.Summand) else None


def _faults(written: syntax.Checksum) -> Iterator[tuple[Location, str, str]]:
    """The mistakes in the covered bytes: the place, the problem, a hint."""
    ends = [each is not None for each in (written.start, written.end)]
    if any(ends) if written.over else not all(ends):
        what = "a checksum covers either one range or several pieces"
        yield written.at, what, "write from and to, or over: [{from: …, to: …}, …]"
        return
    for piece in written.over:
        given = [each is not None for each in (piece.start, piece.end, piece.const)]
        if given not in ([True, True, False], [False, False, True]) or piece.const == b"":
            yield piece.at, "a piece is either a range or a const", "write {from: …, to: …} or {const: …}"
    if written.over and all(piece.const for piece in written.over):
        yield (
            written.where("over"),
            "a checksum must cover bytes of the record",
            "write a checksum of constants alone as a const",
        )
    if len(written.over) == 1 and not written.over[0].const:
        yield written.where("over"), "over lists a single range", "write from and to without over"


def meaningless(field: syntax.Field) -> Iterator[tuple[str, str]]:
    """The keys of a computed field without a meaning for it, with their words."""
    for key in _IN_BYTES:
        value = getattr(field, shape.keys(syntax.Field)[key][0].name)
        if value not in (None, False, {}):
            yield key, value if isinstance(value, str) else ""


def stray_of_record(record: syntax.Record) -> Iterator[tuple[str, str]]:
    """The invalid words of a record, by key."""
    if record.unterminated not in (None, *UNTERMINATED):
        yield "unterminated", record.unterminated


def stray(field: syntax.Field) -> Iterator[tuple[str, str]]:
    """The invalid words, by key."""
    if field.bit is not None:
        yield "bit", str(field.bit)
    if isinstance(field.repeat, str) and field.repeat != "rest":
        yield "repeat", field.repeat
    if field.table_type not in (None, *U64_TYPES):
        yield "table_type", str(field.table_type)
    if isinstance(field.meaning, str) and field.meaning not in meanings.WORDS:
        yield "as", field.meaning
    if field.terminator not in (None, *TERMINATORS):
        yield "terminator", field.terminator
    if field.unterminated not in (None, *UNTERMINATED):
        yield "unterminated", field.unterminated
    if isinstance(field.encoding, syntax.PackedCharacters) and field.encoding.bit_order not in (None, *BIT_ORDERS):
        yield "encoding", str(field.encoding.bit_order)
    if isinstance(field.encoding, syntax.PackedCharacters) and field.encoding.justify not in JUSTIFIED:
        yield "justify", field.encoding.justify
    if field.table is not None and field.type != FlatBuffers.spelling:
        yield "table", field.table
