"""How many bytes entries take at least and at most, as far as the spec alone says it."""

from collections.abc import Iterable, Sequence

from wireloom_generator.analysis.scopes import expand, recursive
from wireloom_generator.analysis.sites import constant
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import Integer, parse
from wireloom_generator.types import of as of_field
from wireloom_generator.types.sizes import ANY, NOTHING, SizeRange, exactly


def of(spec: Spec, entries: Iterable[syntax.Entry]) -> SizeRange:
    """The bytes of a list of entries."""
    total = NOTHING
    for entry, _ in expand(spec, entries):
        total += _entry(spec, entry)
    return total


def _entry(spec: Spec, entry: syntax.Entry) -> SizeRange:
    match entry:
        case syntax.Field():
            return _field(spec, entry)
        case syntax.Section():
            return section(spec, entry)
        case syntax.Choice(choice=alternatives):
            return _one_of([of(spec, alternative.fields) for alternative in alternatives], _is_whole(alternatives))
        case syntax.Bits(bits=bits):
            found = parse(bits)
            return found.size if isinstance(found, Integer) else ANY
        case syntax.Pad(pad=size):
            return exactly(max(size, 0))
        case syntax.Align(align=multiple):
            return SizeRange(0, max(multiple - 1, 0))
        case _:
            return ANY


def section(spec: Spec, entry: syntax.Section) -> SizeRange:
    """The bytes of a section: those it says, or those of its fields."""
    size = constant(entry.size)
    if size is not None:
        return exactly(max(size, 0))
    inside = of(spec, entry.fields)
    return SizeRange(inside.least, inside.most if entry.fields and entry.trailing is None else None)


def _is_whole(alternatives: Sequence[syntax.Alternative]) -> bool:
    return bool(alternatives) and alternatives[-1].when is None


def _one_of(extents: Sequence[SizeRange], always: bool) -> SizeRange:
    """The bytes of one of several, or of none unless one is ``always`` taken."""
    given = [*extents, *(() if always else (NOTHING,))]
    bounds = [extent.most for extent in given]
    most = None if None in bounds else max(bound or 0 for bound in bounds)
    return SizeRange(min(extent.least for extent in given), most)


def _field(spec: Spec, field: syntax.Field) -> SizeRange:
    if field.compute is not None:
        return NOTHING
    one = _value(spec, field)
    match field.repeat:
        case None:
            pass
        case syntax.Repeat(count=str() as count) if (number := constant(count)) is not None:
            one = one.times(max(number, 0), max(number, 0))
        case syntax.Repeat(count=None):
            one = one.times(1, None)
        case _:
            one = ANY
    return SizeRange(0, one.most) if field.when is not None or field.tail else one


def _value(spec: Spec, field: syntax.Field) -> SizeRange:
    """The bytes of one value of the field."""
    if field.size is not None:
        size = constant(field.size)
        return ANY if size is None else exactly(max(size, 0))
    if field.prefix is not None:
        return SizeRange(_number(field.prefix).least, None)
    if field.until is not None:
        return SizeRange(len(field.until) // 2, None)
    if parse(field.type) is None and field.type in spec.types and field.type not in recursive(spec):
        return of(spec, spec.types[field.type].fields)
    found = of_field(field)
    return ANY if found is None else found.size


def _number(name: str) -> SizeRange:
    found = parse(name)
    return ANY if found is None else found.size
