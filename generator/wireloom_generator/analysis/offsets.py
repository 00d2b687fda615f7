"""What is known about a record before it is read: numbers at fixed offsets, and everything that follows from them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import NamedTuple, assert_never

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import fixed_number
from wireloom_generator.expressions import LEFT, Binary, Call, Expr, Function, Name, Value
from wireloom_generator.model import Resolved
from wireloom_generator.types import Integer

_LONGEST = 8
"""The most bytes of an integer whose bits can be read early."""


@dataclass(frozen=True)
class At:
    """An offset from the record's start: bytes, plus the sizes given by numbers before it."""

    bytes: int = 0
    sizes: tuple[Expr, ...] = ()

    def behind(self, size: "At") -> "At":
        """The offset after something of this size."""
        return At(self.bytes + size.bytes, (*self.sizes, *size.sizes))

    @property
    def expression(self) -> Expr:
        """The offset as one expression."""
        parts = (Value(self.bytes), *self.sizes) if self.bytes or not self.sizes else self.sizes
        return reduce(lambda before, size: Binary("+", before, size), parts)


def edge(bound: Expr | None) -> tuple[str, bool] | None:
    """The name in ``offset(name)``, or in ``offset(name) + size(name)``, the end of ``name``; None for other
    expressions.
    """
    match bound:
        case Call(Function.OFFSET, (Name(name=name),)):
            return name, False
        case Binary("+", Call(Function.OFFSET, (Name(name=name),)), Call(Function.SIZE, (Name(name=other),))):
            return (name, True) if name == other else None
        case _:  # any other expression
            return None


class FixedNumber(NamedTuple):
    """A number that every record has, ``offset`` bytes from its start, or ``bits`` of the integer there."""

    offset: int
    node: model.Field | model.BitField
    wire: model.Wire
    bits: model.BitSlice | None = None


@dataclass
class Offsets:
    """Offsets in bytes from the record's start. ``numbers`` has the fixed ones by name. ``places`` and ``sizes`` are
    those of fields and sections that fixed numbers determine; ``length`` is that of the record.
    """

    parameters: frozenset[str]
    numbers: dict[str, FixedNumber] = field(default_factory=dict)
    places: dict[str, At] = field(default_factory=dict)
    sizes: dict[str, At] = field(default_factory=dict)
    fields: dict[str, model.Field | model.Computed] = field(default_factory=dict)
    length: Expr | None = None

    def note(self, name: str, at: At | None, size: At | None) -> None:
        """Record the offset and size of something, as far as they are known."""
        if at is not None:
            self.places[name] = at
        if size is not None:
            self.sizes[name] = size

    def size_of(self, extent: model.Extent | None, left: Expr | None) -> At | None:
        """The size given by an expression over earlier numbers, if ``left`` bytes remain in the section."""
        if not isinstance(extent, model.Size):
            return None
        if (fixed := extent.fixed) is not None:
            return At(fixed)
        tree = extent.condition.tree
        if tree is None or expressions.measured(tree):
            return None
        if extent.condition.asks_left and left is not None:
            tree = _filled(tree, left)
        known = self.numbers.keys() | self.parameters
        return At(0, (tree,)) if all(name.name in known for name in expressions.names(tree)) else None

    def determines(self, tree: Expr) -> bool:
        """Whether an expression follows from the fixed numbers."""
        known = self.numbers.keys() | self.parameters
        places = ((self.sizes if function is Function.SIZE else self.places, name) for function, name in _places(tree))
        return all(name.name in known for name in expressions.names(tree)) and all(
            name.name in determined for determined, name in places
        )

    def settled(self, expression: Expr, length: Expr | None) -> Expr:
        """The expression with known sizes and offsets replaced by their values; ``length`` is the record's."""
        match expression:
            case Call(Function.SIZE, (Name(name="record"),)) if length is not None:
                return length
            case Call(Function.SIZE, (Name(name=name),)) if name in self.sizes:
                return self.sizes[name].expression
            case Call(Function.OFFSET, (Name(name=name),)) if name in self.places:
                return self.places[name].expression
        return expressions.rebuild(expression, lambda part: self.settled(part, length))


def _places(tree: Expr) -> Iterator[tuple[Function, Name]]:
    """The names whose size or offset an expression uses."""
    return ((function, name) for function, name in expressions.measured(tree) if function in expressions.OF_PLACES)


def _filled(tree: Expr, left: Expr) -> Expr:
    """The expression with the number of bytes left filled in."""
    if isinstance(tree, Name) and tree.name in LEFT:
        return left
    return expressions.rebuild(tree, lambda part: _filled(part, left))


