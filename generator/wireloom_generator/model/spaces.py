"""The sizes of nodes, and which of them leave no bytes to the next ones."""

from collections.abc import Iterable, Mapping

from wireloom_generator import types
from wireloom_generator.model.nodes import (
    Bits,
    Choice,
    Computed,
    Field,
    Node,
    Ordered,
    Otherwise,
    Padding,
    Region,
    Repeat,
    Section,
    Slot,
    Struct,
    Unpack,
)
from wireloom_generator.model.walking import children
from wireloom_generator.model.wires import Condition, Prefix, Rest, Size, Terminator, Wire
from wireloom_generator.types.sizes import ANY, NOTHING, SizeRange, exactly, one_of


def space(nodes: Iterable[Node]) -> SizeRange:
    """The smallest and largest size of nodes, as far as the spec determines it."""
    return sum(map(_space, nodes), NOTHING)


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
            inside = space(children(node))
            is_known = isinstance(node, Section) and not node.bare and node.trailing is None
            return SizeRange(inside.least, inside.most if is_known else None)
        case Choice(alternatives=alternatives):
            is_whole = bool(alternatives) and isinstance(alternatives[-1], Otherwise)
            return one_of([*(space(each.nodes) for each in alternatives), *(() if is_whole else (NOTHING,))])
        case Bits(over=(_, _)):
            return NOTHING
        case Bits(wire=wire, when=when):
            taken = wire.type.size if isinstance(wire.type, types.Integer) else ANY
            return taken if when is None else SizeRange(0, taken.most)
        case Unpack(through=through, nodes=nodes):
            return ANY if through.resizes else space(nodes)
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
    return one.times(1, None) if repeat.until is not None else ANY


def _value(wire: Wire, struct: Struct | None) -> SizeRange:
    match wire.extent:
        case Size(fixed=size):
            return ANY if size is None else exactly(max(size, 0))
        case Rest():
            return ANY
        case Prefix(length=length):
            return SizeRange(length.type.size.least, None)
        case Terminator(value=end, terminator=kept, unterminated=missing):
            return SizeRange(0 if missing or kept == "leave" else len(end), None)
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
        case Unpack():
            return True
        case Ordered(nodes=nodes):
            return exhausting(nodes, structs) is not None
        case Field() | Computed() | Bits() | Padding() | Section() | Slot():
            return False
