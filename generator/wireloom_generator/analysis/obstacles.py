"""Explains, for messages, why something is not known before the record is read."""

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from wireloom_generator import expressions, model
from wireloom_generator.analysis import offsets
from wireloom_generator.analysis.scopes import fixed_number
from wireloom_generator.expressions import Expr
from wireloom_generator.model import Resolved


class _Reached(NamedTuple):
    """A node in the order of reading, the first one before it whose size is not fixed, and whether it may be absent."""

    node: model.Node | model.BitField
    before: str | None
    is_alternative: bool


def obstacle(spec: Resolved, owner: model.Record | model.Message, tree: Expr) -> str | None:
    """Why an expression does not follow from numbers at fixed offsets; None if it does."""
    layout = offsets.of(spec, owner)
    if layout.determines(tree):
        return None
    known = layout.numbers.keys() | layout.parameters
    name = next((each.name for each in expressions.names(tree) if each.name not in known), None)
    if name is not None:
        return f"{name!r} {of_name(spec, owner, name)}"
    function, asked = next(iter(expressions.measured(tree)))
    return f"{function}({asked.name}) does not follow from numbers at fixed offsets"


def of_name(spec: Resolved, owner: model.Record | model.Message, name: str, known: Container[str] = frozenset()) -> str:
    """Why the value of that name is not a number at a fixed offset, as the predicate of a sentence.

    Fields of ``known`` size may precede it.
    """
    walk = _walk(spec.record.nodes, owner, None, known)
    reached = next((each for each in walk if getattr(each.node, "name", None) == name), None)
    if reached is None:
        return "is inside a list or struct" if any(mark in name for mark in ".[") else "is not in every record"
    node, before, is_alternative = reached
    if (fault := _fault(node)) is not None:
        return fault
    if is_alternative:
        return "is not at the same offset in every record"
    if before is not None:
        return f"comes after {before}, whose size varies"
    return "is read in a byte order that depends on a value"


def _fault(node: model.Node | model.BitField) -> str | None:
    """Why a node can never be a number at a fixed offset."""
    match node:
        case model.Computed():
            return "is computed"
        case model.Field() | model.BitField() if node.when is not None:
            return "is not in every record"
        case model.Field(optional=True):
            return "is not in every record"
        case model.Field(repeat=model.Repeat()) | model.BitField(count=int()):
            return "is a list"
        case model.Field(place=model.Condition()):
            return "is not in sequence"
        case model.Field() if fixed_number(node) is None:
            return f"is a {node.type.word}, not a number of a fixed size"
        case model.Field() | model.BitField() | model.Bits() | model.Padding() | model.Choice():
            return None
        case model.Section() | model.Slot() | model.Ordered():
            return None


def _walk(
    nodes: Iterable[model.Node], owner: model.Framed, before: str | None, known: Container[str]
) -> Iterator[_Reached]:
    """The nodes of a record and their contents, including those that a message has in its sections."""
    for node in nodes:
        for each in (node, *(node.named if isinstance(node, model.Bits) else ())):
            yield _Reached(each, before, is_alternative=False)
        inner = model.children(node)
        if isinstance(node, model.Slot) and isinstance(owner, model.Message):
            inner = owner.sections.get(node.name, ())
        for reached in _walk(inner, owner, before, known):
            yield reached._replace(is_alternative=reached.is_alternative or isinstance(node, model.Choice))
        space, is_known = model.space((node,)), getattr(node, "name", None) in known
        if before is None and space.least != space.most and not is_known and not _aligns(node):
            before = _called(node)


def _aligns(node: model.Node) -> bool:
    """Whether its size follows from its place."""
    return isinstance(node, model.Padding) and node.align > 1


def _called(node: model.Node) -> str:
    match node:
        case model.Field(name=name) | model.Computed(name=name) | model.Section(name=name) | model.Slot(name=name):
            return repr(name)
        case model.Bits():
            return repr(node.named[0].name)
        case model.Padding():
            return "padding"
        case model.Choice():
            return "a choice"
        case model.Ordered():
            return next(map(_called, node.nodes), "a section")
