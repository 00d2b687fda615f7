"""Syntax → model for ``as``: what the numbers or bytes of a field stand for."""

from wireloom_generator.reading import syntax
from wireloom_generator.types import WireType, meanings


def of(written: syntax.Meaning | str | None, type_: WireType) -> meanings.Meaning | None:
    """The meaning of a field of that type; None if it has none, or one that does not exist."""
    match written:
        case str():
            found = meanings.WORDS.get(written)
            return None if found is None else found()
        case syntax.Meaning(timestamp=syntax.Timestamp(unit=unit, epoch=epoch)):
            return meanings.Timestamp(unit, epoch)
        case syntax.Meaning(duration=syntax.Duration(unit=unit)):
            return meanings.Duration(unit)
        case syntax.Meaning(decimal=syntax.Scaled(scale=scale, offset=offset)):
            return meanings.DecimalNumber(scale, offset, type_.values.least, type_.values.most)
        case syntax.Meaning(double=syntax.Scaled(scale=scale, offset=offset)):
            return meanings.DoubleNumber(scale, offset, type_.values.least, type_.values.most)
    return None
