"""Rules about references to declarations: types, enums, tables, sections and shared variants."""

import re
from collections.abc import Collection, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import head, nodes
from wireloom_generator.model import Named, Resolved, Variant
from wireloom_generator.problems import Violation, closest
from wireloom_generator.types import NAMES, WIDTHS, FlatBuffers, Unknown
from wireloom_generator.types.meanings import Timestamp

_OTHER_NAMES = {
    "binary": "bytes", "blob": "bytes", "boolean": "bool", "byte": "u8", "octet": "u8", "double": "f64", "float": "f32",
    "uchar": "u8", "unsigned char": "u8", "signed char": "i8", "short": "i16", "ushort": "u16", "unsigned short": "u16",
    "word": "u16", "dword": "u32", "qword": "u64", "unsigned int": "u32", "long long": "i64",
    "unsigned long long": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64", "half": "f16", "str": "text",
    "string": "text", "varint": "leb128_u64", "leb128": "leb128_u64", "uleb128": "leb128_u64", "sleb128": "leb128_i64",
    "zigzag": "zigzag_i64", "vlq": "vlq_u28", "quic": "quic_u62",
    **{f"{word}{bits}{end}": f"{word[0]}{bits}" for word in ("uint", "int") for bits in WIDTHS for end in ("", "_t")},
}  # fmt: skip
"""Names of our types in other languages."""

_BY_THEIR_END = {
    **dict.fromkeys(("strz", "cstring", "asciiz", "stringz", "nullterminated"), 'write type: text, and until: "00"'),
    **dict.fromkeys(("paddedstring", "fixedstring"), 'write type: text, size: and pad: "00"'),
    "char": 'write type: text, size: and until: "00"',
    "pascalstring": "write type: text, and prefix: u8",
    "greedystring": "write type: text, and size: rest",
    "greedybytes": "write type: bytes, and size: rest",
    **dict.fromkeys(("array", "list", "vector"), "write the type of one item, and repeat: {count: …}"),
}
"""Other tools' words for values with a certain end."""

_BY_MACHINE = {
    "long": "write type: i32, or i64 if it has 8 bytes",
    **dict.fromkeys(("ulong", "unsigned long"), "write type: u32, or u64 if it has 8 bytes"),
}
"""Words of C whose size depends on the machine."""

_CHARACTERS = frozenset({"char", "nchar", "wchar"})
"""Types whose arrays are text."""

_SIZED = frozenset({"bytes", "text"})
"""Types whose number in brackets is a size, not a count."""

_BIT_FIELDS = frozenset({"bit", "bits"})
_INTEGERS = frozenset({"uint", "int"})
"""Types that are followed by their number of bits, if they are not lists."""

_ORDERS = {
    "l": ", and byte_order: little if the protocol is not",
    "b": ", and byte_order: big if the protocol is not",
}
"""What to write instead of a byte order in a type's name."""


def known_type(spec: Resolved) -> Iterator[Violation]:
    """Reports undeclared types."""
    known = frozenset((*NAMES, *spec.structs))
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed) and isinstance(node.type, Unknown):
            name = node.type.name
            yield Violation(node.where("type"), f"unknown type {name!r}", _type_hint(spec, known, name))


def _type_hint(spec: Resolved, known: frozenset[str], name: str) -> str:
    if name == Timestamp.word:
        return "give a timestamp of several fields compute: {calendar: …}, and a number as: {timestamp: {unit: …}}"
    if name in spec.enums:
        return f"it is an enum; write the type of the integer, and enum: {name}"
    if name in spec.flags:
        return f"it is a set of flags; write the type of the integer, and flags: {name}"
    if name in spec.tables:
        return f"it is a table; write type: flatbuffers, and table: {name}"
    if (said := (_BY_THEIR_END | _BY_MACHINE).get(name.lower())) is not None:
        return said
    if found := re.fullmatch(r"(\w+)(?:\[([^][]*)\]|\(([^()]*)\))", name):
        hint = _bracketed(spec, found[1], found[2] or found[3] or "…", is_list=found[2] is not None)
        return hint or closest(found[1], known)
    meant = _our_word(name)
    return f"did you mean {meant!r}?" if meant else _of_other_tools(name.lower()) or closest(name, known)


def _our_word(name: str) -> str:
    """Our word for a type of another language; nothing if there is none."""
    return _OTHER_NAMES.get(name.replace("sint", "int").lower(), "")


def _bracketed(spec: Resolved, name: str, count: str, *, is_list: bool) -> str:
    """What to write for a type with a number in brackets, which are square for a list; nothing if that is not known."""
    meant, word = _our_word(name) or name, name.lower()
    if word in _CHARACTERS:
        return f'write type: text, size: {count} and until: "00"'
    if meant in _SIZED:
        return f"write type: {meant}, and size: {count}"
    if is_list and word not in _BIT_FIELDS:
        return f"write type: {meant}, and repeat: {{count: {count}}}"
    if number := _our_word(f"{name}{count}"):
        return f"did you mean {number!r}?"
    if word in (*_BIT_FIELDS, *_INTEGERS):
        return _as_bit_field(count)
    return f"inputs of {name} are written with: {{width: {count}}}" if name in spec.structs else ""


