"""Hints for users of other tools: keys and values that those have, and values of the wrong shape."""

import re
from collections.abc import Iterable

from wireloom_generator.problems import closest

_AT = "write at: for its offset in the record"
_NAMED = "declare an enum, as in {name: Kind, values: [{name: Reading, value: 1}]}, and write enum: Kind"
_SAID = (
    ("id field key", "name", "write name: for its name"),
    ("endian endianness byteorder order", "byte_order", "write byte_order: big or little"),
    ("seq sequence", "record", "write record: with a length and fields"),
    ("seq sequence members children", "fields", "write fields: with a list of its members"),
    ("contents constant equals magic", "const", "write const: for its only valid value"),
    ("size-eos size_eos eos greedy", "size", "write size: rest for the bytes left"),
    ("size-eos size_eos eos greedy", "length", "write length: rest if the record is the whole input"),
    ("length len bytes byte_length", "size", "write size: for its number of bytes"),
    ("size len", "length", "write length: for the number of bytes of the whole record"),
    (
        "terminator delimiter separator eol strz null_terminated",
        "until",
        'write until: for its terminator, as in until: "00"',
    ),
    ("consume consume_terminator", "terminator", "write terminator: leave if the next field begins with it"),
    ("eos-error eos_error", "unterminated", "write unterminated: allowed if the terminator can be missing"),
    ("pad-right pad_right padchar pad_char", "pad", 'write pad: for the bytes that fill the size, as in pad: "20"'),
    ("if condition present", "when", "write when: for the condition under which it is present"),
    ("nullable required", "optional", "write optional: true if it can be missing at the end"),
    ("count repeat-expr repeat_expr repeat_count array items", "repeat", "write repeat: {count: …} for a list"),
    ("repeat-until repeat_until", "repeat", "write repeat: {until: …} for a list"),
    ("min max range minimum maximum", "valid", "write a condition, as in valid: level <= 9"),
    (
        "crc_extra seed pseudo_header ranges regions",
        "over",
        'list all that it covers, as in over: [{from: 1, to: 9}, {const: "32"}]',
    ),
    ("crc hash digest", "checksum", "write checksum: for how it is computed"),
    ("description comment desc note doc-ref", "doc", "write doc: for a description"),
    (
        "obsolete superseded superseded_by replaced_by removed",
        "deprecated",
        "write deprecated: {since: …, replaced_by: …}",
    ),
    (
        "when",
        "width",
        "if the same bits have several meanings, write {choice: [{when: …, fields: …}, {fields: …}]}",
    ),
    ("repeat", "width", "write count: for a list of bits, as in {name: flags, width: 1, count: 8}"),
    ("signed is_signed twos_complement signedness", "width", "write sign: twos_complement for a signed number"),
    ("bias biased excess", "width", "write sign: {offset: …} for a number with an offset"),
    ("bit-endian bit_endian bitendian", "bit_order", "write bit_order: msb or lsb"),
    ("bit bit_width", "width", "write width: for its number of bits"),
    ("factor multiplier resolution", "as", "write as: {decimal: {scale: 0.01}} to scale the number"),
    (
        "format timestamp time epoch logicaltype logical_type",
        "as",
        "write what the number represents, as in as: {timestamp: {unit: ms}}",
    ),
    ("mask shift", "compute", "split the integer with bits:, or take a part of it with compute:"),
    (
        "trailing",
        "type",
        "end the type with {name: rest_of_it, type: bytes, size: rest}, or put the field into a section with trailing:",
    ),
    ("switch-on switch_on switch cases union", "", "write choice: with a list of alternatives"),
    ("pos offset position pointer seek", "at", _AT),
    ("instances io", "", f"list it as a field, and {_AT}"),
    ("padding skip", "", "write an entry of its own for zero bytes, as in {pad: 2} or {align: 4}"),
    (
        "process compression compressed encoding_type codec xor rol deflate mask_with",
        "through",
        "write through: for the transform, as in through: gzip or through: {xor: 0x5a}",
    ),
    ("encryption cipher", "", "encrypted bytes cannot be decoded; keep them, with type: bytes"),
    ("ror", "rol", "rol: rotates to the left; for 3 bits to the right, write rol: 5"),
    ("params parameters args arguments", "with", "write with: for the inputs of the type, as in with: {width: 4}"),
    ("params parameters args arguments", "given", "write given: for the inputs of the type, as in given: [width]"),
    (
        "meta seq",
        "protocol",
        "this is a Kaitai Struct spec; docs/reference/from-documents.md translates its words",
    ),
    (
        "trailer footer",
        "fields",
        "declare it as a message, or as the last field if the whole file is one record, with length: rest",
    ),
)
"""Words of other tools, the key that must be allowed at the place (if any), and the hint."""

_WHOLE = {
    "enum": _NAMED,
    "flags": "declare flags, as in {name: Option, values: [{name: Wide, value: 1}]}, and write flags: Option",
    "labels": f"labels come from an enum; {_NAMED}",
    "const": 'for several values, write valid: "kind in [1, 2]"; for bytes, or numbers in a row, write const: "cafe"',
}
"""What to write instead of a list or a mapping, by the key that needs a single value."""

_ORDERS = {
    "big": frozenset({"network", "be", "bigendian", "msb", "msbfirst", "motorola"}),
    "little": frozenset({"le", "littleendian", "lsb", "lsbfirst", "intel", "vax"}),
}
_SWAPPED = frozenset({"middle", "mixed", "middleendian", "mixedendian", "pdp", "pdp11", "cdab", "badc"})
_MACHINES = frozenset({"host", "hostorder", "native", "machine"})

_PROTO = re.compile(r"^\s*(syntax\s*=|package\s+[\w.]+;|import\s+\"|message\s+\w+\s*\{)", re.MULTILINE)


def whole(key: str) -> str:
    """The hint for a list or a mapping under a key that has a single value."""
    return _WHOLE.get(key, "")


def order_hint(word: str) -> str:
    """The hint for another word for a byte order."""
    bare = re.sub(r"[\W_]", "", word.casefold())
    if bare in _MACHINES:
        return "write the byte order of the machine that wrote the records, usually little"
    if "word" in bare or bare in _SWAPPED:
        return "numbers of 4 and 8 bytes can have byte_order: cdab, or badc, for words of 16 bits in another order"
    return next((f"write {ours}" for ours, words in _ORDERS.items() if bare in words), "")


def file(text: str) -> str:
    """The hint for a file that is not a YAML mapping."""
    found = "this is a Protocol Buffers file; a spec is YAML, and begins with protocol:"
    return found if _PROTO.search(text) else ""


def hint(key: str, known: Iterable[str]) -> str:
    """The hint for a key that is not in ``known``."""
    names = list(known)
    word = key.casefold()
    fitting = (text for words, needed, text in _SAID if word in words.split() and (not needed or needed in names))
    return next(fitting, "") or closest(key, names)
