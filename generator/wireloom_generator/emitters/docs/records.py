"""A message's records part by part: the header in each of its forms, then the sections, variant by variant."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from wireloom_generator import model
from wireloom_generator.emitters.docs.facts import Facts, assume, common, implied
from wireloom_generator.emitters.docs.layout import ByteCount, Placed, Placing, Position, Tree
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.expressions import Among, Compare, Expr, Name, Origin, Value, walk

TRAILER = "trailer"
"""The part with the fields after the sections."""
_MOST_SHAPES = 64
"""More combinations of header values than this are not distinguished."""


@dataclass(frozen=True)
class HeaderForm:
    """One form of the header, and the values of header fields that select it."""

    match: Mapping[str, tuple[int, ...]]
    nodes: tuple[model.Node, ...]
    facts: Facts


@dataclass(frozen=True)
class Area:
    """The header, or a section. ``common`` are fields of every variant, ``own`` those of the one laid out.

    The last one ends with the record's ``terminator``, if there is one.
    """

    name: str
    at: Position
    end: Position
    extent: ByteCount
    common: tuple[Tree, ...]
    own: tuple[Tree, ...] = ()
    section: model.Section | model.Slot | None = None
    terminator: bytes = b""

    @property
    def trees(self) -> tuple[Tree, ...]:
        """All fields in order."""
        return (*self.common, *self.own)


@dataclass(frozen=True)
class Records:
    """Lays out a protocol's records."""

    names: Meanings
    _headers: dict[Hashable, tuple[Placing, Area]] = field(default_factory=dict)

    @property
    def protocol(self) -> model.Protocol:
        return self.names.protocol

    def shapes(self, message: model.Message | None = None) -> tuple[HeaderForm, ...]:
        """The forms the header has in records of a message, or in all."""
        match = self._numbers(message) if message and message.match else self._discriminators()
        found: list[tuple[tuple[model.Node, ...], list[dict[str, int]], list[Facts]]] = []
        for values in product(*match.values()):
            selected = dict(zip(match, values, strict=True))
            nodes, facts = self.names.record_nodes.narrowed(
                Facts({(Origin.THIS, name): value for name, value in selected.items()})
            )
            same = next((shape for shape in found if shape[0] == nodes), None)
            if same is None:
                found.append((nodes, [selected], [facts]))
            else:
                same[1].append(selected)
                same[2].append(facts)
        return tuple(
            HeaderForm({name: tuple(dict.fromkeys(s[name] for s in selected)) for name in match}, nodes, common(facts))
            for nodes, selected, facts in found
        )

    def _numbers(self, message: model.Message) -> dict[str, tuple[int, ...]]:
        """The header fields that select the message by listed numbers, and these."""
        own = {node.name for node in model.walk(self.protocol.record.nodes) if isinstance(node, model.Named)}
        known = ((name, selectors) for name, selectors in message.match.items() if name in own)
        numbers = ((name, tuple(each for each in every if isinstance(each, int)), every) for name, every in known)
        return {name: found for name, found, every in numbers if len(found) == len(every)}

    def _discriminators(self) -> dict[str, tuple[int, ...]]:
        """The header fields that conditions of the record use, and every value that the spec compares them with."""
        conditions = [*_conditions(self.protocol.record.nodes)]
        names = [name for name in _compared(conditions) if name in {field.name for field in _fields(self.protocol)}]
        proofs = [lengths.valid.expression for lengths in self.protocol.lengths if lengths.valid]
        values = {name: _compared([*proofs, *conditions]).get(name, ()) for name in names}
        for message in self.protocol.messages:
            values = {name: (*found, *self._numbers(message).get(name, ())) for name, found in values.items()}
        distinct = {name: tuple(dict.fromkeys(found)) for name, found in values.items()}
        combinations = 1
        for found in distinct.values():
            combinations *= len(found)
        return distinct if combinations <= _MOST_SHAPES else {}

    def parts(
        self, shape: HeaderForm, message: model.Message | None = None, variant: model.Variant | None = None
    ) -> list[Area]:
        """A record's parts in order, each at its position if every section is as long as its fields."""
        record, head = self._header(shape)
        inner = record.inside(self._facts(shape, message, variant))
        found = [head]
        for node in _split(shape.nodes)[1]:
            at = found[-1].end
            part = (
                self._slot(inner, node, at, message, variant)
                if isinstance(node, model.Slot)
                else _fixed(record, node, at)
            )
            found.append(part)
        if isinstance(ends := self.protocol.record.end, model.Terminator):
            found[-1] = replace(found[-1], end=found[-1].end.moved(len(ends.value)), terminator=ends.value)
        return found

    def _slot(
        self,
        layout: Placing,
        slot: model.Slot,
        at: Position,
        message: model.Message | None,
        variant: model.Variant | None,
    ) -> Area:
        if message is None:
            extent = layout.extent(slot.name, slot.extent)
            tree = Placed(slot, at, extent)
            return Area(slot.name, at, _after(at, tree), extent, (tree,), section=slot)
        start = at if not at.terms else Position(slot.name)
        common, end = layout.place(message.sections.get(slot.name, ()), start)
        own, end = layout.place(variant.sections.get(slot.name, ()) if variant else (), end)
        size = end.since(start)
        if slot.trailing and not common and not own:
            extent = ByteCount(0, "0")
        else:
            extent = ByteCount(size, str(size)) if size is not None else layout.extent(slot.name, slot.extent)
        if not isinstance(slot.extent, model.Rest) or slot.trailing or start.origin:
            end = _after(at, Placed(slot, at, extent))
        return Area(slot.name, at, end, extent, common, own, slot)

    def _header(self, shape: HeaderForm) -> tuple[Placing, Area]:
        """What places the record's own fields, and the header; the same for all messages with the same layout there."""
        facts = shape.facts.only(self.names.record_nodes.asked)
        key = id(shape.nodes), facts.key
        if (found := self._headers.get(key)) is None:
            placing = Placing(self.names.structs, facts, facts.below())
            trees, end = placing.place(_split(shape.nodes)[0], Position())
            area = Area("", Position(), end, ByteCount(end.since(Position()), str(end)), trees)
            found = self._headers[key] = placing, area
        return found

    def _facts(self, shape: HeaderForm, message: model.Message | None, variant: model.Variant | None) -> Facts:
        """What is known inside of the message."""
        facts = shape.facts.below()
        if message and variant and variant.when:
            facts = assume(variant.when.expression, facts)
            for nodes in message.sections.values():
                facts = implied(nodes, facts)
        return facts


