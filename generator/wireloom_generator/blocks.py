"""The building blocks of generated modules, and the names of messages, enums, flags, types and tables there."""

import re

from wireloom_generator import naming, types
from wireloom_generator.types import Float, Integer, meanings, signs

_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")

BLOCKS = frozenset({
    "Answers", "As", "Between", "Bit", "BitList", "BitSlice", "Bits", "Checksum", "Choice", "Compute", "Constant",
    "BitText", "CharacterSet", "PackedText",
    "Crc", "EitherOrder", "Elsewhere", "Everything", "Expression", "Field", "Fields", "Form", "FormEntry",
    "FoundParameter", "Framing",
    "Headed", "Joined", "Layout", "Lengths", "Message", "Nested", "Optional", "Ordered", "Pad", "Padded", "Parameter",
    "PerItem", "Prefixed", "Protocol", "Record", "Repeat", "Rest", "Section", "Size", "Slot", "Table", "TableField",
    "Terminated", "Until", "Variant", "When", "With", "WireEnum", "WireFlags", "WordSwapped",
    "BetweenFlags", "Compressing", "EndedByAny", "EscapePairs", "Flagged", "Packed", "Rol", "Through", "Unescape",
    "Unpack", "Xor", "Zeros", "recursive",
}).union(meanings.BLOCKS, signs.BLOCKS, (each.block for each in (*types.ALL, *types.FORMS) if each.block))  # fmt: skip
"""The building blocks that generated modules import from the codec."""

NUMBER = re.compile(r"BytesInteger|Int\d+[su][bl]|Float\d+[bl]")
"""The numbers of construct that generated modules import."""

OTHERS = frozenset({"Any", "AttributeError", "PROTOCOL", "RECORD", "Sequence"})
"""Other names in generated modules that look like class names."""


def class_fault(name: str) -> tuple[str, str] | None:
    """Why ``name`` cannot be the name of an enum, flags, a type or a table."""
    if not _CAMEL.fullmatch(name):
        better = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
        if not _CAMEL.fullmatch(better):
            return f"{name!r} is not CamelCase", "a name has letters and digits, and begins with a capital"
        return f"{name!r} is not CamelCase", f"write {better!r}"
    return None


def class_name(name: str) -> str:
    """The Python name of an enum, flags, a type or a table."""
    return f"{name}_" if NUMBER.fullmatch(name) else naming.free(name, BLOCKS | OTHERS)


def message_name(name: str) -> str:
    """The Python name of a message."""
    return f"{name}_" if isinstance(types.parse(name), Integer | Float) else naming.free(name, naming.MODULE)
