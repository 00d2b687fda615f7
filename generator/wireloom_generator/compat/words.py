"""Types and sizes in the words of the spec language, as findings tell them."""

from typing import assert_never

from wireloom_generator import ir


def wire(kind: ir.Wire) -> str:
    """The type as a spec has it."""
    match kind:
        case ir.Integer(bits=bits, signed=signed):
            return f"{'i' if signed else 'u'}{bits}"
        case ir.Float(bits=bits):
            return f"f{bits}"
        case ir.Boolean():
            return "bool"
        case ir.Leb128(bits=bits):
            return f"leb128_u{bits}"
        case ir.ZigZag(bits=bits):
            return f"zigzag_i{bits}"
        case ir.Blob():
            return "bytes"
        case ir.Text():
            return "text"
        case ir.Struct(name=name):
            return name
        case ir.FlatBuffer(table=table):
            return f"flatbuffers {table}"
        case _:
            assert_never(kind)


def extent(kind: ir.Extent | None) -> str:
    """How far a value reaches."""
    match kind:
        case None:
            return "its own size"
        case ir.Rest():
            return "the rest"
        case ir.Size(text=text):
            return f"size `{text}`"
        case ir.Prefix(length=length):
            return f"prefix {wire(length)}"
        case ir.Terminator(value=value):
            return f"until {value.hex()}"
        case _:
            assert_never(kind)


def repeat(kind: ir.Repeat | None) -> str:
    """How often a value repeats."""
    match kind:
        case None:
            return "one value"
        case ir.Repeat(count=ir.Condition(text=text)):
            return f"a list of `{text}`"
        case ir.Repeat(until=ir.Condition(text=text)):
            return f"a list until `{text}`"
        case _:
            return "a list to the end of its section"


def count(number: int, noun: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
