"""Hints for unknown keys: words of other tools for things of the spec language, and what the language does not have."""

from collections.abc import Iterable, Mapping

from wireloom_generator.problems import closest

_AT = "at: is the byte of the record at which it stands"
_HINTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("id", "field", "key"), ("name", "name: says what it is called")),
    **dict.fromkeys(("endian", "endianness", "byteorder", "order"), ("byte_order", "byte_order: is big or little")),
    **dict.fromkeys(("seq", "sequence", "members", "children"), ("fields", "fields: lists what stands in it")),
    **dict.fromkeys(("contents", "constant", "equals", "magic"), ("const", "const: is the only value it may have")),
    **dict.fromkeys(("size-eos", "size_eos", "eos", "greedy"), ("size", "size: rest takes what is left")),
    **dict.fromkeys(("length", "len", "bytes", "byte_length"), ("size", "size: is how many bytes it takes")),
    **dict.fromkeys(
        ("terminator", "delimiter", "separator", "eol", "strz", "null_terminated"),
        ("until", 'until: is its terminator, as until: "00"'),
    ),
    **dict.fromkeys(
        ("consume", "consume_terminator"), ("terminator", "terminator: leave lets what follows begin with it")
    ),
    **dict.fromkeys(
        ("eos-error", "eos_error"), ("unterminated", "unterminated: allowed lets the terminator be missing")
    ),
    **dict.fromkeys(
        ("pad-right", "pad_right", "padchar", "pad_char"), ("pad", 'pad: is what fills a size, as pad: "20"')
    ),
    **dict.fromkeys(("if", "condition", "present"), ("when", "when: is the condition under which it is there")),
    **dict.fromkeys(("nullable", "required"), ("optional", "optional: true lets it be missing at the end")),
    **dict.fromkeys(
        ("count", "repeat-expr", "repeat_expr", "repeat_count", "array", "items"),
        ("repeat", "repeat: {count: …} makes a list"),
    ),
    **dict.fromkeys(("repeat-until", "repeat_until"), ("repeat", "repeat: {until: …} makes a list")),
    **dict.fromkeys(("min", "max", "range", "minimum", "maximum"), ("valid", "valid: says it, as valid: level <= 9")),
    **dict.fromkeys(
        ("crc_extra", "seed", "pseudo_header", "ranges", "regions"),
        ("over", 'over: lists what it covers, as [{from: 1, to: 9}, {const: "32"}]'),
    ),
    **dict.fromkeys(("crc", "hash", "digest"), ("checksum", "checksum: says how it is computed")),
    **dict.fromkeys(("description", "comment", "desc", "note", "doc-ref"), ("doc", "doc: says what it means")),
    **dict.fromkeys(
        ("obsolete", "superseded", "superseded_by", "replaced_by", "removed"),
        ("deprecated", "deprecated: says it, as deprecated: {since: …, replaced_by: …}"),
    ),
    "when": (
        "width",
        "what the same bits may mean is a choice among them: {choice: [{when: …, fields: …}, {fields: …}]}",
    ),
    "repeat": ("width", "bit fields that come again and again stand in a type, in a list of it"),
    **dict.fromkeys(("bit", "bit_width"), ("width", "width: is how many bits it has")),
    **dict.fromkeys(("factor", "multiplier", "resolution"), ("as", "as: {decimal: {scale: 0.01}} scales a number")),
    **dict.fromkeys(
        ("format", "timestamp", "time", "epoch", "logicalType", "logical_type"),
        ("as", "as: says what a number stands for, as {timestamp: {unit: ms}}"),
    ),
    **dict.fromkeys(("mask", "shift"), ("compute", "bits: splits an integer, and compute: makes a column of a part")),
    **dict.fromkeys(("switch-on", "switch_on", "switch", "cases", "union"), ("", "choice: lists alternatives")),
    **dict.fromkeys(("pos", "offset", "position", "pointer", "seek"), ("at", _AT)),
    **dict.fromkeys(("instances", "io"), ("", f"{_AT}, of a field in the list like the others")),
    **dict.fromkeys(("padding", "skip"), ("", "zero bytes are an entry of their own, as in {pad: 2} or {align: 4}")),
    **dict.fromkeys(
        ("process", "compression", "compressed", "encoding_type", "codec", "xor", "rol", "deflate", "mask_with"),
        ("through", "through: says what bytes go through, as gzip or {xor: 0x5a}"),
    ),
    **dict.fromkeys(
        ("encryption", "cipher"), ("", "nothing is decrypted; the bytes are kept as they are, as type: bytes")
    ),
}
"""By the word used elsewhere: the key that must be known there for the hint to make sense, if any, and the hint."""


def hint(key: str, known: Iterable[str]) -> str:
    """The hint for a key that is not in ``known``."""
    names = list(known)
    needed, text = _HINTS.get(key.casefold(), ("", ""))
    return text if text and (not needed or needed in names) else closest(key, names)