def _as_bit_field(width: str) -> str:
    return f"bit fields are parts of an integer: {{bits: u8, fields: [{{name: …, width: {width}}}, …]}}"


def _of_other_tools(name: str) -> str:
    """Our name for an integer type of Kaitai Struct (which counts bytes) or construct."""
    if found := re.fullmatch(r"([usif])(\d{1,2})([lb]?)e?", name):
        kind, size, order = found.groups()
        bits = int(size) * 8 if size in ("1", "2", "4", "8") else int(size)
    elif found := re.fullmatch(r"(?:int(\d{1,2})([us])|float(\d{1,2}))([lbn])", name):
        kind, bits, order = found[2] or "f", int(found[1] or found[3]), found[4]
    elif found := re.fullmatch(r"b(\d{1,2})(?:le|be)?", name):
        return _as_bit_field(found[1])
    else:
        return ""
    ours = f"{'i' if kind == 's' else kind}{bits}"
    if ours not in NAMES:
        return ""
    said = _ORDERS.get(order, "") if bits > 8 else ""
    return f"write type: {ours}{said}"


def known_enum(spec: Resolved) -> Iterator[Violation]:
    """Reports undeclared enums and flags."""
    for node in nodes(spec):
        if isinstance(node, Named):
            yield from _names_of_numbers(node, "enum", node.enum, spec.enums, "flags", spec.flags)
        if isinstance(node, model.Field | model.Computed):
            flags = node.flags if isinstance(node, model.Field) else node.stray.get("flags")
            yield from _names_of_numbers(node, "flags", flags, spec.flags, "enum", spec.enums)


def _names_of_numbers(
    field: Named,
    key: str,
    name: str | None,
    known: Collection[str],
    other: str,
    others: Collection[str],
) -> Iterator[Violation]:
    if name is None or name in known:
        return
    kind = {"enum": "enum", "flags": "set of flags"}[key]
    if name not in others:
        yield Violation(field.where(key), f"unknown {kind} {name!r}", closest(name, known))
        return
    declared = "an enum" if other == "enum" else "flags"
    is_bits = isinstance(field, model.BitField)
    hint = "a bit field can have an enum, but no flags" if is_bits else f"write {other}: {name}"
    yield Violation(field.where(key), f"{name!r} is declared as {declared}", hint)


def known_table(spec: Resolved) -> Iterator[Violation]:
    """Reports undeclared tables."""
    for node in nodes(spec):
        if not isinstance(node, model.Field | model.Computed) or not node.gives("table"):
            continue
        table = node.type.table if isinstance(node.type, FlatBuffers) else node.stray.get("table")
        if table is not None and table not in spec.tables:
            yield Violation(node.where("table"), f"unknown table {table!r}", closest(table, spec.tables))


def known_include(spec: Resolved) -> Iterator[Violation]:
    """Reports includes of undeclared types."""
    for each in spec.included:
        if each.name not in spec.structs:
            yield Violation(each.where("include"), f"unknown type {each.name!r}", closest(each.name, spec.structs))


def known_section(spec: Resolved) -> Iterator[Violation]:
    """Reports sections that the record does not leave to messages."""
    known = [slot.name for slot in spec.record.slots]
    if not known:
        what = "the record has no section for messages to fill"
        hint = "add one, as in {section: body, size: rest}; if all records are alike, a message with match: {} fills it"
        yield Violation(spec.record.where("fields"), what, hint)
    own = {visit.name for visit in head(spec).visits if isinstance(visit.item, model.Region)} - set(known)
    for message in spec.messages:
        parts: tuple[model.Message | model.Variant, ...] = (message, *message.variants)
        for part in parts:
            for name in part.filled:
                if name in known:
                    continue
                at = part.where(f"sections.{name}")
                if name in own:
                    hint = "messages fill top-level sections of the record that have no fields"
                    yield Violation(at, f"section {name!r} has its fields in the record", hint)
                else:
                    yield Violation(at, f"the record has no section {name!r}", closest(name, known))


_LAYOUT = ("title", "when", "valid", "sections")


def known_variant(spec: Resolved) -> Iterator[Violation]:
    """Reports shared variants that are not declared, or are declared twice."""
    declared = [variant for shared in spec.shared for variant in shared.variants]
    names = frozenset(variant.name for variant in declared)
    for variant in declared:
        if variant.shared:
            what = f"{variant.name!r} is declared here, so it is already shared"
            yield Violation(variant.where("shared"), what, "delete the key")
    for message in spec.messages:
        for variant in message.variants:
            if variant.shared:
                yield from _shared_variant(names, variant)


def _shared_variant(known: Collection[str], variant: Variant) -> Iterator[Violation]:
    if variant.name not in known:
        what = f"there is no shared variant {variant.name!r}"
        yield Violation(variant.where("name"), what, closest(variant.name, known))
        return
    for key in _LAYOUT:
        if variant.gives(key) and variant.where(key).path == variant.at.path:
            what = f"{key!r} of the shared variant {variant.name!r} belongs to its declaration"
            yield Violation(variant.where(key), what, "delete it, or delete shared:")
