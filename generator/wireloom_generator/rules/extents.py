"""Rules about the end of values (sizes, prefixes, terminators, padding), and about keys that only some types have."""

from collections.abc import Iterator, Set
from encodings.aliases import aliases

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.expressions import names
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Violation, closest, nearest
from wireloom_generator.reading.vocabulary import ENCODINGS, TERMINATORS, UNTERMINATED
from wireloom_generator.types import (
    ALL,
    WIDTHS,
    Ascii,
    Bytes,
    CharacterSet,
    Integer,
    SizedInteger,
    Struct,
    Text,
    Unknown,
    Varint,
    WireType,
)
from wireloom_generator.types.decimals import Digits

_OTHER_NAMES = {
    **dict.fromkeys(("utf_8_sig", "utf8mb4"), "utf-8"),
    **dict.fromkeys(("asciiz", "ascii_7", "ascii7", "ascii_8"), "ascii"),
    **dict.fromkeys(("utf_16", "ucs_2", "ucs2", "unicode"), "utf-16-be or utf-16-le"),
    **dict.fromkeys(("utf_32", "ucs_4", "ucs4"), "utf-32-be or utf-32-le"),
    **dict.fromkeys(("ebcdic", "ebcdic_us"), "cp037, cp500 or cp1140, whichever the document means"),
    **dict.fromkeys(("utf16be", "utf16_be"), "utf-16-be"),
    **dict.fromkeys(("utf16le", "utf16_le"), "utf-16-le"),
}
"""Other tools' names of encodings."""


def _in_python(encoding: str) -> str:
    """Python's name for an encoding."""
    name = encoding.lower().replace("-", "_").replace(" ", "_")
    return aliases.get(name, name)


_KNOWN = {_in_python(encoding): encoding for encoding in ENCODINGS}


_MOST_DIGITS = 18
"""The most digits of a length."""
_SIZE_OF_INTEGER = "name the field that says how many bytes it has, as in size: width"

_HAVING = {key: [each for each in ALL if key in each.keys] for key in (key for each in ALL for key in each.keys)}
"""The types that can have a key, by the keys that not all can have."""


def extent(spec: Resolved) -> Iterator[Violation]:
    """Reports values without an end, with two ends, or with one that their type cannot have."""
    following = _derived_names(spec)
    for node in nodes(spec):
        if isinstance(node, model.Field) and isinstance(node.wire.extent, model.Size) and node.wire.extent.pad:
            yield from _padding_unknown(node, node.wire.extent.condition, following)
        if isinstance(node, model.Field | model.Computed) and not isinstance(node.type, Unknown):
            if isinstance(node, model.Field):
                yield from _ends(node)
                yield from _end(node, node.wire.extent)
            yield from _encoding(node)
            yield from _own_keys(node)
        if not isinstance(node, model.Field | model.Region):
            continue
        extent = node.wire.extent if isinstance(node, model.Field) else node.extent
        if isinstance(extent, model.Size) and (extent.fixed or 0) < 0:
            yield Violation(node.where("size"), "a size cannot be negative")


def _ends(field: model.Field) -> Iterator[Violation]:
    given = [key for key in ("size", "prefix", "until") if field.gives(key)]
    for key in given:
        if key not in field.type.ends:
            hint = "" if field.type.ends else "its type has a fixed size"
            yield Violation(field.where(key), f"{field.type.word} takes no {key}", hint)
    fitting = [key for key in given if key in field.type.ends]
    if fitting == ["size", "until"]:
        return
    for key in fitting[1:]:
        yield Violation(field.where(key), f"{field.name!r} has both {fitting[0]} and {key}", "keep one of them")
    if not fitting and field.type.endless:
        what = f"{field.type.word} needs {'one of ' if field.type.ends[1:] else ''}{', '.join(field.type.ends)}"
        hint = "write size: rest for what is left of the section"
        if isinstance(field.type, SizedInteger):
            four = f"{field.type.word[0]}32"
            hint = f"write type: {four} if it has 4 bytes; if a field says how many, name that as its size"
        yield Violation(field.where("type"), what, hint)


