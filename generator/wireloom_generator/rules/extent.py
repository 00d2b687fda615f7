"""Where a value ends is said once: bytes and text have one of size, prefix and until; numbers have none.

Bytes do not say where they end, and two sayings could contradict each other in every record.

``size`` is a number of bytes or ``rest``, which is what is left of the section. ``prefix`` puts a length in front and
``until`` a terminator behind. A type may be given a size or a prefix, and is a region of its own then. FlatBuffers have
a size or a prefix, and name their table and the column that keeps their bytes. Other values can have such a column, too
(``raw``), if several bytes can say the same: a LEB128 number can be longer than need be.

Bad::

    - {name: key, type: bytes}
    - {name: id, type: u32, size: 4}

Good::

    - {name: key, type: bytes, size: key_length}
    - {name: id, type: u32}
"""

from collections.abc import Iterator
from encodings.aliases import aliases

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, nearest
from wireloom_generator.reading.vocabulary import ENCODINGS
from wireloom_generator.types import ALL, WIDTHS, Integer, Text, Unknown, Varint, WireType

_ELSEWHERE = {
    **dict.fromkeys(("utf_8_sig", "utf8mb4"), "utf-8"),
    **dict.fromkeys(("asciiz", "ascii_7", "ascii7", "ascii_8"), "ascii"),
    **dict.fromkeys(("utf_16", "ucs_2", "ucs2", "unicode"), "utf-16-be or utf-16-le"),
    **dict.fromkeys(("utf_32", "ucs_4", "ucs4"), "utf-32-be or utf-32-le"),
    **dict.fromkeys(("ebcdic", "ebcdic_us"), "cp037, cp500 or cp1140, as its document says"),
    **dict.fromkeys(("utf16be", "utf16_be"), "utf-16-be"),
    **dict.fromkeys(("utf16le", "utf16_le"), "utf-16-le"),
}
"""Other tools' names of encodings."""


def _in_python(encoding: str) -> str:
    """What Python calls an encoding."""
    name = encoding.lower().replace("-", "_").replace(" ", "_")
    return aliases.get(name, name)


_KNOWN = {_in_python(encoding): encoding for encoding in ENCODINGS}


_HAVING = {key: [each for each in ALL if key in each.keys] for key in (key for each in ALL for key in each.keys)}
"""The types that can have a key, by the keys that not all can have."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Values without an end, with two, or with one that their type cannot have."""
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed) and not isinstance(node.type, Unknown):
            if isinstance(node, model.Field):
                yield from _ends(node)
                yield from _end(node, node.wire.extent)
            yield from _encoding(node)
            yield from _own(node)
        if not isinstance(node, model.Field | model.Region):
            continue
        extent = node.wire.extent if isinstance(node, model.Field) else node.extent
        if isinstance(extent, model.Size) and (extent.fixed or 0) < 0:
            yield Problem(node.where("size"), "extent", "a size cannot be negative")


def _ends(field: model.Field) -> Iterator[Problem]:
    given = [key for key in ("size", "prefix", "until") if field.gives(key)]
    for key in given:
        if key not in field.type.ends:
            hint = "" if field.type.ends else "its type says how many bytes it has"
            yield Problem(field.where(key), "extent", f"{field.type.word} takes no {key}", hint)
    fitting = [key for key in given if key in field.type.ends]
    for key in fitting[1:]:
        what, hint = f"{field.name!r} has both {fitting[0]} and {key}", "one of them says where it ends"
        yield Problem(field.where(key), "extent", what, hint)
    if not fitting and field.type.endless:
        what = f"{field.type.word} needs one of {', '.join(field.type.ends)}"
        yield Problem(field.where("type"), "extent", what, "size: rest takes what is left of the section")


def _end(field: model.Field, extent: model.Extent | None) -> Iterator[Problem]:
    match extent:
        case model.Prefix(length=length) if not _is_length(length.type):
            hint = "prefix: is the type of an unsigned integer, as u8, u16 or leb128_u32"
            yield Problem(field.where("prefix"), "extent", f"{length.type.word!r} cannot be a length in front", hint)
        case model.Terminator(value=b""):
            yield Problem(field.where("until"), "extent", "a terminator has at least one byte", 'as in until: "00"')


def _is_length(kind: WireType) -> bool:
    match kind:
        case Integer():
            return not kind.signed and kind.bits in WIDTHS
        case Varint():
            return not kind.signed
        case _:
            return False


def _encoding(field: model.Field | model.Computed) -> Iterator[Problem]:
    if not isinstance(field.type, Text):
        return
    encoding, end = field.type.encoding, field.wire.extent if isinstance(field, model.Field) else None
    if encoding not in ENCODINGS:
        what = f"unknown encoding {encoding!r}"
        yield Problem(field.where("encoding"), "extent", what, _encoding_hint(encoding))
    elif isinstance(end, model.Terminator) and encoding.startswith("utf-16"):
        hint = "its bytes can also be halves of two characters; give a size, or declare bytes"
        yield Problem(field.where("until"), "extent", f"{encoding} text can have no terminator", hint)


def _encoding_hint(encoding: str) -> str:
    name = _in_python(encoding)
    if (known := _KNOWN.get(name) or _ELSEWHERE.get(name)) is not None:
        return f"write {known}"
    near = nearest(encoding, ENCODINGS)
    return f"did you mean {near!r}?" if near else "specs/README.md lists those there are; keep other text as bytes"


def _own(field: model.Field | model.Computed) -> Iterator[Problem]:
    """What is wrong with the keys that not all types have."""
    for key, having in _HAVING.items():
        given, owners = field.gives(key), [each for each in having if isinstance(field.type, each)]
        if key == "raw" and field.gives("as"):
            continue
        if not owners and given:
            hint = f"only {next(iter(having[0].spellings()))} has one"
            if key == "raw":
                hint = "a value of that type says what its bytes are"
            elif key == "scale":
                hint = "as: {decimal: {scale: …}} scales a number"
            yield Problem(field.where(key), "extent", f"{field.type.word} can have no {key}", hint)
        elif owners and not given and key in owners[0].needs:
            what = f"{field.type.word} needs {key}, {owners[0].needs[key]}"
            yield Problem(field.where("type"), "extent", what)
    for key, what, hint in field.faults:
        yield Problem(field.where(key), "extent", what, hint)
