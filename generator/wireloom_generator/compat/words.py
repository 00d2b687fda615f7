"""Types and sizes in the words of the spec language, as findings tell them."""

from typing import assert_never

from wireloom_generator import ir


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
            return f"prefix {length.type}"
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
