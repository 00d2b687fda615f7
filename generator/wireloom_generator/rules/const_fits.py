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

from collections.abc import Iterator

from wireloom_generator.analysis.kinds import bit_range, is_boolean
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.analysis.sites import constant
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import Boolean, Struct, of


def check(spec: Spec) -> Iterator[Problem]:
    """Constants that their fields can never have."""
    for field in fields(spec):
        if field.const is None or (isinstance(field, syntax.Field) and field.compute is not None):
            continue
        fault = _field(field, field.const) if isinstance(field, syntax.Field) else _bit(field, field.const)
        if fault is not None:
            yield Problem(field.where("const"), "const-fits", *fault)


def _bit(bit: syntax.BitField, const: syntax.Literal) -> tuple[str, str] | None:
    return Boolean().misfit(const) if is_boolean(bit) else bit_range(bit).unfit(const, f"{bit.width} bits")


def _field(field: syntax.Field, const: syntax.Literal) -> tuple[str, str] | None:
    if field.repeat is not None:
        return "a list can have no const", ""
    wire = of(field) or Struct(field.type)
    return wire.misfit(const, constant(field.size or ""))
