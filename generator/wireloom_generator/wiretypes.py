"""What the text of a field's ``type`` says: which wire type it is, which values it has, which column they fill."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from wireloom_generator import syntax


class Kind(StrEnum):
    """What sort of value a name or an expression has, as problems put it."""

    NUMBER = "a number"
    FLOAT = "a floating-point number"
    CONDITION = "true or false"
    TEXT = "text"
    BYTES = "bytes"
    LIST = "a list"
    STRUCT = "a struct"


PLAIN = (Kind.NUMBER, Kind.FLOAT, Kind.CONDITION, Kind.TEXT)
"""The kinds an expression can have; it can only measure the others."""


@dataclass(frozen=True, slots=True)
class Integer:
    """``u8`` … ``i64``; of a width that may not exist."""

    bits: int
    signed: bool

    @property
    def least(self) -> int:
        """The lowest value."""
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def most(self) -> int:
        """The highest value."""
        return (1 << self.bits - self.signed) - 1


@dataclass(frozen=True, slots=True)
class Float:
    """``f32`` or ``f64``."""

    bits: int


@dataclass(frozen=True, slots=True)
class Boolean:
    """``bool``, a byte."""


@dataclass(frozen=True, slots=True)
class Varint:
    """``leb128_u32`` … ``zigzag_i64``: as many bytes as its value needs."""

    bits: int
    signed: bool


@dataclass(frozen=True, slots=True)
class Bytes:
    """``bytes``."""


@dataclass(frozen=True, slots=True)
class Text:
    """``text``."""


@dataclass(frozen=True, slots=True)
class FlatBuffers:
    """``flatbuffers``: a table and its bytes."""


WireType = Integer | Float | Boolean | Varint | Bytes | Text | FlatBuffers

_WORDS: dict[str, WireType] = {
    "f32": Float(32),
    "f64": Float(64),
    "bool": Boolean(),
    "leb128_u32": Varint(32, signed=False),
    "leb128_u64": Varint(64, signed=False),
    "zigzag_i32": Varint(32, signed=True),
    "zigzag_i64": Varint(64, signed=True),
    "bytes": Bytes(),
    "text": Text(),
    "flatbuffers": FlatBuffers(),
}
_INTEGER = re.compile(r"([ui])([1-9]\d{0,3})")
WIDTHS = tuple(range(8, 65, 8))
"""The widths of integers in bits."""
NAMES = (*(f"{sign}{bits}" for sign in "ui" for bits in WIDTHS), *_WORDS)
"""All types a spec can name without declaring them."""


@cache
def parse(name: str) -> WireType | None:
    """The wire type called ``name``; None if that can only be a shared type."""
    found = _INTEGER.fullmatch(name)
    return Integer(int(found[2]), found[1] == "i") if found else _WORDS.get(name)


def bit_range(field: syntax.BitField) -> Integer:
    """The numbers that a bit field holds."""
    return Integer(max(field.width, 0), signed=False)


def is_boolean(field: syntax.BitField) -> bool:
    """Whether a bit field is true or false; a single bit is, unless an enum names its two numbers."""
    return field.type == "bool" or (field.width == 1 and field.enum is None)


def spelled(value: syntax.Literal | None) -> str:
    """A literal as a spec spells it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def kind(node: syntax.Field | syntax.BitField | syntax.Parameter) -> Kind:
    """What sort of value a field or parameter has."""
    if isinstance(node, syntax.BitField):
        return Kind.CONDITION if is_boolean(node) else Kind.NUMBER
    if isinstance(node, syntax.Field) and node.repeat is not None:
        return Kind.LIST
    match parse(node.type):
        case Integer() | Varint():
            return Kind.NUMBER
        case Float():
            return Kind.FLOAT
        case Boolean():
            return Kind.CONDITION
        case Text():
            return Kind.TEXT
        case Bytes():
            return Kind.BYTES
        case FlatBuffers() | None:
            return Kind.STRUCT


def column_type(node: syntax.Field | syntax.BitField) -> str:
    """What its column holds, in words that are equal when the columns can be one; all integers can."""
    if isinstance(node, syntax.BitField):
        return "boolean" if is_boolean(node) else "integer"
    return _element(node) if node.repeat is None else f"list of {node.type}"


def _element(field: syntax.Field) -> str:
    match parse(field.type):
        case Integer() | Varint():
            return "integer"
        case Float(bits=bits):
            return "float" if bits == 32 else "double"
        case Boolean():
            return "boolean"
        case Bytes():
            return "bytes"
        case Text():
            return "text"
        case FlatBuffers():
            return f"table {field.table}"
        case None:
            return field.type
