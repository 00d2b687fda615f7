"""The header of captures, and the parameters that it sets."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.expressions import Conditional, parsed
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.resolve import conditions
from wireloom_generator.resolve.columns import columns
from wireloom_generator.resolve.fields import FieldResolving
from wireloom_generator.types import Boolean, Integer, Text
from wireloom_generator.types.signs import SignedBits

NAME = "capture"
"""The name of its message and struct."""


def little(written: syntax.Protocol, names: Names) -> model.Condition | None:
    """The condition for a little-endian protocol, if its byte order is an expression."""
    is_said = isinstance(parsed(written.byte_order), Conditional)
    return conditions.little(written.byte_order, names) if is_said else None


def header(protocol: syntax.Protocol, fields: FieldResolving) -> model.Struct | None:
    """The header of captures; the protocol's byte order applies after the fields that determine it."""
    written = protocol.capture
    if written is None:
        return None
    declared = frozenset(parameter.name for parameter in protocol.parameters)
    names = Names(fields.splicing.declared(written.fields), {}, declared, numbers=fields.numbers)
    order = little(protocol, names)
    known = 0 if order is None else _deciding_order(protocol, written.fields, fields)
    nodes = fields.nodes(written.fields[:known], names)
    behind = fields.nodes(written.fields[known:], names)
    if order is not None and behind:
        behind = (model.Ordered(order, behind, written=protocol),)
    every = (*nodes, *behind)
    return model.Struct(NAME, (), every, columns(every), False, doc=written.doc, written=written)


def _deciding_order(protocol: syntax.Protocol, entries: Sequence[syntax.Entry], fields: FieldResolving) -> int:
    """The number of entries up to the last one that the byte order depends on."""
    tree = parsed(protocol.byte_order)
    asked = {name.steps[0] for name in expressions.names(tree)} if tree is not None else set()
    own = (fields.splicing.declared([entry]) for entry in entries)
    return max((number for number, names in enumerate(own, 1) if not asked.isdisjoint(names)), default=0)


def parameters_of(capture: model.Struct | None) -> Iterator[model.Parameter]:
    """The parameters that it sets for records: its numbers, texts and booleans that are always present."""
    for item in _always(() if capture is None else capture.nodes):
        kind = _type(item)
        if kind is not None:
            yield model.Parameter(item.name, kind, None, doc=item.doc, written=item.written, via=item.via)


def _always(nodes: Iterable[model.Node]) -> Iterator[model.Named]:
    """The nodes that are present in every capture."""
    for node in nodes:
        match node:
            case model.Field() | model.Computed():
                yield node
            case model.Bits(when=None, named=named):
                yield from named
            case model.Section(nodes=inner) | model.Ordered(nodes=inner):
                yield from _always(inner)
            case model.Bits() | model.Padding() | model.Slot() | model.Choice():
                pass
            case _:
                assert_never(node)


def _type(item: model.Named) -> str | None:
    """Its type as a parameter; None if it cannot be one."""
    match item:
        case model.BitField(meaning=None, count=None, type=SignedBits(extended=whole)):
            return whole.word
        case model.BitField(meaning=None, count=None, boolean=boolean, width=width):
            return "bool" if boolean else f"u{max(8, -(-width // 8) * 8)}" if width <= 64 else None
        case model.Field(when=None, repeat=None, optional=False, place=None, meaning=None, raw=None, type=type_):
            pass
        case model.Computed(when=None, meaning=None, type=type_):
            pass
        case model.BitField() | model.Field() | model.Computed():
            return None
        case _:
            assert_never(item)
    return type_.word if isinstance(type_, Integer | Boolean | Text) else None
