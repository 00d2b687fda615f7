"""A default is a value that its field can have.

It is used on encode when none is given: a literal, or an expression over the other fields. Text in it stands in quotes
of its own, because it is an expression, and bytes are written ``hex('0d0a')``. Lists and structs have no default. What
is ``reserved`` is 0 if none is given, or so many zero bytes as its ``size`` says, which is a number then.

Bad::

    - {name: opaque, type: u8, default: 256}
    - {name: reserved_bytes, type: bytes, size: opaque, reserved: true}

Good::

    - {name: opaque, type: u8, default: 0}
    - {name: reserved_bytes, type: bytes, size: 4, reserved: true}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import fields
from wireloom_generator.expressions import Value
from wireloom_generator.expressions.kinds import PLAIN, Kind
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Defaults that their fields can never have."""
    for field in fields(spec):
        if isinstance(field, model.Computed):
            continue
        fault = _fault(field, field.default) if field.default is not None and field.gives("default") else None
        if fault is not None:
            yield Problem(field.where("default"), "default-fits", *fault)
        if field.reserved and not _has_zero(field):
            hint = f"a number can, and bytes of a size up to {model.MOST_RESERVED}; zero bytes alone are written pad:"
            yield Problem(field.where("reserved"), "default-fits", f"{field.kind} cannot be reserved", hint)


def _has_zero(field: model.Field | model.BitField) -> bool:
    """Whether zeros can be written for it."""
    if isinstance(field, model.Field) and field.kind is Kind.BYTES:
        return field.repeat is None and 0 < (field.wire.fixed or 0) <= model.MOST_RESERVED
    return field.kind in (Kind.NUMBER, Kind.FLOAT, Kind.CONDITION)


def _fault(field: model.Field | model.BitField, default: model.Condition) -> tuple[str, str] | None:
    wanted = field.kind
    if wanted not in PLAIN:
        return f"{wanted} can have no default", "it must be given on encode"
    if default.is_written and default.constant is None:
        return None
    number = default.expression.value if isinstance(default.expression, Value) else default.constant
    assert not isinstance(number, bytes), "no default is bytes"
    if isinstance(number, bool):
        return None if wanted is Kind.CONDITION else (f"{str(number).lower()} is not {wanted}", "")
    if wanted is Kind.CONDITION:
        return f"{number} is neither true nor false", ""
    if wanted is Kind.TEXT:
        return f"{number} is not text", "text stands in quotes of its own: \"'none'\""
    if wanted is Kind.BYTES:
        return f"{number} is not bytes", "bytes are written hex('0d0a')"
    if wanted is Kind.FLOAT:
        return None
    if not isinstance(number, int):
        return f"{number} is not a whole number", ""
    numbers, name = field.type.values, str(field.type)
    if isinstance(field, model.BitField):
        name = f"{field.width} bits"
    if not numbers.least <= number <= numbers.most:
        return f"{number} does not fit {name}", f"{numbers.least} to {numbers.most} do"
    return None
