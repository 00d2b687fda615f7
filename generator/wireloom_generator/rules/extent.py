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

from wireloom_generator import syntax
from wireloom_generator.problems import Problem, closest
from wireloom_generator.scopes import is_known, written
from wireloom_generator.sites import constant
from wireloom_generator.spec import Spec
from wireloom_generator.wiretypes import WIDTHS, Bytes, FlatBuffers, Integer, Text, Varint, parse

_ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16-be", "utf-16-le")


def check(spec: Spec) -> Iterator[Problem]:
    """Values that end nowhere, twice, or as their type cannot."""
    for entry in written(spec):
        if isinstance(entry, syntax.Field) and is_known(spec, entry):
            if entry.compute is None:
                yield from _ends(entry)
            yield from _prefix(entry)
            yield from _text(entry)
            yield from _table(entry)
        if isinstance(entry, syntax.Field | syntax.Section) and (constant(entry.size or "") or 0) < 0:
            yield Problem(entry.where("size"), "extent", "a size is not negative")


def _ends(field: syntax.Field) -> Iterator[Problem]:
    wire = parse(field.type)
    given = [key for key in ("size", "prefix", "until") if getattr(field, key) is not None]
    allowed = _allowed(field)
    for key in given:
        if key not in allowed:
            hint = "" if allowed else f"{field.type} has a size of its own"
            yield Problem(field.where(key), "extent", f"{field.type} takes no {key}", hint)
    fitting = [key for key in given if key in allowed]
    for key in fitting[1:]:
        yield Problem(field.where(key), "extent", f"{fitting[0]} says already where {field.name!r} ends")
    if not fitting and isinstance(wire, Bytes | Text | FlatBuffers):
        what = f"{field.type} needs one of {', '.join(allowed)}"
        yield Problem(field.where("type"), "extent", what, "size: rest takes what is left of the section")


def _allowed(field: syntax.Field) -> tuple[str, ...]:
    """What may say where the field ends."""
    match parse(field.type):
        case Bytes() | Text():
            return ("size", "prefix", "until")
        case FlatBuffers() | None:
            return ("size", "prefix")
        case _:
            return ()


def _prefix(field: syntax.Field) -> Iterator[Problem]:
    if field.prefix is None:
        return
    match parse(field.prefix):
        case Integer(bits=bits, signed=False) if bits in WIDTHS:
            return
        case Varint(signed=False):
            return
        case _:
            what = f"a prefix is an unsigned integer, not {field.prefix!r}"
            yield Problem(field.where("prefix"), "extent", what, "as u8, u16, u32 or leb128_u32")


def _text(field: syntax.Field) -> Iterator[Problem]:
    if field.until == "":
        yield Problem(field.where("until"), "extent", "a terminator has a byte or more", 'as until: "00"')
    if field.encoding is None:
        return
    at = field.where("encoding")
    if not isinstance(parse(field.type), Text):
        yield Problem(at, "extent", f"{field.type} has no encoding", "only text has one")
    elif field.encoding not in _ENCODINGS:
        yield Problem(at, "extent", f"unknown encoding {field.encoding!r}", closest(field.encoding, _ENCODINGS))
    elif field.until is not None and field.encoding.startswith("utf-16"):
        hint = "its bytes could stand across two characters; declare bytes, or give a size"
        yield Problem(field.where("until"), "extent", f"no terminator can be told from {field.encoding} text", hint)


def _table(field: syntax.Field) -> Iterator[Problem]:
    is_table = isinstance(parse(field.type), FlatBuffers)
    for key, why in (("table", "the root table"), ("raw", "the column that keeps the bytes")):
        given = getattr(field, key) is not None
        if is_table and not given:
            yield Problem(field.where("type"), "extent", f"flatbuffers needs {key}, {why}")
        elif given and not is_table:
            yield Problem(field.where(key), "extent", f"{field.type} has no {key}", "only flatbuffers has one")
