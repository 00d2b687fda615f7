"""How many bytes nodes take at least and at most, as far as the spec alone says it."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.model import Resolved
from wireloom_generator.types import Integer, Struct, WireType
from wireloom_generator.types.sizes import ANY, NOTHING, SizeRange, exactly


def of(spec: Resolved, nodes: Iterable[model.Node]) -> SizeRange:
    """The bytes of a list of nodes."""
    total = NOTHING
    for node in nodes:
        total += _node(spec, node)
    return total


def _node(spec: Resolved, node: model.Node) -> SizeRange:
    match node:
        case model.Field():
            return _field(spec, node)
        case model.Section() | model.Slot():
            return section(spec, node)
        case model.Choice(alternatives=alternatives):
            return _one_of([of(spec, alternative.nodes) for alternative in alternatives], _is_whole(alternatives))
        case model.When(nodes=nodes) | model.Tail(nodes=nodes):
            return SizeRange(0, of(spec, nodes).most)
        case model.Bits(wire=wire):
            return wire.type.size if isinstance(wire.type, Integer) else ANY
        case model.Padding(size=size, align=align):
            return SizeRange(max(size, 0), max(size, 0) + max(align - 1, 0))
        case model.Computed():
            return NOTHING
        case _:
            assert_never(node)


def section(spec: Resolved, node: model.Region) -> SizeRange:
    """The bytes of a section: those it says, or those of its fields."""
    size = node.extent.condition.constant if isinstance(node.extent, model.Size) else None
    if size is not None:
        return exactly(max(size, 0))
    inside = of(spec, model.children(node))
    return SizeRange(inside.least, inside.most if node.written.fields and node.trailing is None else None)


def _is_whole(alternatives: Sequence[model.Alternative]) -> bool:
    return bool(alternatives) and isinstance(alternatives[-1], model.Otherwise)


def _one_of(extents: Sequence[SizeRange], always: bool) -> SizeRange:
    """The bytes of one of several, or of none unless one is ``always`` taken."""
    given = [*extents, *(() if always else (NOTHING,))]
    bounds = [extent.most for extent in given]
    most = None if None in bounds else max(bound or 0 for bound in bounds)
    return SizeRange(min(extent.least for extent in given), most)


def _field(spec: Resolved, field: model.Field) -> SizeRange:
    one = _value(spec, field)
    if field.repeat is not None:
        number = field.repeat.count.constant if field.repeat.count is not None else None
        if number is not None:
            one = one.times(max(number, 0), max(number, 0))
        else:
            one = one.times(1, None) if field.repeat.until is not None else ANY
    return SizeRange(0, one.most) if field.when is not None or field.optional else one


def _value(spec: Resolved, field: model.Field) -> SizeRange:
    """The bytes of one value of the field."""
    match field.wire.extent:
        case model.Size(condition=condition):
            size = condition.constant
            return ANY if size is None else exactly(max(size, 0))
        case model.Rest():
            return ANY
        case model.Prefix(length=length):
            return SizeRange(_own(spec, length.type).least, None)
        case model.Terminator(value=end):
            return SizeRange(len(end), None)
        case None:
            return _own(spec, field.type)


def _own(spec: Resolved, found: WireType) -> SizeRange:
    """The bytes of a value of that type that does not say where it ends."""
    if isinstance(found, Struct) and found.name in spec.types and found.name not in spec.recursive:
        return of(spec, spec.types[found.name].nodes)
    return found.size
