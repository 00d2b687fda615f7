"""A constant is a value that its field can have.

``const`` is for magic numbers: a number in the range of its integer, true or false, or bytes in hex of just the size
that the field has. Decoding anything else makes the record malformed; encoding fills it in.

Bad::

    - {name: magic, type: u8, const: 0x1234}
    - {name: signature, type: bytes, size: 4, const: "89504e470d0a"}

Good::

    - {name: magic, type: u16, const: 0x1234}
    - {name: signature, type: bytes, size: 4, const: "89504e47"}
"""

import re
from collections.abc import Iterator
from typing import assert_never

from wireloom_generator import syntax
from wireloom_generator.kinds import bit_range, is_boolean, spelled
from wireloom_generator.problems import Problem, counted
from wireloom_generator.scopes import fields
from wireloom_generator.sites import constant
from wireloom_generator.spec import Spec
from wireloom_generator.types import Boolean, Bytes, FlatBuffers, Float, Integer, Leb128, Struct, Text, ZigZag, parse


def check(spec: Spec) -> Iterator[Problem]:
    """Constants that their fields can never have."""
    for field in fields(spec):
        if field.const is None or (isinstance(field, syntax.Field) and field.compute is not None):
            continue
        fault = _field(field) if isinstance(field, syntax.Field) else _bit(field)
        if fault is not None:
            yield Problem(field.where("const"), "const-fits", *fault)


def _bit(bit: syntax.BitField) -> tuple[str, str] | None:
    return _truth(bit.const) if is_boolean(bit) else _number(bit_range(bit), f"{bit.width} bits", bit.const)


def _field(field: syntax.Field) -> tuple[str, str] | None:
    wire, const = parse(field.type), field.const
    if field.repeat is not None:
        return "a list can have no const", ""
    match wire:
        case Integer():
            return _number(wire, field.type, const)
        case Float():
            is_number = isinstance(const, int | float) and not isinstance(const, bool)
            return None if is_number else (f"{spelled(const)} is no number", "")
        case Boolean():
            return _truth(const)
        case Bytes():
            return _bytes(field, const)
        case Leb128() | ZigZag() | Text() | FlatBuffers() | Struct() | None:
            return f"{field.type} can have no const", "valid: can ask for a value"
        case _:
            assert_never(wire)


def _number(wire: Integer, name: str, const: syntax.Literal | None) -> tuple[str, str] | None:
    if not isinstance(const, int) or isinstance(const, bool):
        return f"{spelled(const)} is not a whole number", ""
    if not wire.least <= const <= wire.most:
        return f"{const} does not fit {name}", f"{wire.least} to {wire.most} do"
    return None


def _truth(const: syntax.Literal | None) -> tuple[str, str] | None:
    return None if isinstance(const, bool) else (f"{spelled(const)} is neither true nor false", "")


def _bytes(field: syntax.Field, const: syntax.Literal | None) -> tuple[str, str] | None:
    if not isinstance(const, str) or not re.fullmatch(r"([0-9A-Fa-f]{2})+", const):
        return f"{spelled(const)} is not bytes", 'write them in hex, in quotes, as "89504e47"'
    size = constant(field.size or "")
    if size != len(const) // 2:
        return (
            f"{const!r} is {counted(len(const) // 2, 'byte')}, so that must be the size",
            f"write size: {len(const) // 2}",
        )
    return None