def _fixed(layout: Placing, node: model.Node, at: Position) -> Area:
    """A part that messages do not fill: a section with fields of its own, or fields after the sections."""
    trees, end = layout.place([node], at)
    if isinstance(node, model.Section):
        extent = layout.extent(node.name, node.extent)
        return Area(node.name, at, _after(at, Placed(node, at, extent)), extent, trees, section=node)
    return Area(TRAILER, at, end, ByteCount(end.since(at), str(end)), trees)


def _after(at: Position, placed: Placed) -> Position:
    """The end of a section that begins at ``at``."""
    return at.moved(placed.extent.size, placed.extent.term).ending((placed,))


def _split(nodes: Iterable[model.Node]) -> tuple[list[model.Node], list[model.Node]]:
    """The header, and everything from the first section on."""
    head: list[model.Node] = []
    rest: list[model.Node] = []
    for node in nodes:
        (rest if rest or isinstance(node, model.Section | model.Slot) else head).append(node)
    return head, rest


def _conditions(nodes: Iterable[model.Node]) -> Iterator[Expr]:
    for node in nodes:
        if isinstance(node, model.Field) and node.when is not None:
            yield node.when.expression
        elif isinstance(node, model.Choice):
            yield from (option.when.expression for option in node.alternatives if isinstance(option, model.When))


def _compared(conditions: Iterable[Expr]) -> dict[str, tuple[int, ...]]:
    """Names and the numbers they are compared with."""
    found: dict[str, tuple[int, ...]] = {}
    for condition in conditions:
        for part in walk(condition):
            match part:
                case Among(value=Name(name=name), choices=choices):
                    numbers = tuple(choice.value for choice in choices if isinstance(choice, Value))
                case Compare(operator="==" | "!=", left=Name(name=name), right=Value(value=value)):
                    numbers = (value,)
                case _:
                    continue
            if known := [number for number in numbers if isinstance(number, int)]:
                found[name] = (*found.get(name, ()), *known)
    return found


def _fields(protocol: model.Protocol) -> Iterator[model.Field]:
    yield from (node for node in protocol.record.nodes if isinstance(node, model.Field))
