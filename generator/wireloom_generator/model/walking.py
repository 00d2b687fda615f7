"""The contents of nodes, their sizes, and their groups for emitters; shared by everything that walks a model."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeGuard

from wireloom_generator import expressions, types
from wireloom_generator.model.nodes import (
    BitField,
    Bits,
    Choice,
    Computed,
    Field,
    Named,
    Node,
    Ordered,
    Otherwise,
    Padding,
    Region,
    Repeat,
    Section,
    Slot,
    Struct,
    When,
)
from wireloom_generator.model.wires import Condition, Prefix, Rest, Size, Terminator, Wire
from wireloom_generator.types.sizes import ANY, NOTHING, SizeRange, exactly, one_of


def lists(node: Node) -> tuple[tuple[Node, ...], ...]:
    """The lists of nodes directly inside a node; a choice has one for each alternative."""
    match node:
        case Section(nodes=nodes) | Ordered(nodes=nodes):
            return (nodes,)
        case Choice(alternatives=alternatives):
            return tuple(alternative.nodes for alternative in alternatives)
        case Field() | Computed() | Bits() | Padding() | Slot():
            return ()


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node, in the order in which they are read."""
    return tuple(inner for nodes in lists(node) for inner in nodes)


def walk(nodes: Iterable[Node]) -> Iterator[Node | BitField]:
    """The nodes, each followed by everything inside it; bit fields are inside their integer."""
    for node in nodes:
        yield node
        if isinstance(node, Bits):
            yield from node.named
        yield from walk(children(node))


def numbered(field: Field, *keys: str) -> bool:
    """Whether one of these keys of a list, or any, depends on the number of an item."""
    if field.repeat is None:
        return False
    size = field.wire.extent.condition if isinstance(field.wire.extent, Size) else None
    said = {"at": (field.place,), "size": (size,), "with": tuple(field.inputs.values())}
    found = (condition for key in keys or said for condition in said[key])
    return any(condition is not None and condition.asks_index for condition in found)


def may_have_empty_items(field: Field) -> bool:
    """Whether items of a list may take no bytes. Their number is then known, so that the list ends.

    The original bytes (``raw``) of such a list would not determine its number of items.
    """
    if field.repeat is None or field.repeat.count is None or field.raw is not None:
        return False
    return numbered(field) or (field.item_space is not None and field.item_space.least == 0)


def derived_from(field: Field) -> expressions.Name | None:
    """The list from which a derived list follows, item by item."""
    if field.derive is None or field.repeat is None:
        return None
    parts = expressions.walk(field.derive.expression)
    about = next(part for part in parts if isinstance(part, expressions.Name) and part.item is not None)
    return expressions.Name(".".join(about.steps), origin=about.origin, nullable=True)


def asks_input(node: Node | BitField, inputs: Collection[str]) -> TypeGuard[Field | BitField]:
    """Whether one of these inputs of the type decides what a field follows from, or what its own type is given."""
    if not isinstance(node, Field | BitField):
        return False
    asked = [node.derive]
    if isinstance(node, Field):
        asked += node.inputs.values()
    found = (name for each in asked if each is not None for name in expressions.names(each.expression))
    return any(name.origin is expressions.Origin.INPUT and name.steps[0] in inputs for name in found)


@dataclass(frozen=True, slots=True)
class Tail:
    """Fields that are present if bytes are left. The first of them is no longer marked ``optional``."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A field that is not in sequence, but at the offset ``place`` of the record."""

    place: Condition
    field: Field


def grouped(nodes: Iterable[Node]) -> Iterator[Node | When | Tail | Elsewhere]:
    """The nodes, with consecutive ones under the same condition, or all optional, grouped, and with those at an offset
    of their own marked.

    The nodes after an optional field in its ``Tail`` are optional in turn.
    """
    for (presence, _), found in groupby(nodes, _presence):
        if isinstance(presence, Condition):
            yield When(presence, tuple(map(_unconditional, found)))
        elif presence:
            first, *others = found
            assert isinstance(first, Field)
            yield Tail((replace(first, optional=False), *others))
        else:
            yield from map(_placed, found)


def _placed(node: Node) -> Node | Elsewhere:
    if not isinstance(node, Field) or node.place is None or numbered(node, "at"):
        return node
    return Elsewhere(node.place, node)


def _presence(node: Node) -> tuple[Condition | bool, int]:
    """The condition of a field, or else whether it is optional; other nodes are always present.

    A condition on the bytes left in the section is numbered, because its value is not the same for the next field.
    """
    if not isinstance(node, Field | Bits):
        return False, 0
    is_tail = isinstance(node, Field) and node.optional and node.place is None
    return node.when or is_tail, id(node) if node.when is not None and node.when.asks_left else 0


def _unconditional(node: Node) -> Node:
    match node:
        case Field():
            return replace(node, when=None)
        case Bits(fields=fields, whole=whole):
            parts = tuple(replace(each, when=None) for each in fields)
            return replace(node, when=None, fields=parts, whole=None if whole is None else replace(whole, when=None))
        case Computed() | Padding() | Section() | Slot() | Choice() | Ordered():
            return node


