"""Lists of nodes in reading order, up to the end of their region."""

from collections.abc import Callable, Iterator

from wireloom_generator import model
from wireloom_generator.model import Resolved
from wireloom_generator.types import Struct

Nodes = tuple[model.Node, ...]
Bounded = model.Field | model.Region
"""Nodes that may extend to the end of their section."""


def sequences(spec: Resolved) -> Iterator[Nodes]:
    """Every list of nodes. A message has one for each variant, after what all variants share."""
    yield from _with_inner(spec.record.nodes)
    for struct in spec.structs.values():
        yield from _with_inner(struct.nodes)
    for message in spec.messages:
        for slot in spec.record.slots:
            shared = message.sections.get(slot.name, ())
            yield from _with_inner(shared)
            for variant in message.variants:
                yield from _with_inner((*shared, *variant.sections.get(slot.name, ())))


def _with_inner(nodes: Nodes) -> Iterator[Nodes]:
    yield nodes
    for item in nodes:
        for inner in model.lists(item):
            yield from _with_inner(inner)


def is_optional(item: Bounded) -> bool:
    """Whether it is present only if bytes are left."""
    return isinstance(item, model.Field) and item.optional and item.place is None


def needs_bytes(item: model.Node) -> bool:
    """Whether it occupies bytes in sequence."""
    inside = (inner for inner in model.walk((item,)) if not is_elsewhere(inner))
    return any(not isinstance(inner, model.Choice | model.Ordered | model.Computed) for inner in inside)


def is_elsewhere(item: model.Node | model.BitField) -> bool:
    """Whether it is not in sequence."""
    return isinstance(item, model.Field) and item.place is not None


def has_bytes(struct: model.Struct) -> bool:
    """Whether a struct occupies bytes; one without fields counts as if it did."""
    return not struct.nodes or any(map(needs_bytes, struct.nodes))


def at_end(spec: Resolved, item: model.Node, holds: Callable[[Bounded], bool]) -> Bounded | None:
    """The last nodes in sequence for which ``holds`` is true: itself, or the end of an alternative or of a struct."""
    match item:
        case model.Field(place=model.Condition()):
            return None
        case model.Field() | model.Section() | model.Slot() if holds(item):
            return item
        case model.Field(repeat=None):
            struct = opened(spec, item)
            return item if struct is not None and in_struct(spec, struct, holds) else None
        case model.Choice() | model.Ordered():
            ends = (at_end(spec, inner, holds) for inner in model.children(item))
            return next((end for end in ends if end is not None), None)
        case model.Field() | model.Computed() | model.Bits() | model.Padding() | model.Section() | model.Slot():
            return None


def opened(spec: Resolved, field: model.Field) -> model.Struct | None:
    """The struct of a field that has no region of its own."""
    is_open = isinstance(field.type, Struct) and field.wire.extent is None and field.type.name not in spec.recursive
    return spec.structs.get(str(field.type)) if is_open else None


def in_struct(spec: Resolved, struct: model.Struct, holds: Callable[[Bounded], bool]) -> bool:
    """Whether ``holds`` is true of a node in a struct, outside its regions."""
    return any(at_end(spec, item, holds) for item in struct.nodes)


def place(item: model.Node) -> tuple[str, str]:
    """The key at which it is in its file, and its name in messages."""
    match item:
        case model.Field(name=name) | model.Computed(name=name):
            return "name", repr(name)
        case model.Section(name=name) | model.Slot(name=name):
            return "section", f"section {name!r}"
        case model.Choice():
            return "", "this choice"
        case model.Ordered(nodes=nodes):
            return place(nodes[0]) if nodes else ("byte_order", "this byte order")
        case model.Bits():
            return "bits", "these bits"
        case model.Padding():
            return "", "padding"
