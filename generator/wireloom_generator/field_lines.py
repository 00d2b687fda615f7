"""Where the fields of a message are in its spec, by the paths that the runtime has for them.

A path leads from the record through sections, structs and lists to a field. That of a column may begin with the name of
its message, and leave sections out.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from wireloom_generator import types
from wireloom_generator.model import (
    BitField,
    Bits,
    Computed,
    Field,
    Message,
    Node,
    Padding,
    Protocol,
    Record,
    Section,
    Slot,
    children,
)
from wireloom_generator.problems import Location

_InSequence = Field | Computed | BitField | Section | Slot


class FieldLine(NamedTuple):
    """The place of a field in its spec, its name, its type, and its description. Of a section or a message, name and
    type are its kind and its name.
    """

    at: Location
    name: str
    type: str
    doc: str


class FieldLines:
    """The places of the fields of a message; without one, of what all records have."""

    def __init__(self, protocol: Protocol, message: Message | None) -> None:
        self.record = protocol.record
        self.message = message
        self.structs = {struct.name: struct.nodes for struct in protocol.structs}

    def of(self, path: Sequence[str]) -> list[FieldLine]:
        """What a path leads to, as far as it leads. Several fields of one name are in alternatives."""
        steps = [step for step in path if step]
        ways = [self._walked([self.record], [self.record.nodes], steps)]
        if self.message is not None and steps[:1] == [self.message.name]:
            own = self._walked([self.message], [tuple(self.message.nodes), self.record.slots], steps[1:])
            is_header = any(steps[0] in _names(each) for each in _beside(self.record.nodes))
            ways.insert(int(is_header), own)
        return min(ways, key=lambda way: way[0])[1]

    def _walked(
        self, found: Sequence[Record | Message | _InSequence], nodes: list[tuple[Node, ...]], steps: Sequence[str]
    ) -> tuple[int, list[FieldLine]]:
        """What steps lead to from some nodes, the first that have it, and how many steps lead nowhere."""
        for place, step in enumerate(steps):
            named = next(filter(None, (self._named(step, each) for each in nodes)), None)
            if named is None and step == "variant" and self.message is not None and self.message.variants:
                return 0, [FieldLine(self.message.where("variants"), "variants", "", "")]
            if named is None:
                return len(steps) - place, list(dict.fromkeys(map(_line, found)))
            found, nodes = named, [tuple(node for each in named for node in self._inside(each))]
        return 0, list(dict.fromkeys(map(_line, found)))

    def _named(self, name: str, nodes: Iterable[Node]) -> list[_InSequence]:
        """What has a name, or a column of that name: of what is in sequence, or else of what is inside of that."""
        beside, seen = list(_beside(nodes)), set[str]()
        while beside:
            found = [each for each in beside if name in _names(each)]
            if found:
                return found
            beside = list(_beside([node for each in beside for node in self._inside(each, seen)]))
        return []

    def _inside(self, found: _InSequence, seen: set[str] | None = None) -> Iterator[Node]:
        """The nodes inside of something, but for those of a struct that was ``seen``."""
        match found:
            case Section():
                yield from found.nodes
            case Slot() if self.message is not None:
                yield from self.message.sections.get(found.name, ())
                for variant in self.message.variants:
                    yield from variant.sections.get(found.name, ())
            case Field(type=types.Struct(name=name)) if seen is None or name not in seen:
                if seen is not None:
                    seen.add(name)
                yield from self.structs.get(name, ())


def _beside(nodes: Iterable[Node]) -> Iterator[_InSequence]:
    """What is in sequence, also in alternatives."""
    for node in nodes:
        match node:
            case Field() | Computed() | Slot() | Section():
                yield node
            case Bits():
                yield from node.named
            case Padding():
                pass
            case _:
                yield from _beside(children(node))


def _names(found: _InSequence) -> Iterator[str]:
    """The name of something, and those of its columns."""
    yield found.name
    match found:
        case Section() | Slot():
            through = found.through if isinstance(found, Section) else None
            yield from filter(None, (found.trailing, through and through.raw))
        case _:
            yield from (column.name for column in found.columns)


def _line(found: Record | Message | _InSequence) -> FieldLine:
    return FieldLine(found.at, *_called(found), found.doc.text)


def _called(found: Record | Message | _InSequence) -> tuple[str, str]:
    """The name and the type."""
    match found:
        case Record():
            return "record", ""
        case Message():
            return "message", found.name
        case Section() | Slot():
            return "section", found.name
        case Computed():
            return found.name, "computed"
        case Field(repeat=repeat) if repeat is not None:
            return found.name, f"list of {found.type.word}"
    return found.name, found.type.word