def _end(field: model.Field, extent: model.Extent | None) -> Iterator[Violation]:
    match extent:
        case model.Prefix(length=length) if not _is_length(length.type):
            hint = "write the type of an unsigned integer, such as u8, u16 or leb128_u32"
            yield Violation(field.where("prefix"), f"{length.type.word!r} cannot be a length prefix", hint)
        case model.Terminator(ends=ends) | model.Size(until=model.Terminator(ends=ends)) if b"" in ends:
            yield Violation(field.where("until"), "a terminator has at least one byte", 'as in until: "00"')
        case model.Terminator(others=others) | model.Size(until=model.Terminator(others=others)) if others:
            yield from _several(field, extent)
        case model.Size(pad=bytes() as pad, until=until):
            yield from _padding(field, extent, pad, until)
        case model.Terminator(terminator="drop", unterminated=True) if field.raw is None:
            what = f"{field.name!r} may lack its terminator, and would be written with it"
            hint = "write terminator: keep, or raw: for a column with the bytes"
            yield Violation(field.where("unterminated"), what, hint)
    if isinstance(field.type, SizedInteger):
        yield from _size_of_integer(field, field.type, extent)
    if not isinstance(extent, model.Size):
        yield from _pointless(field, ("pad",), "add a size, as in size: 8")
    if not field.gives("until"):
        yield from _pointless(field, ("terminator", "unterminated"), 'add a terminator, as in until: "00"')
    for key, known in (("terminator", TERMINATORS), ("unterminated", UNTERMINATED)):
        if (word := field.stray.get(key)) is not None:
            hint = closest(word, known) if word.isalpha() else 'add a terminator, as in until: "00"'
            yield Violation(field.where(key), f"unknown word {word!r}", hint)


def _several(field: model.Field, extent: model.Extent) -> Iterator[Violation]:
    """Reports values with several terminators that do not say which of them they have."""
    at = field.where("until")
    if isinstance(extent, model.Size):
        yield Violation(at, f"{field.name!r} has a size and several terminators", "keep one of them")
    elif isinstance(field.type, Struct):
        yield Violation(at, "a struct cannot have several terminators", "keep one of them")
    elif isinstance(extent, model.Terminator):
        if extent.terminator == "leave" or (extent.terminator == "drop" and field.raw is None):
            what = f"{field.name!r} has several terminators, and would be written with the first"
            yield Violation(at, what, "write terminator: keep, or raw: for a column with the bytes")
        elif extent.ambiguous:
            yield Violation(at, extent.ambiguous)


def _size_of_integer(field: model.Field, integer: SizedInteger, extent: model.Extent | None) -> Iterator[Violation]:
    """Reports integers whose size is a number, or what is left, and bytes beside those whose size is another value."""
    fixed = extent.fixed if isinstance(extent, model.Size) else None
    if fixed is not None and fixed > 0:
        is_width = 8 * fixed in WIDTHS
        what = "a size that is a number makes another type" if is_width else f"no integer has {fixed} bytes"
        hint = f"write type: {integer.word[0]}{8 * fixed}" if is_width else "keep it as bytes"
        yield Violation(field.where("size"), what, hint)
    elif isinstance(extent, model.Rest) or (isinstance(extent, model.Size) and extent.condition.asks_left):
        what = f"the bytes left depend on {field.name!r}, so its size would be lost"
        yield Violation(field.where("size"), what, _SIZE_OF_INTEGER)
    elif field.gives("raw") and not integer.shortest and not field.gives("as"):
        what = "its bytes follow from its value and its size"
        hint = "delete raw:; it keeps numbers that take more bytes than they need, if their size is derived"
        yield Violation(field.where("raw"), what, hint)


def _pointless(field: model.Field, keys: tuple[str, ...], hint: str) -> Iterator[Violation]:
    for key in keys:
        if field.gives(key) and key in field.type.keys:
            yield Violation(field.where(key), f"{key} does not apply to {field.name!r}", hint)


def _padding(field: model.Field, size: model.Size, pad: bytes, until: model.Terminator | None) -> Iterator[Violation]:
    """Reports mistakes in a value that ends inside its size."""
    if until is None and isinstance(field.type, Struct):
        what, hint = f"{field.type.word} does not say where its padding begins", "use a section with trailing"
        yield Violation(field.where("pad"), what, hint)
    if pad == b"":
        yield Violation(field.where("pad"), "padding has at least one byte", 'as in pad: "20"')
    if size.fixed == 0:
        yield Violation(field.where("size"), "a size of 0 leaves no room for padding")
    if until is not None and until.terminator == "leave":
        what, hint = "a terminator inside a size cannot be left to the next field", "write drop or keep"
        yield Violation(field.where("terminator"), what, hint)
    if field.const is not None and isinstance(field.type, Bytes):
        yield Violation(field.where("const"), "a const includes its padding", "write all of its bytes, and delete pad:")


