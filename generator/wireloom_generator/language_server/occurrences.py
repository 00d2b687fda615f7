"""Where a spec declares names, and where it uses them.

Names of types, enums and messages are found by the keys they stand under; those of fields by asking the analysis what
the names of expressions refer to. What one name means in several alternatives is one symbol.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Input, Seen, Visit, every, head, message_scopes
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.analysis.visible import Sight
from wireloom_generator.expressions import Name, walk
from wireloom_generator.language_server.nodes import entry, expressions_in, is_expression, scalars
from wireloom_generator.language_server.places import FileRange, TextRange, inside
from wireloom_generator.language_server.scopes import meant, numbers_of
from wireloom_generator.language_server.workspace import Checked
from wireloom_generator.problems import Location
from wireloom_generator.reading import shape, syntax
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar
from wireloom_generator.types import Struct


class SymbolKind(StrEnum):
    """What a name names."""

    TYPE = "type"
    ENUM = "enum"
    VALUE = "value"
    TABLE = "table"
    FIELD = "field"
    SECTION = "section"
    PARAMETER = "parameter"
    INPUT = "input"
    MESSAGE = "message"
    VARIANT = "variant"


_DECLARING: Mapping[type, tuple[str, SymbolKind]] = {
    syntax.Struct: ("name", SymbolKind.TYPE),
    syntax.Enum: ("name", SymbolKind.ENUM),
    syntax.Flags: ("name", SymbolKind.ENUM),
    syntax.EnumValue: ("name", SymbolKind.VALUE),
    syntax.Flag: ("name", SymbolKind.VALUE),
    syntax.Table: ("name", SymbolKind.TABLE),
    syntax.Field: ("name", SymbolKind.FIELD),
    syntax.BitField: ("name", SymbolKind.FIELD),
    syntax.Bits: ("name", SymbolKind.FIELD),
    syntax.Bitmap: ("name", SymbolKind.FIELD),
    syntax.Section: ("section", SymbolKind.SECTION),
    syntax.Parameter: ("name", SymbolKind.PARAMETER),
    syntax.Message: ("message", SymbolKind.MESSAGE),
    syntax.Variant: ("name", SymbolKind.VARIANT),
}
"""The key under which each kind of mapping has its name."""
_TIMES = (syntax.Calendar, syntax.Ntp, syntax.Gps)
"""Kinds of mappings whose values are names of fields."""
_TRANSFORMS = ("through", "unescape")
"""Keys whose words may be chosen by an expression."""
_MEMBER = re.compile(r"\b(?P<enum>[A-Z]\w*)\.(?P<value>\w+)")
_EnumOrFlags = model.Enum | model.Flags


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name, and its declaration."""

    kind: SymbolKind
    name: str
    at: Location


@dataclass(eq=False)
class Occurrences:
    """The names of one protocol: their declarations by place, and everything that refers to them."""

    checked: Checked
    symbols: dict[Location, Symbol] = field(default_factory=dict)
    places: dict[FileRange, Location] = field(default_factory=dict)
    _same: dict[Location, Location] = field(default_factory=dict)

    def symbol(self, place: FileRange) -> Symbol | None:
        """What a place names."""
        at = self.places.get(place)
        return None if at is None else self.symbols.get(self._first(at))

    def at(self, path: object, line: int, column: int) -> tuple[FileRange, Symbol] | None:
        """The name at a cursor, and what it names."""
        for place in self.places:
            if place.path == path and place.span.has(line, column) and (found := self.symbol(place)) is not None:
                return place, found
        return None

    def of(self, symbol: Symbol) -> list[FileRange]:
        """Every place that names the symbol, its declarations included."""
        return sorted(place for place, at in self.places.items() if self._first(at) == symbol.at)

    def declarations(self, symbol: Symbol) -> list[FileRange]:
        return [place for place in self.of(symbol) if self.places[place] == _location(place)]

    def declare(self, kind: SymbolKind, node: YamlScalar) -> None:
        span = _span(node)
        if span is not None:
            at = _location(FileRange(node.at.path, span))
            self.symbols.setdefault(at, Symbol(kind, node.text, at))
            self.places[FileRange(node.at.path, span)] = at

    def refer(self, place: FileRange, found: Iterable[Location | None]) -> None:
        """Note that a place names what is declared at these locations, which is one symbol then."""
        known = [at for each in found if each is not None and (at := _start(each)) in self.symbols]
        for one, other in pairwise(known):
            first, second = sorted((self._first(one), self._first(other)))
            if first != second:
                self._same[second] = first
        if known:
            self.places.setdefault(place, known[0])

    def _first(self, at: Location) -> Location:
        while at in self._same:
            at = self._same[at]
        return at


