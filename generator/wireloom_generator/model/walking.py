"""The contents of nodes, in one place for all that walk a model."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from wireloom_generator.model.nodes import (
    BitField,
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
)


def lists(node: Node) -> tuple[tuple[Node, ...], ...]:
    """The lists of nodes directly inside a node; a choice has one for each alternative."""
    match node:
        case Section(nodes=nodes) | Ordered(nodes=nodes) | Unpack(nodes=nodes):
            return (nodes,)
        case Choice(alternatives=alternatives):
            return tuple(alternative.nodes for alternative in alternatives)
        case Field() | Computed() | Bits() | Padding() | Slot():
            return ()
        case _:
            assert_never(node)


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
