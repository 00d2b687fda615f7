"""Where sections end, and values of any size: at a size, at a terminator, or with what is around them."""

from wireloom_generator import model
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import TERMINATORS
from wireloom_generator.resolve import conditions
from wireloom_generator.types import Text, WireType


def sized(entry: syntax.Field | syntax.Section, names: Names) -> model.Size | model.Rest:
    """What ``size`` says of a field or a section."""
    if entry.size is None or entry.size == "rest":
        return model.Rest()
    return model.Size(conditions.expression(entry.size, entry.where("size"), names))


def of(field: syntax.Field, type_: WireType, names: Names) -> model.Extent | None:
    """Where the value of a field ends that has no length before it; None if its type says it."""
    until = _terminator(field, type_)
    if field.size is None:
        return until
    if until is None and field.pad is None:
        return sized(field, names)
    pad = b"\0" if field.pad is None else field.pad
    return model.Size(conditions.expression(field.size, field.where("size"), names), pad, until)


def _terminator(field: syntax.Field, type_: WireType) -> model.Terminator | None:
    if field.until is None:
        return None
    missing = "allowed" if field.size is not None else "malformed"
    return model.Terminator(
        field.until,
        field.terminator or TERMINATORS[0],
        (field.unterminated or missing) == "allowed",
        type_.unit if isinstance(type_, Text) else 1,
    )
