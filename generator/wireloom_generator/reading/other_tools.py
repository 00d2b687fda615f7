"""Hints for words of other tools, for things of the spec language and for what it does not have.

They stand as keys, as values, and as values of another shape than here.
"""

import re
from collections.abc import Iterable

from wireloom_generator.problems import closest

_AT = "at: is the byte of the record at which it stands"
_NAMED = "declare it under enums, as {name: Kind, values: [{name: Reading, value: 1}]}, and write enum: Kind"
_SAID = (
    ("id field key", "name", "name: says what it is called"),
    ("endian endianness byteorder order", "byte_order", "byte_order: is big or little"),
    ("seq sequence", "record", "record: says where a record ends, and lists its fields"),
    ("seq sequence members children", "fields", "fields: lists what stands in it"),
    ("contents constant equals magic", "const", "const: is the only value it may have"),
    ("size-eos size_eos eos greedy", "size", "size: rest takes what is left"),
    ("size-eos size_eos eos greedy", "length", "length: rest is all there is"),
    ("length len bytes byte_length", "size", "size: is how many bytes it takes"),
    ("size len", "length", "length: is how many bytes the whole record has"),
    ("terminator delimiter separator eol strz null_terminated", "until", 'until: is its terminator, as until: "00"'),
    ("consume consume_terminator", "terminator", "terminator: leave lets what follows begin with it"),
    ("eos-error eos_error", "unterminated", "unterminated: allowed lets the terminator be missing"),
    ("pad-right pad_right padchar pad_char", "pad", 'pad: is what fills a size, as pad: "20"'),
    ("if condition present", "when", "when: is the condition under which it is there"),
    ("nullable required", "optional", "optional: true lets it be missing at the end"),
    ("count repeat-expr repeat_expr repeat_count array items", "repeat", "repeat: {count: …} makes a list"),
    ("repeat-until repeat_until", "repeat", "repeat: {until: …} makes a list"),
    ("min max range minimum maximum", "valid", "valid: says it, as valid: level <= 9"),
    (
        "crc_extra seed pseudo_header ranges regions",
        "over",
        'over: lists what it covers, as [{from: 1, to: 9}, {const: "32"}]',
    ),
    ("crc hash digest", "checksum", "checksum: says how it is computed"),
    ("description comment desc note doc-ref", "doc", "doc: says what it means"),
    (
        "obsolete superseded superseded_by replaced_by removed",
        "deprecated",
        "deprecated: says it, as deprecated: {since: …, replaced_by: …}",
    ),
    (
        "when",
        "width",
        "what the same bits may mean is a choice among them: {choice: [{when: …, fields: …}, {fields: …}]}",
    ),
    ("repeat", "width", "count: says how many items a list of bits has, as {name: flags, width: 1, count: 8}"),
    ("bit bit_width", "width", "width: is how many bits it has"),
    ("factor multiplier resolution", "as", "as: {decimal: {scale: 0.01}} scales a number"),
    (
        "format timestamp time epoch logicaltype logical_type",
        "as",
        "as: says what a number stands for, as {timestamp: {unit: ms}}",
    ),
    ("mask shift", "compute", "bits: splits an integer, and compute: makes a column of a part"),
    ("switch-on switch_on switch cases union", "", "choice: lists alternatives"),
    ("pos offset position pointer seek", "at", _AT),
    ("instances io", "", f"{_AT}, of a field in the list like the others"),
    ("padding skip", "", "zero bytes are an entry of their own, as in {pad: 2} or {align: 4}"),
    (
        "process compression compressed encoding_type codec xor rol deflate mask_with",
        "through",
        "through: says what bytes go through, as gzip or {xor: 0x5a}",
    ),
    ("encryption cipher", "", "nothing is decrypted; the bytes are kept as they are, as type: bytes"),
    ("ror", "rol", "rol: counts to the left; 3 bits to the right are rol: 5"),
    ("params parameters args arguments", "with", "with: gives a type what it asks for, as with: {width: 4}"),
    ("params parameters args arguments", "given", "given: lists what a type asks for, as given: [width]"),
    (
        "meta seq",
        "protocol",
        "this is a spec of Kaitai Struct; docs/reference/from-documents.md compares its words with those of Wireloom",
    ),
    (
        "trailer footer",
        "fields",
        "what stands at the end is a message, or in a file that is one record, with length: rest",
    ),
)
"""Words used elsewhere, the key that must be known there for the hint to make sense, if any, and the hint."""

_WHOLE = {
    "enum": _NAMED,
    "flags": "declare them under flags, as {name: Option, values: [{name: Wide, value: 1}]}, and write flags: Option",
    "labels": f"labels are those of an enum: {_NAMED}",
    "const": 'valid: lists several values, as valid: "kind in [1, 2]"; several bytes are hex digits, as const: "cafe"',
}
"""What to write where a single value is expected under a key, and a list or a mapping stands there."""

_ORDERS = {
    "big": frozenset({"network", "be", "bigendian", "msb", "msbfirst", "motorola"}),
    "little": frozenset({"le", "littleendian", "lsb", "lsbfirst", "intel", "vax"}),
}
"""What documents call byte orders."""
_SWAPPED = frozenset({"middle", "mixed", "middleendian", "mixedendian", "pdp", "pdp11", "cdab", "badc"})
_MACHINES = frozenset({"host", "hostorder", "native", "machine"})
"""What they call that of the machine they were written for."""

_PROTO = re.compile(r"^\s*(syntax\s*=|package\s+[\w.]+;|import\s+\"|message\s+\w+\s*\{)", re.MULTILINE)


def whole(key: str) -> str:
    """The hint for a list or a mapping under a key that has a single value."""
    return _WHOLE.get(key, "")


def order_hint(word: str) -> str:
    """The hint for a word that documents have for a byte order."""
    bare = re.sub(r"[\W_]", "", word.casefold())
    if bare in _MACHINES:
        return "write that of the machine which wrote the records, in most cases little"
    if "word" in bare or bare in _SWAPPED:
        return "a number whose halves are swapped is two numbers, and compute: puts them together, as high << 16 | low"
    return next((f"write {ours}" for ours, words in _ORDERS.items() if bare in words), "")


def file(text: str) -> str:
    """The hint for the text of a file that is no mapping of YAML."""
    found = "this is for the compiler of Protocol Buffers; a spec is YAML, and begins with protocol:"
    return found if _PROTO.search(text) else ""


def hint(key: str, known: Iterable[str]) -> str:
    """The hint for a key that is not in ``known``."""
    names = list(known)
    word = key.casefold()
    fitting = (text for words, needed, text in _SAID if word in words.split() and (not needed or needed in names))
    return next(fitting, "") or closest(key, names)