@lru_cache(maxsize=16)
def occurrences(checked: Checked) -> Occurrences:
    """The names of a protocol."""
    found = Occurrences(checked)
    finder = _Finder(checked, found)
    for kind, node in finder.mappings:
        if kind in _DECLARING:
            key, what = _DECLARING[kind]
            name = entry(node, key)
            is_shared = kind is syntax.Variant and entry(node, "shared") is not None
            if isinstance(name, YamlScalar) and not is_shared:
                found.declare(what, name)
        if kind is syntax.Struct:
            for name in scalars(entry(node, "given")):
                found.declare(SymbolKind.INPUT, name)
    for kind, node in finder.mappings:
        finder.by_keys(kind, node)
    finder.of_records()
    for site in sites(checked.model):
        finder.expression(site)
    return found


class _Finder:
    def __init__(self, checked: Checked, found: Occurrences) -> None:
        self.checked = checked
        self.model = checked.model
        self.documents = checked.documents
        self.found = found
        self.mappings = [each for document in checked.documents.values() for each in document.kinds]
        self.numbered: dict[str, model.Enum | model.Flags] = {**self.model.enums, **self.model.flags}
        self.texts: dict[Location, str] = {}
        """Expressions by place, as they are written."""

    @cached_property
    def by_place(self) -> dict[Location, YamlMapping]:
        return {node.at: node for _, node in self.mappings}

    @cached_property
    def messages(self) -> dict[str, Location]:
        return {message.name: message.where("message") for message in self.model.messages}

    @cached_property
    def inputs(self) -> dict[Input, Location]:
        """Where types declare what they are given."""
        return {
            Input(struct.text, name.text): name.at
            for kind, node in self.mappings
            if kind is syntax.Struct and isinstance(struct := entry(node, "name"), YamlScalar)
            for name in scalars(entry(node, "given"))
        }

    @cached_property
    def variants(self) -> dict[str, Location]:
        return {each.name: each.where("name") for part in self.model.shared for each in part.variants}

    def named(self, node: YamlNode | None, *at: Location | None) -> None:
        """Note that a name refers to something."""
        if isinstance(node, YamlScalar) and (span := _span(node)) is not None:
            self.found.refer(FileRange(node.at.path, span), at)

    def by_keys(self, kind: type, node: YamlMapping) -> None:
        """What keys refer to by themselves."""
        structs, tables = self.model.structs, self.model.tables
        known = shape.keys(kind)
        for key, value in node.entries:
            if kind in _TIMES or key.text in _TRANSFORMS or (key.text in known and is_expression(known[key.text][1])):
                for text in expressions_in(value):
                    self.texts[text.at] = text.text
                    self.members(text)
        for word in ("type", "include"):
            if isinstance(name := entry(node, word), YamlScalar) and name.text in structs:
                self.named(name, structs[name.text].where("name"))
                passed = entry(node, "with")
                for each, _ in passed.entries if isinstance(passed, YamlMapping) else ():
                    self.named(each, self.inputs.get(Input(name.text, each.text)))
        for word in ("enum", "flags"):
            if isinstance(name := entry(node, word), YamlScalar) and name.text in self.numbered:
                self.named(name, self.numbered[name.text].where("name"))
        if isinstance(name := entry(node, "table"), YamlScalar) and name.text in tables:
            self.named(name, tables[name.text].where("name"))
        if kind is syntax.Protocol:
            for name in scalars(entry(node, "messages")):
                self.named(name, self.messages.get(name.text))
        elif kind is syntax.FoundInCapture or kind is syntax.Answers:
            for name in (*scalars(entry(node, "message")), *scalars(entry(node, "to"))):
                self.named(name, self.messages.get(name.text))
        elif kind is syntax.Variant and entry(node, "shared") is not None:
            name = entry(node, "name")
            self.named(name, self.variants.get(name.text) if isinstance(name, YamlScalar) else None)
        elif kind is syntax.Enum and isinstance(name := entry(node, "name"), YamlScalar):
            groups = entry(node, "groups")
            for _, members in groups.entries if isinstance(groups, YamlMapping) else ():
                for member in scalars(members):
                    self.value(member, self.numbered.get(name.text))

    def members(self, node: YamlScalar) -> None:
        """Values of enums in an expression."""
        for found in _MEMBER.finditer(node.text):
            numbers = self.numbered.get(found["enum"])
            if numbers is not None:
                members = [value.where("name") for value in numbers.values if value.name == found["value"]]
                self.part(node, found.span("enum"), [numbers.where("name")])
                self.part(node, found.span("value"), members)

    def part(self, node: YamlScalar, part: tuple[int, int], at: list[Location]) -> None:
        """Note that a part of a text refers to something."""
        first, end = part
        span = inside(self.documents[node.at.path].lines, node.at, node.text, first, end - first)
        if span is not None:
            self.found.refer(FileRange(node.at.path, span), at)

    def value(self, node: YamlScalar, numbers: _EnumOrFlags | None) -> None:
        """The name of a value of an enum or flags."""
        if numbers is not None:
            self.named(node, *(value.where("name") for value in numbers.values if value.name == node.text))

    def of_records(self) -> None:
        """What messages and alternatives say of fields by name."""
        header = Sight(self.model, head(self.model), {}).named
        slots = {slot.name: slot.where("section") for slot in self.model.record.slots}
        for message, scope in message_scopes(self.model):
            names = Sight(self.model, scope, {}).named
            self.matched(self.by_place.get(message.at), "match", header)
            self.keys(self.by_place.get(message.at), "derive", header)
            self.filled(self.by_place.get(message.at), slots)
            for variant in message.variants:
                self.filled(self.by_place.get(variant.at), slots)
            answers = message.answers
            if answers is not None:
                for name in scalars(entry(self.by_place.get(answers.at), "by")):
                    self.named(name, *self.places(names.get(name.text, ())))
                self.matched(self.by_place.get(answers.at), "quiet", header)
            proof = entry(self.by_place.get(message.at), "proof")
            self.named(entry(proof, "checksum"), *self._texts(entry(proof, "checksum"), {**header, **names}))
            self.written(message, names)
        proof = entry(self.by_place.get(self.model.record.at), "proof")
        self.named(entry(proof, "checksum"), *self._texts(entry(proof, "checksum"), header))
        for scope in every(self.model):
            names = Sight(self.model, scope, {}).named
            for visit in scope.visits:
                for alternative in visit.item.alternatives if isinstance(visit.item, model.Choice) else ():
                    self.matched(self.by_place.get(alternative.at), "match", names)

    def written(self, message: model.Message, names: Mapping[str, tuple[Seen, ...]]) -> None:
        """What worked examples, forms and parameters say of a message."""
        variants = {variant.name: variant.where("name") for variant in message.variants}
        for example in message.examples:
            node = self.by_place.get(example.at)
            self.decoded(entry(node, "decoded"), self._columns(message))
            self.keys(node, "parameters", {name: (each,) for name, each in self.model.parameters.items()})
            for name in scalars(entry(entry(node, "decoded"), "variant")):
                self.named(name, variants.get(name.text))
        for part in message.forms:
            for each in part.entries:
                for path in scalars(entry(self.by_place.get(each.at), "field")):
                    self.path(path, names)
        for parameter in self.model.protocol.parameters:
            if parameter.found is not None and parameter.found.message == message.name:
                self.matched(self.by_place.get(parameter.found.at), "has", names)
        for name in scalars(entry(self.by_place.get(message.answers.at), "more") if message.answers else None):
            self.named(name, variants.get(name.text))

    def places(self, found: Iterable[Seen]) -> list[Location]:
        """Where these are declared."""
        return [
            each.at if isinstance(each, Visit) else self.inputs[each] if isinstance(each, Input) else each.where("name")
            for each in found
            if not isinstance(each, Input) or each in self.inputs
        ]

    def _texts(self, node: YamlNode | None, names: Mapping[str, tuple[Seen, ...]]) -> list[Location]:
        return self.places(names.get(node.text, ())) if isinstance(node, YamlScalar) else []

    def filled(self, node: YamlMapping | None, slots: Mapping[str, Location]) -> None:
        """The sections of the record that a message or variant fills."""
        inner = entry(node, "sections")
        for name, _ in inner.entries if isinstance(inner, YamlMapping) else ():
            self.named(name, slots.get(name.text))

    def keys(self, node: YamlMapping | None, key: str, names: Mapping[str, tuple[Seen, ...]]) -> None:
        """Keys that are names, or lead into structs."""
        inner = entry(node, key)
        for name, _ in inner.entries if isinstance(inner, YamlMapping) else ():
            self.path(name, names)

    def path(self, node: YamlScalar, names: Mapping[str, tuple[Seen, ...]]) -> None:
        """A name that may lead into structs."""
        end = -1
        for step in node.text.split("."):
            first, end = end + 1, end + 1 + len(step)
            self.part(node, (first, end), self.places(meant(self.checked, names, node.text[:end])))

    def matched(self, node: YamlMapping | None, key: str, names: Mapping[str, tuple[Seen, ...]]) -> None:
        """Fields, and values of their enums, that select something."""
        self.keys(node, key, names)
        inner = entry(node, key)
        for name, values in inner.entries if isinstance(inner, YamlMapping) else ():
            for numbers in numbers_of(self.checked, meant(self.checked, names, name.text)):
                for value in scalars(values):
                    self.value(value, numbers)

    def _columns(self, message: model.Message) -> list[model.Named]:
        nodes = (self.model.record.nodes, *message.layouts)
        return [each for part in nodes for each in model.walk(part) if isinstance(each, model.Named)]

    def decoded(self, node: YamlNode | None, fields: list[model.Named]) -> None:
        """Columns of a worked example. That of labels begins with the name of its field."""
        for item in node.items if isinstance(node, YamlList) else ():
            self.decoded(item, fields)
        for key, value in node.entries if isinstance(node, YamlMapping) else ():
            having = [each for each in fields if any(column.name == key.text for column in each.columns)]
            span = _span(key)
            if having and span is not None and all(key.text.startswith(each.name) for each in having):
                span = span._replace(end=span.start + len(having[0].name))
                self.found.refer(FileRange(key.at.path, span), [each.where("name") for each in having])
            for each in having:
                if key.text != each.name:
                    numbers = self.numbered.get(getattr(each, "enum", None) or getattr(each, "flags", None) or "")
                    for label in scalars(value):
                        self.value(label, numbers)
                elif isinstance(each.type, Struct) and each.type.name in self.model.structs:
                    inner = model.walk(self.model.structs[each.type.name].nodes)
                    self.decoded(value, [field for field in inner if isinstance(field, model.Named)])

    def expression(self, site: Site) -> None:
        """The names of an expression: fields, parameters, and values of enums."""
        if not site.condition.is_written or site.tree is None or site.at.path not in self.documents:
            return
        text = self.texts.get(site.at, "").strip()
        for each in walk(site.tree):
            if isinstance(each, Name):
                self.name(site, each, text)

    def name(self, site: Site, name: Name, text: str) -> None:
        """The steps of a name, each with what it means behind those before it."""
        offset = len(text.encode()[: name.column].decode(errors="ignore"))
        steps: list[tuple[str, str]] = [(".".join(name.steps[: at + 1]), step) for at, step in enumerate(name.steps)]
        inner = name.item.inner if name.item is not None else ()
        for at, step in enumerate(inner):
            path = name.name.rsplit(".", len(inner) - at - 1)[0] if at + 1 < len(inner) else name.name
            steps.append((path, step))
        for path, step in steps:
            begin = text.find(step, offset)
            if begin < 0:
                return
            offset = begin + len(step)
            seen = site.values.get(path) or site.around.get(path) or site.regions.get(path) or ()
            lines = self.documents[site.at.path].lines
            span = inside(lines, site.at, text, begin, len(step))
            if span is not None:
                self.found.refer(FileRange(site.at.path, span), self.places(seen))


def _span(node: YamlScalar) -> TextRange | None:
    """Where a name is, without quotes around it."""
    if node.at.verbatim is None:
        return None
    start = node.at.column - 1 + node.at.verbatim
    return TextRange(node.at.line - 1, start, start + len(node.text))


def _start(at: Location) -> Location:
    """A location as the place of a name has it, behind a quote."""
    return Location(at.path, at.line, at.column + (at.verbatim or 0))


def _location(place: FileRange) -> Location:
    return Location(place.path, place.span.line + 1, place.span.start + 1)
