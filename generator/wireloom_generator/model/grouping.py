"""Groups of nodes for emitters: consecutive ones that are present together, and those that are not in sequence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import assert_never

from wireloom_generator.model.list_items import numbered
from wireloom_generator.model.nodes import (
    Bits,
    Choice,
    Computed,
    Field,
    Node,
    Ordered,
    Padding,
    Section,
    Slot,
    Unpack,
    When,
)
from wireloom_generator.model.wires import Condition


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
    is_tail = isinstance(node, Field) and node.optional
    return node.when or is_tail, id(node) if node.when is not None and node.when.asks_left else 0


def _unconditional(node: Node) -> Node:
    match node:
        case Field():
            return replace(node, when=None)
        case Bits(fields=fields, whole=whole):
            parts = tuple(replace(each, when=None) for each in fields)
            return replace(node, when=None, fields=parts, whole=None if whole is None else replace(whole, when=None))
        case Computed() | Padding() | Section() | Slot() | Choice() | Ordered() | Unpack():
            return node
        case _:
            assert_never(node)
