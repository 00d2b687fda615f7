"""A protocol in the form in which versions are compared: each layout as a flat list of leaves in byte order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.expressions import Name, rename

PADDING = "<padding>"
"""The name of padding leaves, which no field can have."""


class Presence(StrEnum):
    """Why a leaf may be missing from a record."""

    WHEN = "when"
    CHOICE = "choice"
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition for a leaf to be present. In a choice, ``otherwise`` are the conditions of earlier alternatives."""

    presence: Presence
    condition: model.Condition | None = None
    otherwise: tuple[model.Condition, ...] = ()

    def __str__(self) -> str:
        if self.presence is Presence.OPTIONAL:
            return "if its bytes are there"
        unless = " or ".join(condition.text for condition in self.otherwise)
        return f"if {self.condition.text}" if self.condition is not None else f"unless {unless}"


@dataclass(frozen=True, slots=True)
class BitLeaf:
    """A bit field and the bits of its integer that it occupies, counted from the least significant.

    The ``whole`` number is a bit field of all its bits. One of an alternative is ``over`` bits of an earlier leaf.
    """

    field: model.BitField
    integer: model.Wire
    shift: int
    whole: bool = False
    over: bool = False


Carrier = model.Field | model.Computed | model.Padding | model.Region | BitLeaf


@dataclass(frozen=True, slots=True)
class Leaf:
    """An element of a layout.

    ``place`` names the sections around it, outermost first. ``little`` is the condition under which it is little
    endian, if what is around it says one.
    """

    path: str
    name: str
    carrier: Carrier
    guards: tuple[Guard, ...]
    place: tuple[str, ...]
    little: model.Condition | None = None

    @property
    def node(self) -> model.Named | model.Padding | model.Region:
        """The node that it comes from."""
        return self.carrier.field if isinstance(self.carrier, BitLeaf) else self.carrier

    @property
    def optional(self) -> bool:
        """Whether it is present only if bytes are left, or if its offset leads to it."""
        return any(guard.presence is Presence.OPTIONAL for guard in self.guards)


@dataclass(frozen=True, slots=True)
class Leaves:
    """All leaves of the record's header, of a message in one of its variants, or of a shared struct.

    ``keeps`` has the column for left-over bytes of each section; without one, such bytes are malformed.
    """

    path: str
    leaves: tuple[Leaf, ...]
    keeps: Mapping[str, str]

    def behind(self, leaf: Leaf) -> tuple[Leaf, ...]:
        """The leaves after a leaf in its section."""
        return tuple(other for other in self.leaves[self.leaves.index(leaf) + 1 :] if other.place == leaf.place)


def record(protocol: model.Protocol) -> Leaves:
    """The leaves of the header, slots among them."""
    return _layout(protocol.name, _leaves(protocol.name, protocol.record.nodes, (), ()), {})


def struct(protocol: model.Protocol, shared: model.Struct) -> Leaves:
    """A shared struct."""
    path = f"{protocol.name}.{shared.name}"
    return _layout(path, _leaves(path, shared.nodes, (), ()), {})


def filling(protocol: model.Protocol, message: model.Message, variant: model.Variant | None) -> Leaves:
    """The leaves that a message puts into the record's slots for ``variant``: the shared fields, then the variant's."""
    path, slots = f"{protocol.name}.{message.name}", protocol.record.slots
    leaves: list[Leaf] = []
    for slot in slots:
        leaves += _leaves(path, message.sections.get(slot.name, ()), (), (slot.name,))
        if variant is not None:
            leaves += _leaves(f"{path}.{variant.name}", variant.sections.get(slot.name, ()), (), (slot.name,))
    keeps = {slot.name: slot.trailing for slot in slots if slot.trailing and slot.name in message.trailing}
    return _layout(f"{path}.{variant.name}" if variant else path, leaves, keeps)


def _layout(path: str, leaves: Iterable[Leaf], keeps: Mapping[str, str]) -> Leaves:
    found = tuple(leaves)
    sections = (leaf.carrier for leaf in found if isinstance(leaf.carrier, model.Section))
    return Leaves(path, found, {**keeps, **{node.name: node.trailing for node in sections if node.trailing}})


def _leaves(
    path: str, nodes: Iterable[model.Node], guards: tuple[Guard, ...], place: tuple[str, ...]
) -> Iterator[Leaf]:
    for node in model.grouped(nodes):
        leaf = partial(Leaf, guards=guards, place=place)
        match node:
            case model.Field() | model.Computed() | model.Slot() | model.Section():
                yield leaf(f"{path}.{node.name}", node.name, node)
                yield from _leaves(path, model.children(node), guards, (*place, node.name))
            case model.Elsewhere(field=placed):
                more = (Guard(Presence.OPTIONAL),) if placed.optional else ()
                yield Leaf(f"{path}.{placed.name}", placed.name, placed, (*guards, *more), place)
            case model.Padding():
                yield leaf(path, PADDING, node)
            case model.Bits(wire=wire, fields=fields, whole=whole, shifts=shifts):
                if whole is not None:
                    yield leaf(f"{path}.{whole.name}", whole.name, BitLeaf(whole, wire, 0, whole=True))
                for field, shift in zip(fields, shifts, strict=True):
                    yield leaf(
                        f"{path}.{field.name}", field.name, BitLeaf(field, wire, shift, over=node.over is not None)
                    )
            case model.Ordered(little=little, nodes=inner):
                for each in _leaves(path, inner, guards, place):
                    yield each if each.little is not None else replace(each, little=little)
            case model.When(when=condition, nodes=inner):
                yield from _leaves(path, inner, (*guards, Guard(Presence.WHEN, condition)), place)
            case model.Tail(nodes=inner):
                yield from _leaves(path, inner, (*guards, Guard(Presence.OPTIONAL)), place)
            case model.Choice(alternatives=alternatives):
                asked: tuple[model.Condition, ...] = ()
                for alternative in alternatives:
                    guard = Guard(Presence.CHOICE, alternative.when, asked)
                    yield from _leaves(path, alternative.nodes, (*guards, guard), place)
                    asked += (alternative.when,) if alternative.when is not None else ()
            case _:
                assert_never(node)


def same(old: model.Condition | None, new: model.Condition | None, renamed: Mapping[str, str]) -> bool:
    """Whether two expressions mean the same, except for changed names."""
    if old is None or new is None:
        return old is new

    return rename(old.expression, partial(_now_called, renamed)) == rename(new.expression, partial(_now_called, {}))


def _now_called(renamed: Mapping[str, str], name: Name) -> Name:
    """A name as it is called now, wherever it is written; an item is known by its list and its number."""
    first, *steps = name.steps
    called = ".".join([renamed.get(first, first), *steps])
    if name.item is None:
        return Name(called, origin=name.origin)
    word = "" if name.item.word == "first" else name.item.word
    return Name("", origin=name.origin, item=name.item._replace(list=called, word=word))