def of(spec: Resolved, owner: model.Record | model.Message) -> Offsets:
    """The offsets of the record's own fields, and of what all variants of a message share."""
    length = owner.length or spec.record.length
    known = frozenset(name for name, parameter in spec.parameters.items() if parameter.found is None)
    layout = Offsets(known, length=length.tree if length is not None else None)
    _lay(spec.record.nodes, At(), layout, layout.length)
    if isinstance(owner, model.Message):
        for slot, at in [(slot, layout.places.get(slot.name)) for slot in spec.record.slots]:
            if at is not None:
                _lay(owner.sections.get(slot.name, ()), at, layout)
    return layout


def _lay(nodes: Iterable[model.Node], at: At | None, layout: Offsets, end: Expr | None = None) -> At | None:
    """Note what is at a known offset from ``at`` on; returns the offset after the nodes, None if it is unknown.

    Their section ends at ``end``, if that is known.
    """
    for node in nodes:
        left = Binary("-", end, at.expression) if end is not None and at is not None else None
        size: At | None
        match node:
            case model.Field(place=model.Condition()):
                size = At()
            case model.Field() | model.Computed():
                size = _size(node, layout, left)
                if isinstance(node, model.Field) and at is not None and not at.sizes and fixed_number(node) is not None:
                    layout.numbers[node.name] = FixedNumber(at.bytes, node, node.wire)
                layout.fields[node.name] = node
                layout.note(node.name, at, size)
            case model.Section() | model.Slot():
                size = layout.size_of(node.extent, left)
                layout.note(node.name, at, size)
                is_packed = isinstance(node, model.Section) and node.through is not None
                _lay(model.children(node), None if is_packed else at, layout)
            case model.Ordered(nodes=inner):
                begin, at = at, _lay(inner, at, replace(layout, numbers={}), end)
                size = None if begin is None or at is None else At()
            case model.Choice():
                size = _choice(node, at, layout)
            case model.Bits(over=(_, _)):
                size = At()
            case model.Bits(wire=wire, when=when):
                size = At(wire.type.bits // 8) if isinstance(wire.type, Integer) and when is None else None
                for each in node.named if size is not None else ():
                    layout.note(each.name, at, size)
                if at is not None and not at.sizes and size is not None and size.bytes <= _LONGEST:
                    layout.numbers.update({part.node.name: part for part in _bits(node, at.bytes)})
            case model.Padding(align=1, size=count):
                size = layout.size_of(model.Size(count), left)
            case model.Padding(align=align, start=start):
                origin = At() if start is None else layout.places.get(start)
                size = _aligned(at, origin, align)
            case _:
                assert_never(node)
        at = None if at is None or size is None else at.behind(size)
    return at


def _bits(bits: model.Bits, at: int) -> Iterator[FixedNumber]:
    """The unsigned numbers among the bit fields of an integer; a list is not one."""
    if bits.whole is not None:
        yield FixedNumber(at, bits.whole, bits.wire)
    for part, shift in zip(bits.fields, bits.shifts, strict=True):
        if part.count is None and part.sign is None:
            yield FixedNumber(at, part, bits.wire, model.BitSlice(shift, part.width, part.boolean))


def _aligned(at: At | None, origin: At | None, align: int) -> At | None:
    """The distance to the next multiple, counted from the origin."""
    if at is None or origin is None or at.sizes != origin.sizes or align < 1:
        return None
    return At((origin.bytes - at.bytes) % align)


def _size(field: model.Field | model.Computed, layout: Offsets, left: Expr | None) -> At | None:
    if isinstance(field, model.Computed):
        return At()
    if field.when is not None or field.optional or field.repeat is not None:
        return None
    if field.wire.extent is not None:
        return layout.size_of(field.wire.extent, left)
    return None if field.size is None else At(field.size)


def _choice(choice: model.Choice, at: At | None, layout: Offsets) -> At | None:
    """The common size of all alternatives, if they have one and one of them is always taken.

    Numbers that all of them have at the same offset are noted.
    """
    if at is None or not choice.alternatives or choice.alternatives[-1].when is not None:
        return None
    insides = [Offsets(layout.parameters) for _ in choice.alternatives]
    ends = {_lay(each.nodes, at, inside) for each, inside in zip(choice.alternatives, insides, strict=True)}
    layout.numbers.update(_alike(insides))
    end = ends.pop()
    return At(end.bytes - at.bytes) if end is not None and not ends and end.sizes == at.sizes else None


def _alike(insides: Iterable[Offsets]) -> dict[str, FixedNumber]:
    """The numbers that all alternatives have at the same offset with the same type; their meanings may differ."""
    first, *others = (inside.numbers for inside in insides)
    return {
        name: number
        for name, number in first.items()
        if all(name in other and other[name]._replace(node=number.node) == number for other in others)
    }
