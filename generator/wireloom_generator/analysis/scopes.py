"""The structs of a spec, node by node in the order of reading, for rules to walk.

A scope is a struct: the record's own fields, a message with its variants, or a type where it is used. Nodes of
different alternatives or variants are never in the same record.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import count
from typing import TypeVar, assert_never

from wireloom_generator import model
from wireloom_generator.analysis import rivals
from wireloom_generator.analysis.rivals import Case
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Location
from wireloom_generator.types import Deeper, NumberType, Struct, Unknown

Item = model.Node | model.BitField
VARIANT = -1
"""The number of the choice among a message's variants."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Taken:
    """The choice with this number takes the case at ``index``, the last of ``cases``; earlier ones may also hold."""

    choice: int
    index: int
    cases: Sequence[Case] = field(compare=False, repr=False)


Branch = tuple[Taken, ...]
"""The alternatives that something is in."""


def meet(one: Branch, other: Branch) -> bool:
    """Whether one record can have both."""
    if not one or not other:
        return True
    taken = {case.choice: case.index for case in other}
    return all(taken.get(case.choice, case.index) == case.index for case in one)


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A node at its position in the order of reading. ``sections`` are the regions around it, outermost first."""

    item: Item
    order: int
    branch: Branch
    sections: tuple[str, ...]

    @property
    def at(self) -> Location:
        """The place of its name, or of itself if it has none."""
        return self.item.where("section" if isinstance(self.item, model.Region) else "name")

    @property
    def name(self) -> str | None:
        """Its name in expressions."""
        return self.item.name if isinstance(self.item, model.Named | model.Region) else None

    @property
    def in_variant(self) -> bool:
        """Whether it belongs to one of a message's variants."""
        return bool(self.branch) and self.branch[0].choice == VARIANT

    def meets(self, other: "Visit") -> bool:
        """Whether both can be in the same record."""
        return meet(self.branch, other.branch)


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a type; its value depends on the field with that type."""

    struct: str
    name: str


Seen = Visit | model.Parameter | Input
"""The referent of a name."""
AnySeen = TypeVar("AnySeen", bound=Seen)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A struct. ``header`` are the record's nodes that its expressions see, ``given`` the inputs of a type. The variant
    of a message is chosen after its first ``decided`` nodes. The scope of a capture's header does not see the
    parameters that it sets.
    """

    owner: model.Record | model.Message | model.Struct
    visits: tuple[Visit, ...]
    header: tuple[Visit, ...] = ()
    decided: int = 0
    given: tuple[Input, ...] = ()
    is_preamble: bool = False

    def header_at(self, visit: Visit) -> tuple[Visit, ...]:
        """The record's nodes that are read before ``visit``, one of a message, of a type or of the record."""
        match self.owner:
            case model.Message():
                return until_slot(self.header, visit.sections[0])
            case model.Struct():
                return self.header
            case model.Record():
                return self.visits[: visit.order]


def until_slot(header: tuple[Visit, ...], slot: str) -> tuple[Visit, ...]:
    """The header's nodes up to and including the section ``slot``; all if there is no such section."""
    ends = [visit.order for visit in header if isinstance(visit.item, model.Slot) and visit.name == slot]
    return header[: ends[0] + 1] if ends else header


def once(function: Callable[[Resolved], T]) -> Callable[[Resolved], T]:
    """Cache a function's result for the latest spec."""
    last: tuple[Resolved, T] | None = None

    @wraps(function)
    def remembered(spec: Resolved) -> T:
        nonlocal last
        kept = last
        if kept is None or kept[0] is not spec:
            kept = last = spec, function(spec)
        return kept[1]

    return remembered


@once
def head(spec: Resolved) -> Scope:
    """The record's own fields and sections."""
    return Scope(spec.record, walk(spec.record.nodes))


@once
def messages(spec: Resolved) -> tuple[Scope, ...]:
    """A scope for each message: slot by slot, what all variants share, then each variant's own."""
    return tuple(_message(spec, message) for message in spec.messages)


def message_scopes(spec: Resolved) -> Iterator[tuple[model.Message, Scope]]:
    """Each message with its scope."""
    return zip(spec.messages, messages(spec), strict=True)


def _message(spec: Resolved, message: model.Message) -> Scope:
    numbering = _Walk()
    visits: list[Visit] = []
    known = [slot.name for slot in spec.record.slots]
    filled = [*message.sections, *(name for variant in message.variants for name in variant.sections)]
    decided = 0
    branches = [(Taken(VARIANT, number, cases),) for number, cases in enumerate(rivals.tried(message.variants))]
    for slot in dict.fromkeys([*known, *filled]):
        visits += numbering.nodes(message.sections.get(slot, ()), sections=(slot,))
        decided = len(visits) if slot == message.decisive else decided
        for branch, variant in zip(branches, message.variants, strict=True):
            visits += numbering.nodes(variant.sections.get(slot, ()), branch, (slot,))
    return Scope(message, tuple(visits), head(spec).visits, decided)


