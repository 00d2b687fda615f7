"""A constant is a value that its field can have.

``const`` is for magic numbers: a number in the range of its integer, true or false, a text of its encoding, or bytes in
hex of just the size that the field has. Decoding anything else makes the record malformed; encoding fills it in.

Bad::

    - {name: magic, type: u8, const: 0x1234}
    - {name: signature, type: bytes, size: 4, const: "89504e470d0a"}

Good::

    - {name: magic, type: u16, const: 0x1234}
    - {name: signature, type: bytes, size: 4, const: "89504e47"}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.expressions import Literal
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.types import Boolean

_NO_LIST = "a list can have no const", ""


def check(spec: Resolved) -> Iterator[Problem]:
    """Constants that their fields can never have."""
    for field in fields(spec):
        if isinstance(field, model.Computed) or field.const is None:
            continue
        fault = _field(field, field.const) if isinstance(field, model.Field) else _bit(field, field.const)
        if fault is not None:
            yield Problem(field.where("const"), "const-fits", *fault)


def _bit(bit: model.BitField, const: Literal) -> tuple[str, str] | None:
    if bit.count is not None:
        return _NO_LIST
    return Boolean().misfit(const) if isinstance(bit.type, Boolean) else bit.type.unfit(const, f"{bit.width} bits")


def _field(field: model.Field, const: Literal | bytes) -> tuple[str, str] | None:
    if field.repeat is not None:
        return _NO_LIST
    extent = field.wire.extent
    size = None if isinstance(extent, model.Size) and extent.pad is not None else field.wire.fixed
    return None if isinstance(const, bytes) else field.type.misfit(const, size)