def _padding_unknown(field: model.Field, size: model.Condition, following: Set[str]) -> Iterator[Violation]:
    """Reports padding in a size that follows from the value, because the amount of padding would be lost."""
    if size.asks_left and field.raw is None:
        what = f"the bytes left depend on {field.name!r}, so its padding would be lost"
        hint = (
            "use another size, or only until:" if isinstance(field.type, Struct) else "name a raw column that keeps it"
        )
        yield Violation(field.where("size"), what, hint)
    asked = next((name.name for name in names(size.expression) if name.name in following), None)
    if asked is not None:
        what = f"{asked!r} depends on {field.name!r}, so its padding would be lost"
        yield Violation(field.where("size"), what, "use another size, or only until:")


def _derived_names(spec: Resolved) -> frozenset[str]:
    """The names of derived fields, and of fields that are computed from them."""
    found = {node.name for node in nodes(spec) if isinstance(node, model.Field | model.BitField) and node.derive}
    computed = [node for node in nodes(spec) if isinstance(node, model.Computed)]
    for _ in computed:
        found |= {one.name for one in computed if any(name.name in found for name in names(one.value.expression))}
    return frozenset(found)


def _is_length(kind: WireType) -> bool:
    if isinstance(kind, Integer):
        return not kind.signed and kind.bits in WIDTHS
    if isinstance(kind, Ascii | Digits):
        return kind.digits <= _MOST_DIGITS
    return isinstance(kind, Varint) and not kind.form.signed


def _encoding(field: model.Field | model.Computed) -> Iterator[Violation]:
    if not isinstance(field.type, Text):
        return
    encoding, end = field.type.encoding, field.wire.extent if isinstance(field, model.Field) else None
    if isinstance(encoding, CharacterSet):
        return
    if encoding not in ENCODINGS:
        yield Violation(field.where("encoding"), f"unknown encoding {encoding!r}", _encoding_hint(encoding))
        return
    until, pad = (end.until, end.pad) if isinstance(end, model.Size) else (end, None)
    ends = until.ends if isinstance(until, model.Terminator) else ()
    for key, value in (*(("until", end) for end in ends), ("pad", pad or b"")):
        if len(value) % field.type.unit and field.gives(key):
            what = f"{value.hex()} is not whole characters of {encoding}, which have {field.type.unit} bytes each"
            yield Violation(field.where(key), what, f'as in {key}: "{value.hex().ljust(2 * field.type.unit, "0")}"')


def _encoding_hint(encoding: str) -> str:
    name = _in_python(encoding)
    if (known := _KNOWN.get(name) or _OTHER_NAMES.get(name)) is not None:
        return f"write {known}"
    near = nearest(encoding, ENCODINGS)
    return (
        f"did you mean {near!r}?" if near else "docs/reference/strings.md lists the encodings; keep other text as bytes"
    )


def _own_keys(field: model.Field | model.Computed) -> Iterator[Violation]:
    """Reports mistakes in keys that only some types have."""
    for key, having in _HAVING.items():
        given, owners = field.gives(key), [each for each in having if isinstance(field.type, each)]
        if key == "raw" and field.gives("as"):
            continue
        if not owners and given:
            words = [each.spelling for each in having if each.spelling]
            named = " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
            hint = f"only {named} {'has' if len(words) == 1 else 'have'} it"
            if key == "raw":
                hint = "its bytes follow from its value"
            elif key == "scale":
                hint = "write as: {decimal: {scale: …}} to scale a number"
            yield Violation(field.where(key), f"{field.type.word} cannot have {key}", hint)
        elif owners and not given and key in owners[0].needs:
            yield Violation(field.where("type"), f"{field.type.word} needs {key}, {owners[0].needs[key]}")
    for key, what, hint in field.faults:
        yield Violation(field.where(key), what, hint)