@once
def openings(spec: Resolved) -> tuple[Scope, ...]:
    """The scope of the capture's header, if there is one."""
    return () if spec.capture is None else (Scope(spec.capture, walk(spec.capture.nodes), is_preamble=True),)


@once
def structs(spec: Resolved) -> tuple[Scope, ...]:
    """A scope for each use of a type as a struct; uses that see the same header fields share one."""
    found: dict[tuple[str, int, bool], Scope] = {}
    pending = [*openings(spec), head(spec), *messages(spec)]
    while pending:
        scope = pending.pop()
        for visit in scope.visits:
            used = struct_of(spec, visit.item)
            if used is None or used.name in spec.recursive:
                continue
            header = scope.header_at(visit)
            use = used.name, len(header), scope.is_preamble
            if use not in found:
                given = tuple(Input(used.name, name) for name in used.given)
                inner = Scope(used, walk(used.nodes), header, given=given, is_preamble=scope.is_preamble)
                found[use] = inner
                pending.append(inner)
    return tuple(found.values())


def every(spec: Resolved) -> tuple[Scope, ...]:
    """All scopes of the spec."""
    return (*openings(spec), head(spec), *messages(spec), *structs(spec))


def struct_of(spec: Resolved, item: Item) -> model.Struct | None:
    """The struct that a field has, if it has a known one."""
    found = item.type if isinstance(item, model.Field | model.Computed) else None
    return spec.structs.get(found.name) if isinstance(found, Struct) else None


def fields_of(spec: Resolved, item: Item) -> model.Struct | None:
    """The struct whose fields expressions find in a field, which has it or its bytes."""
    if isinstance(item, model.Field) and isinstance(item.type, Deeper):
        return spec.structs[item.type.like]
    return struct_of(spec, item)


@once
def _named(spec: Resolved) -> dict[str, Mapping[str, tuple[Visit, ...]]]:
    """The names inside structs, by type, found when they are first needed."""
    return {}


def inside(spec: Resolved, item: Item, *, is_item: bool = False) -> Mapping[str, tuple[Visit, ...]]:
    """The names inside a struct field, or inside an item of a list of structs, each with the nodes that it may refer
    to; none if the field is not a struct.
    """
    used = fields_of(spec, item)
    if used is None or is_item is not (isinstance(item, model.Field) and item.repeat is not None):
        return {}
    known = _named(spec)
    if used.name not in known:
        known[used.name] = by_name(walk(used.nodes))
    return known[used.name]


def by_name(seen: Iterable[AnySeen]) -> Mapping[str, tuple[AnySeen, ...]]:
    found: dict[str, list[AnySeen]] = {}
    for item in seen:
        if item.name is not None:
            found.setdefault(item.name, []).append(item)
    return {name: tuple(same) for name, same in found.items()}


@once
def nodes(spec: Resolved) -> tuple[Item, ...]:
    """Every node of the spec in the order of reading; included nodes occur once for each include."""
    return tuple(node for nodes in spec.layouts for node in model.walk(nodes))


@once
def fields(spec: Resolved) -> tuple[Named, ...]:
    """Every field except those of an unknown type, about which nothing is known."""
    return tuple(node for node in nodes(spec) if isinstance(node, Named) and not isinstance(node.type, Unknown))


def walk(nodes: Iterable[model.Node]) -> tuple[Visit, ...]:
    """The visits of a struct with these nodes."""
    return tuple(_Walk().nodes(nodes))


class _Walk:
    """Goes through a struct and numbers its nodes and choices."""

    def __init__(self) -> None:
        self.orders, self.choices = count(), count()

    def nodes(
        self, nodes: Iterable[model.Node], branch: Branch = (), sections: tuple[str, ...] = ("",)
    ) -> Iterator[Visit]:
        """The visits of a list of nodes. The region of a whole record or type counts as a section without a name."""
        for node in nodes:
            yield Visit(node, next(self.orders), branch, sections)
            match node:
                case model.Section(name=name, nodes=inner):
                    yield from self.nodes(inner, branch, (*sections, name))
                case model.Ordered(nodes=inner):
                    yield from self.nodes(inner, branch, sections)
                case model.Choice(alternatives=alternatives):
                    number = next(self.choices)
                    for index, cases in enumerate(rivals.tried(alternatives)):
                        taken = Taken(number, index, cases)
                        yield from self.nodes(alternatives[index].nodes, (*branch, taken), sections)
                case model.Bits():
                    for bit in node.named:
                        yield Visit(bit, next(self.orders), branch, sections)
                case model.Field() | model.Computed() | model.Padding() | model.Slot():
                    pass
                case _:
                    assert_never(node)


def fixed_number(item: Item) -> int | None:
    """The size of a number that is always present with a fixed size; None for anything else."""
    if not isinstance(item, model.Field) or item.when or item.optional or item.repeat or item.place:
        return None
    return item.type.size.least if isinstance(item.type, NumberType) else None