def field_at(path: str, nodes: Iterable[Node], structs: Mapping[str, Struct]) -> Named | None:
    """The field to which a dotted path leads through structs and lists."""
    field = None
    for step in path.split("."):
        named = (node for node in walk(nodes) if isinstance(node, Named))
        field = next((node for node in named if node.name == step), None)
        struct = structs.get(field.type.name) if field is not None and isinstance(field.type, types.Struct) else None
        nodes = () if struct is None else struct.nodes
    return field


def space(nodes: Iterable[Node]) -> SizeRange:
    """The smallest and largest size of nodes, as far as the spec determines it."""
    return sum(map(_space, nodes), NOTHING)


def space_inside(region: Region) -> SizeRange:
    """The size of what a region holds, packed if it is."""
    is_resized = isinstance(region, Section) and region.through is not None and region.through.resizes
    return ANY if is_resized else space(children(region))


def _space(node: Node) -> SizeRange:
    match node:
        case Field(shared=True):
            return NOTHING
        case Field(space=own):
            return own
        case Computed():
            return NOTHING
        case Section(extent=Size(fixed=int(size))) | Slot(extent=Size(fixed=int(size))):
            return exactly(max(size, 0))
        case Section() | Slot():
            content = space_inside(node)
            is_known = isinstance(node, Section) and not node.bare and node.trailing is None
            return SizeRange(content.least, content.most if is_known else None)
        case Choice(alternatives=alternatives):
            is_whole = bool(alternatives) and isinstance(alternatives[-1], Otherwise)
            return one_of([*(space(each.nodes) for each in alternatives), *(() if is_whole else (NOTHING,))])
        case Bits(over=(_, _)):
            return NOTHING
        case Bits(wire=wire, when=when):
            taken = wire.type.size if isinstance(wire.type, types.Integer) else ANY
            return taken if when is None else SizeRange(0, taken.most)
        case Ordered(nodes=nodes):
            return space(nodes)
        case Padding(align=1, fixed=fixed):
            return ANY if fixed is None else exactly(max(fixed, 0))
        case Padding(align=align):
            return SizeRange(0, max(align - 1, 0))


def taken(wire: Wire, repeat: Repeat | None, struct: Struct | None) -> SizeRange:
    """The size of a value or a list of them; ``struct`` is that of its type, if that has an end."""
    one = _value(wire, struct)
    if repeat is None or one == NOTHING:
        return one
    if repeat.count is not None and (count := repeat.count.constant) is not None:
        return one.times(max(count, 0), max(count, 0))
    is_never_empty = repeat.until is not None and expressions.before_items(repeat.until.expression) is None
    return one.times(1, None) if is_never_empty else ANY


def _value(wire: Wire, struct: Struct | None) -> SizeRange:
    match wire.extent:
        case Size(fixed=size):
            return ANY if size is None else exactly(max(size, 0))
        case Rest():
            return ANY
        case Prefix(length=length):
            return SizeRange(length.type.size.least, None)
        case Terminator(ends=ends, terminator=kept, unterminated=missing):
            return SizeRange(0 if missing or kept == "leave" else min(map(len, ends)), None)
        case None:
            return wire.type.size if struct is None else space(struct.nodes)


def takes_rest(node: Field | Region) -> bool:
    """Whether the node takes all bytes left in its section."""
    if isinstance(node, Field):
        in_list = node.repeat is not None and node.repeat.rest
        return node.place is None and (in_list or isinstance(node.wire.extent, Rest))
    return isinstance(node.extent, Rest)


def leaves(node: Node) -> int | None:
    """The bytes of its section that it leaves to the next nodes, if its size is ``rest`` minus a number."""
    extent = node.wire.extent if isinstance(node, Field) else node.extent if isinstance(node, Region) else None
    return extent.condition.left_behind if isinstance(extent, Size) else None


def exhausting(nodes: Iterable[Node], structs: Mapping[str, Struct]) -> Node | None:
    """The first node after which no bytes of the section are ever left; None if there is none.

    If a node leaves some, only the next nodes may take them.
    """
    every = tuple(nodes)
    for number, node in enumerate(every):
        sometimes = isinstance(node, Field) and node.when is not None
        if not sometimes and (exhausts(node, structs) or _leaves_just(node, every[number + 1 :])):
            return node
    return None


def _leaves_just(node: Node, following: tuple[Node, ...]) -> bool:
    taken = space(following)
    return taken.least == taken.most == leaves(node)


def exhausts(node: Node, structs: Mapping[str, Struct]) -> bool:
    """Whether it never leaves bytes of its section, if it is present."""
    match node:
        case Field(place=Condition()):
            return False
        case Field() | Section() | Slot() if takes_rest(node):
            return True
        case Field(repeat=None, wire=Wire(type=types.Struct(name=name), extent=None)):
            return name in structs and structs[name].exhausts
        case Choice(alternatives=alternatives):
            covered = bool(alternatives) and isinstance(alternatives[-1], Otherwise)
            return covered and all(exhausting(each.nodes, structs) is not None for each in alternatives)
        case Ordered(nodes=nodes):
            return exhausting(nodes, structs) is not None
        case Field() | Computed() | Bits() | Padding() | Section() | Slot():
            return False
