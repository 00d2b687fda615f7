"""The part of a record that can be read before its end is known."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import once
from wireloom_generator.expressions import LEFT, Call, Expr, Function
from wireloom_generator.model import Resolved
from wireloom_generator.types import Struct
from wireloom_generator.types.sizes import NOTHING, SizeRange

Content = Callable[[model.Slot], Iterable[model.Node]]


@dataclass(slots=True)
class Head:
    """What is known about the start of a record: the ``values`` read, the ``places`` reached and the ``regions`` ended.

    Each has the maximum number of bytes read until then, or None.
    """

    values: dict[str, int | None] = field(default_factory=dict)
    places: dict[str, int | None] = field(default_factory=dict)
    regions: dict[str, int | None] = field(default_factory=dict)

    def lacks(self, tree: Expr, parameters: Iterable[str]) -> bool:
        """Whether an expression needs anything else."""
        return any(name is None for name in self._asked(tree, frozenset(parameters)))

    def most(self, trees: Iterable[Expr], parameters: Iterable[str]) -> int | None:
        """The maximum number of bytes that the expressions need."""
        known = frozenset(parameters)
        found = [size for tree in trees for sizes in self._asked(tree, known) if sizes for size in sizes]
        return max((size for size in found if size is not None), default=0) if None not in found else None

    def _asked(self, tree: Expr, parameters: frozenset[str]) -> Iterator[tuple[int | None] | None]:
        """The bytes for each name or place that an expression uses; None for unknown ones."""
        for name in expressions.names(tree):
            first = name.steps[0]
            if first not in parameters:
                yield (self.values[first],) if first in self.values else None
        for function, name in expressions.measured(tree):
            if function in expressions.OF_PLACES:
                known = self.places if function is Function.OFFSET else self.regions
                yield (known[name.name],) if name.name in known else None


@once
def heads(spec: Resolved) -> dict[str, Head]:
    """The heads of each message by name, and of all records under the empty name."""
    found = {"": _Beginning(spec, None).all()}
    return found | {message.name: _Beginning(spec, message).all() for message in spec.messages}


def of(spec: Resolved, owner: model.Record | model.Message) -> Head:
    """The head of the records whose end the owner determines."""
    return heads(spec)[owner.name if isinstance(owner, model.Message) else ""]


def needed(
    spec: Resolved, owner: model.Record | model.Message, trees: Iterable[Expr]
) -> tuple[tuple[model.Node, ...], str | None]:
    """The nodes that the expressions need, including those in sections that messages fill, and the nodes reached after
    the last one.
    """
    nodes: list[model.Node] = []
    for node in spec.record.nodes:
        if isinstance(node, model.Slot) and isinstance(owner, model.Message) and node.name in owner.sections:
            nodes += owner.sections[node.name]
        else:
            nodes.append(node)
    wanted: dict[str, bool] = {}
    for tree in trees:
        wanted |= {name.steps[0]: True for name in expressions.names(tree)}
        for function, name in expressions.measured(tree):
            wanted[name.name] = wanted.get(name.name, False) or function is not Function.OFFSET
    last, reached = 0, None
    for number, node in enumerate(nodes):
        every = model.walk((node,))
        inside = {each.name for each in every if isinstance(each, model.Named | model.Region)} & wanted.keys()
        if inside and isinstance(node, model.Field | model.Region) and not any(wanted[name] for name in inside):
            last, reached = number, node.name
        elif inside:
            last, reached = number + 1, None
    return tuple(nodes[:last]), reached


class _Beginning:
    """Reads a record, of a message if it is known, as far as its end does not matter."""

    def __init__(self, spec: Resolved, message: model.Message | None) -> None:
        self.spec = spec
        self.message = message
        self.head = Head()

    def all(self) -> Head:
        self.nodes(self.spec.record.nodes, NOTHING)
        return self.head

    def nodes(self, nodes: Iterable[model.Node], read: SizeRange) -> None:
        """Read nodes in order, up to the first that depends on where the record ends."""
        for node, before in _with_those_before(nodes):
            self.reach(node, read)
            if isinstance(node, model.Slot) and self.message is not None:
                start = read if isinstance(node.extent, model.Rest) else read + model.space((node,))
                self.nodes(self.message.sections.get(node.name, ()), start)
            if waits(self.spec, node, before):
                return
            read = read + model.space((node,))
            for inner in model.walk((node,)):
                if isinstance(inner, model.Region):
                    self.head.regions[inner.name] = self.head.places[inner.name] = read.most
                elif isinstance(inner, model.Named):
                    self.head.values[inner.name] = self.head.regions[inner.name] = read.most
                    self.head.places.setdefault(inner.name, read.most)

    def reach(self, node: model.Node, read: SizeRange) -> None:
        if isinstance(node, model.Field | model.Region):
            self.head.places.setdefault(node.name, read.most)


def endless(spec: Resolved, nodes: Iterable[model.Node], content: Content = lambda _: ()) -> Iterator[model.Node]:
    """The nodes whose end depends on where the record ends, if regions with ``size: rest`` end where their fields do.

    ``content`` returns the nodes that messages put into a section.
    """
    for node, before in _with_those_before(nodes):
        if isinstance(node, model.Region) and isinstance(node.extent, model.Rest):
            is_packed = isinstance(node, model.Section) and node.through is not None
            if node.trailing is not None or is_packed:
                yield node
            if not is_packed:
                yield from endless(spec, content(node) if isinstance(node, model.Slot) else node.nodes, content)
        elif waits(spec, node, before):
            yield node


def waits(spec: Resolved, node: model.Node, before: Iterable[model.Node] = ()) -> bool:
    """Whether the layout of a node depends on where the record ends; ``before`` are those that were read."""
    match node:
        case model.Field():
            again = _is_read_again(node, before)
            return _field_waits(spec, replace(node, place=None, optional=False) if again else node)
        case model.Computed():
            return _asks(node.compute, node.when)
        case model.Bits():
            return False
        case model.Padding(size=size):
            return _asks(size)
        case model.Slot(extent=extent) | model.Section(extent=extent):
            return isinstance(extent, model.Rest) or _asks(extent.condition)
        case model.Ordered(little=little, nodes=nodes):
            return _asks(little) or _any_waits(spec, nodes)
        case model.Choice(alternatives=alternatives):
            return _asks(*(each.when for each in alternatives)) or any(
                waits(spec, each) for each in model.children(node)
            )


def _field_waits(spec: Resolved, field: model.Field) -> bool:
    extent, repeat = field.wire.extent, field.repeat
    if field.through is not None and _asks(field.through.asked):
        return True
    if field.place is not None or field.optional or model.takes_rest(field) or _asks(field.when):
        return True
    if repeat is not None and (repeat.rest or _asks(repeat.count, repeat.until)):
        return True
    if isinstance(extent, model.Size):
        return _asks(extent.condition)
    if isinstance(extent, model.Terminator):
        return extent.unterminated
    if extent is not None or not isinstance(field.type, Struct):
        return False
    name = field.type.name
    struct = spec.structs.get(name)
    return name in spec.recursive or struct is None or _any_waits(spec, struct.nodes)


def _any_waits(spec: Resolved, nodes: Iterable[model.Node]) -> bool:
    return any(waits(spec, node, before) for node, before in _with_those_before(nodes))


def _with_those_before(nodes: Iterable[model.Node]) -> Iterator[tuple[model.Node, Sequence[model.Node]]]:
    """Each node with those that are read before it."""
    every = tuple(nodes)
    return ((node, every[:place]) for place, node in enumerate(every))


def _is_read_again(field: model.Field, before: Iterable[model.Node]) -> bool:
    """Whether all bytes of a field are those of one that was read before it, which always is there."""
    place = field.place.tree if field.shared and field.place is not None else None
    if not isinstance(place, Call) or place.function is not Function.OFFSET:
        return False
    size = model.space((replace(field, place=None, shared=False),)).most
    for node in before:
        if isinstance(node, model.Field | model.Region) and node.name == place.target.name:
            return size is not None and size <= model.space((node,)).least
    return False


def _asks(*conditions: model.Condition | None) -> bool:
    """Whether some conditions use the length of the record or the bytes left."""
    trees = [condition.tree for condition in conditions if condition is not None]
    return any(
        any(name.name in LEFT for name in expressions.names(tree))
        or any(name.name == "record" for _, name in expressions.measured(tree))
        for tree in trees
        if tree is not None
    )
