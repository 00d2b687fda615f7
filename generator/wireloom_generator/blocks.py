"""What generated parsers are made of, which is what no enum, flags, type or table of a spec can be called."""

import keyword
import re

from wireloom_generator import types
from wireloom_generator.types import meanings

_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*")

BLOCKS = frozenset({
    "As", "Bit", "Bits", "Checksum", "Choice", "Compute", "Constant", "EitherOrder", "Elsewhere", "Everything",
    "Expression", "Field", "Form", "FormEntry", "Framing", "Headed", "Layout", "Lengths", "Message", "Nested",
    "Optional", "Ordered", "Pad", "Padded", "Parameter", "Prefixed", "Protocol", "Record", "Repeat", "Rest", "Section",
    "Size",     "Slot", "Table", "TableField", "Until", "Variant", "When", "With", "WireEnum", "WireFlags",
}).union(each.block for each in (*types.ALL, *meanings.ALL) if each.block)  # fmt: skip
"""The building blocks that generated modules import from the codec."""

NUMBER = re.compile(r"BytesInteger|Int\d+[su][bl]|Float\d+[bl]")
"""The numbers of construct that generated modules import."""

OTHERS = frozenset({"Any", "AttributeError", "PROTOCOL", "RECORD", "Sequence"})
"""Other names in generated modules that look like those of classes."""


def class_fault(name: str) -> tuple[str, str] | None:
    """Why ``name`` cannot be the name of an enum, flags, a type or a table."""
    if not _CAMEL.fullmatch(name):
        better = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
        if not _CAMEL.fullmatch(better):
            return f"{name!r} is not CamelCase", "a name has letters and digits, and begins with a capital"
        return f"{name!r} is not CamelCase", f"write {better if class_fault(better) is None else f'Event{better}'!r}"
    if keyword.iskeyword(name):
        return f"{name!r} is a word of Python's", f"add to it, as in '{name}Value'"
    if name in BLOCKS or name in OTHERS or NUMBER.fullmatch(name):
        hint = f"say of what, as in 'Event{name}'; all names that are taken: wireloom explain name-style"
        return f"{name!r} is the name of a building block of generated parsers", hint
    return None
