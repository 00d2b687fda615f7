"""A field's type is one of the language's or a type that the protocol or a library declares.

The type says how many bytes a value takes, so with one unknown nothing behind it could be found either.

Integers are ``u8`` to ``u64`` and ``i8`` to ``i64``; the other types are OTHERS.

Bad::

    - {name: length, type: uint32}

Good::

    - {name: length, type: u32}
"""

import re
from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types import NAMES, WIDTHS, Integer, Unknown, parse

_OTHER_NAMES = {
    "binary": "bytes", "blob": "bytes", "boolean": "bool", "byte": "u8", "double": "f64", "float": "f32",
    "float16": "f16", "float32": "f32", "float64": "f64", "half": "f16", "str": "text",
    "string": "text", "varint": "leb128_u64", "leb128": "leb128_u64", "uleb128": "leb128_u64", "sleb128": "leb128_i64",
    "zigzag": "zigzag_i64", "vlq": "vlq_u28", "quic": "quic_u62",
    **{f"{word}{bits}{end}": f"{word[0]}{bits}" for word in ("uint", "int") for bits in WIDTHS for end in ("", "_t")},
}  # fmt: skip
"""What other languages call our types."""

_ENDED = {
    **dict.fromkeys(("strz", "cstring", "asciiz", "stringz", "nullterminated"), 'write type: text, and until: "00"'),
    **dict.fromkeys(("paddedstring", "char", "fixedstring"), 'write type: text, size: and pad: "00"'),
    "pascalstring": "write type: text, and prefix: u8",
    "greedystring": "write type: text, and size: rest",
    "greedybytes": "write type: bytes, and size: rest",
    **dict.fromkeys(("array", "list", "vector"), "write the type of one item, and repeat: {count: …}"),
}
"""What other tools call values by where they end."""

_CHARACTERS = frozenset({"char", "nchar", "wchar"})
"""Types whose arrays are texts."""

_SIZED = frozenset({"bytes", "text"})
"""Types whose values have a size, and are no lists."""

_BITS = frozenset({"bit", "bits"})
_WHOLE = frozenset({"uint", "int"})
"""Types that have as many bits as the number behind them says, if they are not lists."""

_ORDERS = {
    "l": ", and byte_order: little where it is not that of the protocol",
    "b": ", and byte_order: big where it is not that of the protocol",
}
"""What to write for a byte order in a name."""

_OTHERS = [name for name in NAMES if not isinstance(parse(name), Integer)]
__doc__ = (__doc__ or "").replace("OTHERS", f"{', '.join(_OTHERS[:-1])} and {_OTHERS[-1]}")


def check(spec: Resolved) -> Iterator[Problem]:
    """Types that nothing declares."""
    known = frozenset((*NAMES, *spec.structs))
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed) and isinstance(node.type, Unknown):
            name = node.type.name
            yield Problem(node.where("type"), "known-type", f"unknown type {name!r}", _hint(spec, known, name))


def _hint(spec: Resolved, known: frozenset[str], name: str) -> str:
    if name in spec.enums:
        return f"it is an enum; give the integer's type, and enum: {name}"
    if name in spec.flags:
        return f"they are flags; give the integer's type, and flags: {name}"
    if name in spec.tables:
        return f"it is a table; write type: flatbuffers, and table: {name}"
    if (ended := _ENDED.get(name.lower())) is not None:
        return ended
    if found := re.fullmatch(r"(\w+)(?:\[([^][]*)\]|\(([^()]*)\))", name):
        hint = _bracketed(spec, found[1], found[2] or found[3] or "…", is_list=found[2] is not None)
        return hint or closest(found[1], known)
    meant = _meant(name)
    return f"did you mean {meant!r}?" if meant else _number(name.lower()) or closest(name, known)


def _meant(name: str) -> str:
    """Our word for a type of another language; nothing if there is none."""
    return _OTHER_NAMES.get(name.replace("sint", "int").lower(), "")


def _bracketed(spec: Resolved, name: str, count: str, *, is_list: bool) -> str:
    """What to write for a type with a number in brackets, which are square for a list; nothing if that is not known."""
    meant, word = _meant(name) or name, name.lower()
    if word in _CHARACTERS:
        return f'write type: text, size: {count} and pad: "00"'
    if meant in _SIZED:
        return f"write type: {meant}, and size: {count}"
    if is_list and word not in _BITS:
        return f"write type: {meant}, and repeat: {{count: {count}}}"
    if number := _meant(f"{name}{count}"):
        return f"did you mean {number!r}?"
    if word in (*_BITS, *_WHOLE):
        return _bits(count)
    return f"with: tells {name} what it asks for, as with: {{width: {count}}}" if name in spec.structs else ""


def _bits(width: str) -> str:
    return f"bit fields are parts of an integer: {{bits: u8, fields: [{{name: …, width: {width}}}, …]}}"


def _number(name: str) -> str:
    """The number that Kaitai Struct or construct calls so; one of Kaitai Struct's counts bytes."""
    if found := re.fullmatch(r"([usif])(\d{1,2})([lb]?)e?", name):
        kind, size, order = found.groups()
        bits = int(size) * 8 if size in ("1", "2", "4", "8") else int(size)
    elif found := re.fullmatch(r"(?:int(\d{1,2})([us])|float(\d{1,2}))([lbn])", name):
        kind, bits, order = found[2] or "f", int(found[1] or found[3]), found[4]
    elif found := re.fullmatch(r"b(\d{1,2})(?:le|be)?", name):
        return _bits(found[1])
    else:
        return ""
    ours = f"{'i' if kind == 's' else kind}{bits}"
    if ours not in NAMES:
        return ""
    said = _ORDERS.get(order, "") if bits > 8 else ""
    return f"write type: {ours}{said}"
