"""ksy/<protocol>.ksy: the protocol for Kaitai Struct, whose compiler writes parsers in other languages of it.

What it cannot say is bytes there, with a comment, or its message is left out. It checks less: checksums and derived
values are read. The output is only made if ``ksy`` is named.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import cast

from wireloom_generator import expressions, model, spec_text
from wireloom_generator.emitters import Emitter, Subject
from wireloom_generator.expressions import Expr, Value
from wireloom_generator.kaitai.layout import NodeWriter
from wireloom_generator.kaitai.names import (
    KsyContext,
    KsyEnums,
    KsyKeys,
    KsyScope,
    KsyType,
    KsyValue,
    NoKsyError,
    documented,
    usable,
)
from wireloom_generator.kaitai.printing import KsyPrinter
from wireloom_generator.kaitai.values import ValueTypes
from wireloom_generator.model import matching
from wireloom_generator.naming import column_like, snake_case
from wireloom_generator.output import OutputFile, head
from wireloom_generator.spec_text import YamlValue

_PARAMETERS = {"bool": "bool", "text": "str", "bytes": "bytes"}
"""The types of parameters in Kaitai Struct; others are numbers."""


class _AgainError(Exception):
    """A type cannot be said, and others may have it already."""


class KsyFile:
    """The file of a protocol."""

    def __init__(self, protocol: model.Protocol, plain: set[str], unsaid: dict[str, str]) -> None:
        self.protocol = protocol
        self.main = KsyType(protocol.name, prefix="_root.")
        self.orders = Counter(_orders(protocol))
        names = {each.name: usable(snake_case(each.name), "enum") for each in protocol.enums}
        values = {each.name: _value_names(names[each.name], each) for each in protocol.enums}
        parameters = {each.name: self._parameter(each) for each in protocol.parameters}
        self.around = KsyContext(
            KsyScope(self.main), parameters, KsyEnums(names, values, plain),
            is_whole=not isinstance(protocol.record.end, model.Terminator | model.BetweenFlags),
        )  # fmt: skip
        self.flags: Mapping[str, model.Flags] = {each.name: each for each in protocol.flags}
        self.values = ValueTypes(self._endian)
        self.home = self.main
        self.taken: set[str] = {protocol.name, *names.values()}
        self.structs: dict[tuple[str, model.Order], tuple[KsyScope, tuple[str, ...]]] = {}
        self.unsaid = unsaid
        self.lost: dict[str, list[str]] = {}
        self.refused: dict[str, str] = {}
        self.of_messages: KsyKeys = {}
        """An enum of messages, if they are told apart by more than one value."""
        self.text = ""

    @property
    def _endian(self) -> model.Order:
        if self.protocol.byte_order or self.protocol.little is not None:
            return model.Order.PARAMETER
        little = self.orders[model.Order.LITTLE] > self.orders[model.Order.BIG]
        return model.Order.LITTLE if little else model.Order.BIG

    def _parameter(self, parameter: model.Parameter) -> KsyValue:
        kind = _PARAMETERS.get(parameter.type, "s8")
        self.main.given.append({"id": parameter.name, "type": kind, **documented(parameter.doc)})
        self.main.used.add(parameter.name)
        return KsyValue(self.main, parameter.name, kind)

    # Types

    def inner(self, name: str, above: KsyType) -> str:
        """A name for a type of a section."""
        return self._name(name if name not in self.taken else f"{above.name}_{name}")

    def _name(self, name: str) -> str:
        found, number = name, 2
        while found in self.taken:
            found, number = f"{name}_{number}", number + 1
        self.taken.add(found)
        return found

    def declare(self, made: KsyType, doc: Mapping[str, YamlValue] | None = None) -> None:
        """Write a type into the file."""
        self.home.types[made.name] = {**(doc or {}), **made.keys}

    @contextmanager
    def at_home(self, home: KsyType) -> Iterator[None]:
        """Write types into a type for a while, so that they have its byte order."""
        before, self.home = self.home, home
        known, self.structs = self.structs, {}
        endian, self.values.endian = self.values.endian, model.Order.PARAMETER
        try:
            yield
        finally:
            self.home, self.structs, self.values.endian = before, known, endian

    def fields_of(self, name: str) -> tuple[model.Node, ...]:
        """The nodes of a type of the spec."""
        return next(each.nodes for each in self.protocol.structs if each.name == name)

    def struct(self, name: str, order: model.Order, given: Mapping[str, KsyValue]) -> tuple[KsyScope, tuple[str, ...]]:
        """What a type of the spec is in the file, and which inputs it needs. Raises ``NoKsyError``."""
        said = next(each for each in self.protocol.structs if each.name == name)
        name = said.level_of or name
        if name in self.unsaid:
            raise NoKsyError(self.unsaid[name])
        if (name, order) not in self.structs:
            try:
                self._struct(name, said, order, given)
            except NoKsyError as error:
                self.unsaid[name] = str(error)
                if said.level_of is not None:
                    raise _AgainError from error  # since types in it may have it
                raise
        return self.structs[name, order]

    def _struct(self, name: str, said: model.Struct, order: model.Order, given: Mapping[str, KsyValue]) -> None:
        made = KsyType(self._name(usable(snake_case(name), "type")))
        scope = KsyScope(made)
        needed = tuple(each for each in said.given if each in given and each not in said.late)
        for each in needed:
            known = given[each]
            scope.inputs[each] = KsyValue(made, usable(each), known.given_as, item=known.item, struct=known.struct)
            kind: KsyKeys = {"type": known.given_as} if known.given_as else {}
            made.given.append({"id": usable(each), **kind})
            made.used.add(usable(each))
        self.structs[name, order] = scope, needed
        lost: list[str] = []
        layout = NodeWriter(self, scope, made, order, lost)
        layout.count_names(said.nodes)
        layout.add(said.nodes)
        self.declare(made, documented(said.doc))
        if lost:
            self.lost[name] = lost

    # The record and its messages

    def write(self) -> None:
        """Write the text of the file."""
        protocol, record = self.protocol, self.protocol.record
        order = model.Order.PARAMETER if self._endian is model.Order.PARAMETER else self._endian
        lost: list[str] = []
        layout = NodeWriter(self, self.around.header, self.main, order, lost)
        layout.count_names(record.nodes)
        slots: list[tuple[model.Slot, KsyKeys]] = []
        self.around.header.place(record.nodes, 0)
        try:
            for node in record.nodes:
                if isinstance(node, model.Slot):
                    keys: KsyKeys = {"id": node.name, **layout.size(node.extent), **documented(node.doc)}
                    layout.measure(node.name, node.extent)
                    self.main.used.add(node.name)
                    self.main.fields.append(keys)
                    slots.append((node, keys))
                else:
                    layout.add((node,))
            self._messages(slots, order)
        except NoKsyError as error:
            self.refused = dict.fromkeys((each.name for each in protocol.messages), str(error))
            self.main.fields, self.main.instances = [{"id": "record", "size-eos": True}], {}
            self.main.types, self.values.declared = {}, {}
        if lost:
            self.lost["the record"] = lost
        self.text = self._text()

    def _messages(self, slots: Sequence[tuple[model.Slot, KsyKeys]], order: model.Order) -> None:
        """Write each message into the slots that it fills."""
        cases: dict[str, dict[str, str]] = {slot.name: {} for slot, _ in slots}
        for message in self.protocol.messages:
            types_before, lost = dict(self.main.types), list[str]()
            try:
                for name, made in self._message(message, slots, order, lost).items():
                    cases[name][message.name] = made
            except NoKsyError as error:
                self.refused[message.name] = str(error)
                self.main.types = types_before
            if lost:
                self.lost[message.name] = lost
        told = self._selector([each for each in self.protocol.messages if each.name not in self.refused])
        for slot, keys in slots:
            found = {told[1][message]: name for message, name in cases[slot.name].items()}
            if found and told[0]:
                keys["type"] = {"switch-on": told[0], "cases": found}
            elif found:
                keys["type"] = next(iter(found.values()))

    def _message(
        self, message: model.Message, slots: Sequence[tuple[model.Slot, KsyKeys]], order: model.Order, lost: list[str]
    ) -> Mapping[str, str]:
        """The types of a message, by the slots that they are in."""
        scope = KsyScope(self.main)
        made: dict[str, KsyType] = {}
        filled = {slot.name: self._nodes(message, slot.name) for slot, _ in slots}
        layouts = NodeWriter(self, scope, self.main, order, lost)
        for nodes, alternatives in filled.values():
            layouts.count_names(nodes)
            for each in alternatives:
                layouts.count_names(each.nodes)
        for slot, _ in slots:
            nodes, alternatives = filled[slot.name]
            trailing = slot.trailing if slot.name in message.trailing else None
            is_bare = not nodes and not alternatives and trailing is None
            if is_bare and not any(each.sections.get(slot.name) for each in self.protocol.messages if not each.match):
                continue  # and no other type is there instead
            name = self._name(message.name if not made else f"{message.name}_{slot.name}")
            here = made[slot.name] = KsyType(name, prefix=f"_root.{slot.name}.as<{name}>.")
            scope.offsets = dict(self.around.header.offsets)
            scope.place(nodes, self.around.header.offsets.get(slot.name))
            layout = NodeWriter(self, scope, here, order, lost, layouts.often)
            layout.fill(nodes, None)
            layout.is_scattered = any(map(layouts.owns_elsewhere, (nodes, *(each.nodes for each in alternatives))))
            if slot.name == message.decisive or (alternatives and not message.decisive):
                self._variant(message, layout)
            layout.fill((model.Choice(alternatives, written=message.written),) if alternatives else (), None)
            layout.fill((), trailing)
            self.declare(here, documented(message.doc) if len(made) == 1 else None)
        return {slot: each.name for slot, each in made.items()}

    def _nodes(self, message: model.Message, slot: str) -> tuple[tuple[model.Node, ...], tuple[model.Alternative, ...]]:
        """What a message has in a slot: nodes that all of it has, and those of its variants."""
        nodes = message.sections.get(slot, ())
        alternatives: list[model.Alternative] = []
        for each in message.variants:
            own = each.sections.get(slot, ())
            if each.when is None:
                alternatives.append(model.Otherwise(own))
            else:
                alternatives.append(model.When(each.when, own))
        return nodes, tuple(alternatives) if any(each.nodes for each in alternatives) else ()

    def _variant(self, message: model.Message, layout: NodeWriter) -> None:
        """The name of the variant."""
        text, conditions = "", []
        for each in message.variants:
            if each.when is None:
                text += f"'{each.name}'"
                break
            condition = layout.printer.text(each.when.expression)
            conditions.append(f"({condition})")
            text += f"{condition} ? '{each.name}' : "
        else:
            text += "''"
        if message.variants and "variant" not in layout.here.used:
            layout.here.instances["variant"] = {"value": text}

    def _selector(self, messages: Sequence[model.Message]) -> tuple[str, Mapping[str, str]]:
        """What tells messages apart, and its value for each."""
        if len(self.protocol.messages) == 1 and not self.protocol.messages[0].match:
            return "", {messages[0].name: ""} if messages else {}
        others = {each.name: "_" for each in messages if not each.match}
        text, found = self._told_apart([each for each in messages if each.match])
        return text, {**found, **others}

    def _told_apart(self, messages: Sequence[model.Message]) -> tuple[str, Mapping[str, str]]:
        """What tells messages apart by the values of fields."""
        fields = {name for each in messages for name in each.match}
        printer = KsyPrinter(self.around, self.around.header, self.main)
        lone = next(iter(fields)) if len(fields) == 1 else None
        plain = all(
            len(values) == 1 and type(values[0]) in (int, expressions.Hexadecimal, str)
            for each in messages for values in each.match.values()
        )  # fmt: skip
        if lone is not None and plain:
            name = self.protocol.record.names.resolve(expressions.Name(lone))
            named = {}
            selector = ""
            for each in messages:
                compare = expressions.Compare("==", name, Value(_lone(each.match[lone][0])))
                selector, _, named[each.name] = printer.text(compare).partition(" == ")
            return selector, named
        return self._numbered(messages, printer)

    def _numbered(self, messages: Sequence[model.Message], printer: KsyPrinter) -> tuple[str, Mapping[str, str]]:
        """Messages told apart by an instance, which has the number of each."""
        text = ""
        enum = self._name("message")
        for number, each in enumerate(messages, 1):
            tree: Expr = self.protocol.record.names.resolved(matching.condition(each.match))
            text += f"{printer.text(tree)} ? {number} : "
        self.main.instances["message"] = {"value": f"{text}0", "enum": enum}
        self.of_messages = {enum: cast("KsyKeys", dict(enumerate((usable(each.name) for each in messages), 1)))}
        return "message", {each.name: f"{enum}::{usable(each.name)}" for each in messages}

    # The text

    def _text(self) -> str:
        protocol = self.protocol
        meta: KsyKeys = {"id": protocol.name, "title": protocol.doc.title or protocol.name, "ks-version": 0.11}
        order = self._endian
        if order is not model.Order.PARAMETER:
            meta["endian"] = "le" if order is model.Order.LITTLE else "be"
        elif protocol.byte_order:
            meta["endian"] = {"switch-on": protocol.byte_order, "cases": {"'little'": "le", "'big'": "be"}}
        elif protocol.little is not None:
            printer = KsyPrinter(self.around, self.around.header, self.main)
            text = printer.text(protocol.little.expression)
            meta["endian"] = {"switch-on": text, "cases": {"true": "le", "false": "be"}}
        meta["bit-endian"] = "be"
        self.main.types |= self.values.declared
        document: KsyKeys = {"meta": meta, **documented(protocol.doc), **self.main.keys}
        enums = [each for each in protocol.enums if any(not one.range for one in each.values)]
        if enums or self.of_messages:
            named = {self.around.enums.names[each.name]: self._enum(each) for each in enums}
            document["enums"] = {**self.of_messages, **named}
        lines = list(self._left_out())
        written = spec_text.written(document, head="\n".join(lines))
        return f"{head(protocol.folders)}{written}"

    def _left_out(self) -> Iterator[str]:
        """What readers must know, at the head of the file."""
        yield "A stream is one record, without what is around it: no terminator, flags or escapes."
        if self.refused:
            yield "Left out, so their bytes are read as they are:"
            yield from (f"  {name}: {why}" for name, why in self.refused.items())
        if self.lost:
            yield "Bytes instead of values, or left out:"
            yield from (f"  {name}: {'; '.join(each)}" for name, each in self.lost.items())

    def _enum(self, enum: model.Enum) -> YamlValue:
        names = self.around.enums.values[enum.name]
        found: dict[int, YamlValue] = {}
        for each in enum.values:
            if not each.range and each.first not in found:
                label = each.label if each.label != each.name else ""
                doc = documented(each.doc, label)
                id = names[each.first].rpartition("::")[2]
                found[each.first] = {"id": id, **doc} if doc else id
        return cast("KsyKeys", found)  # the writer takes any single value for a key


def _lone(selector: model.Selector) -> expressions.Literal | bytes:
    assert not isinstance(selector, model.Between)
    return selector


def _value_names(enum: str, declared: model.Enum) -> Mapping[int, str]:
    """The values of an enum, by number."""
    taken: set[str] = set()
    found: dict[int, str] = {}
    for each in declared.values:
        if not each.range and each.first not in found:
            found[each.first] = f"{enum}::{usable(column_like(each.name, taken))}"
    return found


def _orders(protocol: model.Protocol) -> Iterator[model.Order]:
    nodes = (node for listed in protocol.layouts for node in model.walk(listed))
    yield from (node.wire.order for node in nodes if isinstance(node, model.Field | model.Bits) and node.wire.order)


def file_of(protocol: model.Protocol) -> KsyFile:
    """The file of a protocol, written.

    Numbers with names are numbers where expressions calculate with them, which is known when all are written.
    """
    plain: set[str] = set()
    unsaid: dict[str, str] = {}
    while True:
        known = len(plain)
        found = KsyFile(protocol, plain, unsaid)
        try:
            found.write()
        except _AgainError:
            continue
        if len(plain) == known:
            return found


def emit(subject: Subject) -> Iterator[OutputFile]:
    """The file."""
    protocol = subject.protocol
    yield OutputFile(PurePosixPath("ksy", f"{protocol.name}.ksy"), file_of(protocol).text)


EMITTER = Emitter(emit)
