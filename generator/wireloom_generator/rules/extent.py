"""Where a value ends is said once: bytes and text have one of size, prefix and until; numbers have none.

Bytes do not say where they end, and two sayings could contradict each other in every record.

``size`` is a number of bytes or ``rest``, which is what is left of the section. ``prefix`` puts a length in front and
``until`` a terminator behind. A type may be given a size or a prefix, and is a region of its own then. FlatBuffers have
a size or a prefix, and name their table and the column that keeps their bytes.

Bad::

    - {name: key, type: bytes}
    - {name: id, type: u32, size: 4}

Good::

    - {name: key, type: bytes, size: key_length}
    - {name: id, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import ENCODINGS
from wireloom_generator.types import ALL, NAMES, Integer, Leb128, Struct, Text, Unknown, of, parse

_ELSEWHERE = {
    **dict.fromkeys(("utf8", "utf-8-sig"), "utf-8"),
    **dict.fromkeys(("us-ascii", "asciiz"), "ascii"),
    **dict.fromkeys(("latin1", "iso-8859-1", "iso8859-1", "l1"), "latin-1"),
    **dict.fromkeys(("utf-16", "utf16", "ucs-2", "unicode"), "utf-16-be or utf-16-le"),
    **dict.fromkeys(("utf16be", "utf16-be"), "utf-16-be"),
    **dict.fromkeys(("utf16le", "utf16-le"), "utf-16-le"),
}
"""Other names of encodings."""

_LENGTHS = {name for name in NAMES if isinstance(found := parse(name), Integer | Leb128) and not found.signed}


def check(spec: Resolved) -> Iterator[Problem]:
    """Values without an end, with two, or with one that their type cannot have."""
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed) and not isinstance(node.type, Unknown):
            if isinstance(node, model.Field):
                yield from _ends(node.written)
            yield from _prefix(node.written)
            yield from _text(node.written)
            yield from _own(node.written)
        if not isinstance(node, model.Field | model.Region):
            continue
        extent = node.wire.extent if isinstance(node, model.Field) else node.extent
        if isinstance(extent, model.Size) and (extent.condition.constant or 0) < 0:
            yield Problem(node.where("size"), "extent", "a size cannot be negative")


def _ends(field: syntax.Field) -> Iterator[Problem]:
    wire = parse(field.type)
    given = [key for key in ("size", "prefix", "until") if getattr(field, key) is not None]
    allowed = _allowed(field)
    for key in given:
        if key not in allowed:
            hint = "" if allowed else "its type says how many bytes it has"
            yield Problem(field.where(key), "extent", f"{field.type} takes no {key}", hint)
    fitting = [key for key in given if key in allowed]
    for key in fitting[1:]:
        yield Problem(
            field.where(key),
            "extent",
            f"{field.name!r} has both {fitting[0]} and {key}",
            "one of them says where it ends",
        )
    if not fitting and wire is not None and wire.endless:
        what = f"{field.type} needs one of {', '.join(allowed)}"
        yield Problem(field.where("type"), "extent", what, "size: rest takes what is left of the section")


def _allowed(field: syntax.Field) -> tuple[str, ...]:
    """The keys that may say where the field ends."""
    found = parse(field.type)
    return Struct.ends if found is None else found.ends


def _prefix(field: syntax.Field) -> Iterator[Problem]:
    if field.prefix is None:
        return
    if field.prefix not in _LENGTHS:
        what = f"{field.prefix!r} cannot be a length in front"
        hint = "prefix: is the type of an unsigned integer, as u8, u16 or leb128_u32"
        yield Problem(field.where("prefix"), "extent", what, hint)


def _text(field: syntax.Field) -> Iterator[Problem]:
    if field.until == "":
        yield Problem(field.where("until"), "extent", "a terminator has at least one byte", 'as in until: "00"')
    if field.encoding is None or not isinstance(parse(field.type), Text):
        return
    if field.encoding not in ENCODINGS:
        at, what = field.where("encoding"), f"unknown encoding {field.encoding!r}"
        yield Problem(at, "extent", what, _encoding_hint(field.encoding))
    elif field.until is not None and field.encoding.startswith("utf-16"):
        hint = "its bytes can also be halves of two characters; give a size, or declare bytes"
        yield Problem(field.where("until"), "extent", f"{field.encoding} text can have no terminator", hint)


def _encoding_hint(encoding: str) -> str:
    known = _ELSEWHERE.get(encoding.lower().replace("_", "-"))
    if known is not None:
        return f"write {known}"
    near = closest(encoding, ENCODINGS)
    return near if near.startswith("did you mean") else f"{near}; keep other text as bytes"


def _own(field: syntax.Field) -> Iterator[Problem]:
    """What is wrong with the keys that only fields of one type have."""
    wire = of(field)
    for each in ALL:
        for key in each.keys:
            given = getattr(field, key) is not None
            if not isinstance(wire, each) and given:
                hint = f"only {next(iter(each.spellings()))} has one"
                yield Problem(field.where(key), "extent", f"{field.type} can have no {key}", hint)
            elif isinstance(wire, each) and not given and key in each.needs:
                what = f"{field.type} needs {key}, {each.needs[key]}"
                yield Problem(field.where("type"), "extent", what)
    if wire is not None:
        for key, what, hint in wire.faults(field):
            yield Problem(field.where(key), "extent", what, hint)
