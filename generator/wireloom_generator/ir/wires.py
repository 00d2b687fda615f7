"""Types of values on the wire, and how far they reach."""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from wireloom_generator.expressions import Expr


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression and its text."""

    expression: Expr
    text: str


class Order(StrEnum):
    """Byte order; ``PARAMETER`` is told by the protocol's parameter."""

    BIG = "big"
    LITTLE = "little"
    PARAMETER = "parameter"


@dataclass(frozen=True, slots=True)
class Integer:
    """1 to 8 bytes."""

    bits: int
    signed: bool
    order: Order


@dataclass(frozen=True, slots=True)
class Float:
    """IEEE 754, 32 or 64 bits."""

    bits: int
    order: Order


@dataclass(frozen=True, slots=True)
class Boolean:
    """A byte, 0 or 1."""


@dataclass(frozen=True, slots=True)
class Leb128:
    """Unsigned LEB128."""

    bits: int


@dataclass(frozen=True, slots=True)
class ZigZag:
    """Signed, zig-zag folded into LEB128."""

    bits: int


@dataclass(frozen=True, slots=True)
class Rest:
    """To the end of the section."""


@dataclass(frozen=True, slots=True)
class Size:
    """As many bytes as the expression says; ``fixed`` if that is a number."""

    bytes: Expr
    text: str
    fixed: int | None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A length in front."""

    length: "Integer | Leb128"


@dataclass(frozen=True, slots=True)
class Terminator:
    """Bytes behind it."""

    value: bytes


Extent = Rest | Size | Prefix | Terminator


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes."""

    extent: Extent


@dataclass(frozen=True, slots=True)
class Text:
    """Text in an encoding."""

    extent: Extent
    encoding: str


@dataclass(frozen=True, slots=True)
class Struct:
    """A shared struct, in a region of its own if it has an extent."""

    name: str
    extent: Extent | None


@dataclass(frozen=True, slots=True)
class FlatBuffer:
    """A FlatBuffers table, its bytes kept in the column ``raw``."""

    extent: Extent
    table: str
    raw: str


Number = Integer | Float | Boolean


Wire = Number | Leb128 | ZigZag | Blob | Text | Struct | FlatBuffer


def type_name(wire: Wire) -> str:
    """A type as the spec language calls it, without its size."""
    match wire:
        case Integer(bits=bits, signed=signed):
            return f"{'i' if signed else 'u'}{bits}"
        case Float(bits=bits):
            return f"f{bits}"
        case Boolean():
            return "bool"
        case Leb128(bits=bits):
            return f"leb128_u{bits}"
        case ZigZag(bits=bits):
            return f"zigzag_i{bits}"
        case Blob():
            return "bytes"
        case Text():
            return "text"
        case Struct():
            return "struct"
        case FlatBuffer():
            return "flatbuffers"
        case _:
            assert_never(wire)
