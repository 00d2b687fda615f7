"""Named numbers and bits, shared structs and tables, by name and as rows of tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from wireloom_generator import model
from wireloom_generator.emitters.docs.facts import Facts, RecordNodes
from wireloom_generator.emitters.docs.markdown import code, listing, number
from wireloom_generator.expressions import Hexadecimal, Origin
from wireloom_generator.model import matching
from wireloom_generator.types import FlatBuffers, Struct

INDEX = "index.md"
Reference = tuple[str, str]
"""A shared name: its kind, which is ``type``, ``table``, ``enum`` or ``flags``, and the name."""


def page_of(message: model.Message) -> str:
    return f"{message.name}.md"


class Meanings:
    """The meanings of names in a protocol's fields, or in its captures' preamble, which ``homes`` has then."""

    def __init__(self, protocol: model.Protocol, homes: Mapping[Reference, str] | None = None) -> None:
        self.protocol = protocol
        if homes is not None:
            self.homes = homes
        self.enums = {enum.name: enum for enum in protocol.enums}
        self.flags = {flags.name: flags for flags in protocol.flags}
        self.structs = {shared.name: shared for shared in protocol.structs}
        self.tables = {table.name: table for table in protocol.tables}

    @cached_property
    def record_nodes(self) -> RecordNodes:
        return RecordNodes(self.protocol)

    @cached_property
    def header(self) -> Mapping[str, model.Field]:
        """The record's own fields, the first of each name."""
        found: dict[str, model.Field] = {}
        for field in fields(self.protocol.record.nodes):
            found.setdefault(field.name, field)
        return found

    @cached_property
    def order(self) -> model.Order:
        """The protocol's byte order: the parameter, or that of most of its numbers."""
        if self.protocol.byte_order or self.protocol.little is not None:
            return model.Order.PARAMETER
        found = Counter(
            field.wire.order
            for nodes in self.protocol.layouts
            for field in fields(nodes)
            if field.wire.order in (model.Order.BIG, model.Order.LITTLE)
        )
        return max(found, key=lambda order: (found[order], order is model.Order.BIG), default=model.Order.BIG)

    def label(self, enum: str, value: int) -> str | None:
        """The name of a number: an exact one, else that of the narrowest range it is in."""
        matching = [item for item in self.enums[enum].values if item.first <= value <= item.last]
        exact = (item for item in matching if not item.range)
        return next((item.label for item in (*exact, *sorted(matching, key=lambda item: item.last - item.first))), None)

    def bits(self, flags: str, value: int) -> list[str]:
        """The names of the bits that are set."""
        return [flag.label for flag in self.flags[flags].values if value & flag.value]

    def values(self, name: str, values: Iterable[model.Selector], match: model.Match) -> str:
        """Values of a header field with their names, ``0x80 (ClientRequest)``, in records with such a header."""
        enum = self._enum(name, match)
        return listing(self._value(enum, value) for value in values)

    def _value(self, enum: str | None, value: model.Selector) -> str:
        if isinstance(value, model.Between):
            return f"{self._shown(enum, value.least)} to {self._shown(enum, value.most)}"
        if not isinstance(value, int) or isinstance(value, bool):
            return code(matching.shown(value))
        label = self.label(enum, value) if enum else None
        shown = self._shown(enum, value)
        return f"{shown} ({label})" if label else shown

    def _enum(self, name: str, match: model.Match) -> str | None:
        """The enum of a header field, which the match may decide; dots lead into structs."""
        numbers = {
            (Origin.THIS, field): values[0]
            for field, values in match.items()
            if values and isinstance(values[0], int | str)
        }
        nodes, _ = self.record_nodes.narrowed(Facts(numbers))
        return self._named(nodes, name)

    def values_in(self, message: model.Message, name: str, values: Iterable[model.Selector]) -> str:
        """Values of a message's field with their names."""
        enum = self._named(message.nodes, name)
        return listing(self._value(enum, value) for value in values)

    def _named(self, nodes: Iterable[model.Node], name: str) -> str | None:
        """The enum of the field that a name leads to."""
        field = model.field_at(name, nodes, self.structs)
        return field.enum if field is not None else None

    def _shown(self, enum: str | None, value: int) -> str:
        return self.number(enum, value) if enum else str(value)

    def number(self, enum: str, value: int) -> str:
        """A number as its enum's table shows it."""
        return number(value, hexadecimal=self.hexadecimal(enum), width=self._digits[enum])

    def matching(self, match: model.Match, within: model.Match | None = None) -> str:
        """The header values of a selection in words, optionally ``within`` another selection."""
        whole = {**(within or {}), **match}
        return listing((f"{code(name)} is {self.values(name, values, whole)}" for name, values in match.items()), "and")

    def selected(self, message: model.Message) -> str:
        """Which records belong to a message."""
        if message.match:
            return self.matching(message.match)
        return "no other message matches" if message.path is None else "always"

    def hexadecimal(self, enum: str) -> bool:
        """Whether the spec writes an enum's numbers in hexadecimal."""
        return self._digits[enum] > 0

    @cached_property
    def _digits(self) -> Mapping[str, int]:
        """The number of digits of the longest of an enum's hexadecimal numbers."""
        return {name: _digits(enum.values) for name, enum in self.enums.items()}

    def span(self, enum: str, item: model.EnumValue) -> str:
        """The number or range of an enum's value."""
        first = self.number(enum, item.first)
        return f"{first} to {self.number(enum, item.last)}" if item.range and item.last != item.first else first

    @cached_property
    def homes(self) -> Mapping[Reference, str]:
        """The page of each shared name: that of the only message that uses it, else the front page."""
        known: tuple[tuple[str, Iterable[str]], ...]
        known = (("type", self.structs), ("table", self.tables), ("enum", self.enums), ("flags", self.flags))
        pages: dict[Reference, set[str]] = {(kind, name): set() for kind, names in known for name in names}
        preamble = self.protocol.preamble
        for message in (*self.protocol.messages, *(preamble.messages if preamble is not None else ())):
            for reference in self.used(message.nodes):
                pages[reference].add(page_of(message))
        for reference in self.used(self.protocol.record.nodes):
            pages[reference].add(INDEX)
        return {reference: min(found) if len(found) == 1 else INDEX for reference, found in pages.items()}

    def link(self, kind: str, name: str, page: str) -> str:
        """The name as a link from ``page``."""
        home = self.homes[kind, name]
        return f"[{name}]({'' if home == page else home}#{kind}-{name.lower()})"

    def used(self, nodes: Iterable[model.Node]) -> dict[Reference, None]:
        """The names that fields use, directly or in shared structs, in order."""
        found: dict[Reference, None] = {}
        self._use(nodes, found)
        return found

    def _use(self, nodes: Iterable[model.Node], used: dict[Reference, None]) -> None:
        for node in model.walk(nodes):
            match node:
                case model.Field(wire=model.Wire(type=Struct(name=name))) if ("type", name) not in used:
                    used["type", name] = None
                    self._use(self.structs[name].nodes, used)
                case model.Field(wire=model.Wire(type=FlatBuffers(table=table))):
                    used["table", table] = None
            if isinstance(node, model.Named) and node.enum:
                used["enum", node.enum] = None
            if isinstance(node, model.Field) and node.flags:
                used["flags", node.flags] = None


def _digits(values: Iterable[model.EnumValue]) -> int:
    written = [item for item in values if isinstance(item.first, Hexadecimal)]
    exact = [item for item in written if not item.range] or written
    return max((item.first.digits for item in exact if isinstance(item.first, Hexadecimal)), default=0)


def fields(nodes: Iterable[model.Node]) -> Iterator[model.Field]:
    """All fields, including those inside sections, conditions and choices."""
    return (node for node in model.walk(nodes) if isinstance(node, model.Field))
