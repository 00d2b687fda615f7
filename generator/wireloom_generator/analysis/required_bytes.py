"""The bytes that fields must have because of ``const``, a ``valid`` with one possible value, or ``match``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.expressions import Compare, Literal, Name, Value
from wireloom_generator.expressions.comparisons import conjuncts
from wireloom_generator.model import Order
from wireloom_generator.types import Boolean, Bytes, Integer, Text

_ENOUGH = 4096
"""Padding is cut to this length, since no terminator is as long."""

OnlyValues = Mapping[str, object]
Filling = Mapping[str, tuple[model.Node, ...]]


@dataclass(frozen=True, slots=True)
class ConstantBytes:
    """Consecutive constant bytes that every record has, and the node of each byte."""

    octets: bytes
    nodes: tuple[model.Node, ...]
    ends: bool = False
    """Whether they are the last ones, followed by a terminator."""

    def first(self, terminator: bytes) -> model.Node | None:
        """The node with the first byte of a terminator among these bytes; None if they do not contain it."""
        at = (self.octets + (terminator if self.ends else b"")).find(terminator)
        return self.nodes[at] if 0 <= at < len(self.octets) else None


def value(field: model.Field, match: OnlyValues) -> Literal | bytes | None:
    """The only value that a field can have if it is present; None if unknown."""
    if field.repeat is not None or field.meaning is not None:
        return None
    if field.const is not None:
        return field.const
    if (selected := match.get(field.name)) is not None and isinstance(selected, bool | int | str | bytes):
        return selected
    tree = field.valid.tree if field.valid is not None else None
    for part in conjuncts(tree) if tree is not None else ():
        match part:
            case Compare("==", Name(name=name), Value(bool() | int() | str() | bytes() as found)) if name == field.name:
                return found
    return None


def octets(field: model.Field, found: Literal | bytes) -> bytes | None:
    """The bytes of a value without its prefix or terminator; None if it has no encoding, or several."""
    match field.type, found:
        case Integer(bits=bits, signed=signed), int():
            fits = -(1 << bits - 1) * signed <= found < 1 << bits - signed
            if not fits or field.wire.order is Order.PARAMETER:
                return None
            return (field.wire.order or Order.BIG).octets(found, bits // 8, signed=signed)
        case Boolean(), bool():
            return bytes([found])
        case Bytes(), bytes():
            return found
        case Text() as text, str():
            try:
                return text.octets(found)
            except (LookupError, ValueError):
                return None
    return None


def runs(nodes: Iterable[model.Node], sections: Filling, match: OnlyValues) -> Iterator[ConstantBytes]:
    """The runs of bytes common to all records, in order. ``sections`` are the contents that messages give to some."""
    octets_, of = b"", list[model.Node]()
    for node, found in _pieces(nodes, sections, match):
        if found is None:
            yield ConstantBytes(octets_, tuple(of))
            octets_, of = b"", []
        else:
            octets_ += found
            of += [node] * len(found)
    yield ConstantBytes(octets_, tuple(of), ends=True)


def _pieces(
    nodes: Iterable[model.Node], sections: Filling, match: OnlyValues
) -> Iterator[tuple[model.Node, bytes | None]]:
    """The bytes of each node; None for those that are not known."""
    for node in nodes:
        match node:
            case model.Section(through=model.Through()):
                yield node, None
            case model.Section() | model.Slot():
                inner = sections.get(node.name) if isinstance(node, model.Slot) else node.nodes
                yield from _pieces(inner or (), {}, match)
                if inner is None or not isinstance(node.extent, model.Rest) or node.trailing is not None:
                    yield node, None
            case model.Computed():
                pass
            case model.Padding(fixed=int() as size):
                yield node, bytes(min(size, _ENOUGH))
            case model.Field() if not (node.when or node.optional or node.place or node.through):
                yield from ((node, known) for known in _field(node, match))
            case model.Field() | model.Bits() | model.Padding() | model.Choice() | model.Ordered():
                yield node, None
            case _:
                assert_never(node)


def _field(field: model.Field, match: OnlyValues) -> Iterator[bytes | None]:
    """The bytes of a field, including those of its extent."""
    found = value(field, match)
    known = None if found is None else octets(field, found)
    extent = field.wire.extent
    if isinstance(extent, model.Prefix):
        yield None
    yield known
    match extent:
        case model.Terminator(value=end, terminator="drop", unterminated=False, others=()):
            yield end
        case model.Terminator() | model.Size(pad=bytes()) | model.Rest():
            yield None
        case model.Size() | model.Prefix() | None:
            pass
        case _:
            assert_never(extent)
