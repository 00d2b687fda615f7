"""A protocol's errata, numbered in the order of its pages, each with its place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, chain

from wireloom_generator import model
from wireloom_generator.emitters.docs.markdown import code, phrase, prose
from wireloom_generator.emitters.docs.names import INDEX, Meanings, page_of


@dataclass(frozen=True, slots=True)
class Erratum:
    """An error in a document. ``place`` says where it is; ``page`` is the page that shows it first."""

    number: int
    place: str
    page: str
    text: str

    @property
    def anchor(self) -> str:
        """The name of its place on a page."""
        return f"erratum-{self.number}"

    @property
    def here(self) -> str:
        """Its place as its own page shows it, without the message's name."""
        return re.sub(r"^message `\w+`(, )?", "", self.place) or "the message"


class Errata:
    """All errata of a protocol."""

    def __init__(self, protocol: model.Protocol) -> None:
        found = ((place, page, text) for place, page, doc in _documented(protocol) for text in doc.errata)
        self.all = tuple(Erratum(number, *erratum) for number, erratum in enumerate(found, 1))
        self._within: dict[str, list[Erratum]] = {}
        for erratum in self.all:
            for place in accumulate(erratum.place.split(", "), "{}, {}".format):
                self._within.setdefault(place, []).append(erratum)

    def at(self, place: str, doc: model.Doc) -> tuple[Erratum, ...]:
        found = self._within.get(place, ())
        return tuple(erratum for erratum in found if erratum.place == place and erratum.text in doc.errata)

    def within(self, *places: str) -> tuple[Erratum, ...]:
        """The errata of things and of their parts."""
        found = {erratum.number: erratum for place in places for erratum in self._within.get(place, ())}
        return tuple(found[number] for number in sorted(found))


def links(errata: Iterable[Erratum]) -> str:
    """``Errata 3, 4`` with links to them on the same page."""
    found = [f"[{erratum.number}](#{erratum.anchor})" for erratum in errata]
    return f"**{'Erratum' if len(found) == 1 else 'Errata'} {', '.join(found)}**" if found else ""


def markdown(erratum: Erratum) -> str:
    return prose(erratum.text)


def library_place(library: model.Doc) -> str:
    """The place of a library that the protocol imports."""
    return f"library {phrase(library.title)}"


def declared_place(kind: str, name: str) -> str:
    """The place of a type, a table, an enum or flags."""
    return f"{kind} {code(name)}"


def message_place(message: model.Message, variant: model.Variant | None = None) -> str:
    place = f"message {code(message.name)}"
    return f"{place}, variant {code(variant.name)}" if variant else place


def member_place(place: str, kind: str, name: str) -> str:
    """The place of a part of something: a value, a field, an example."""
    return f"{place}, {kind} {code(name)}"


RECORD = "record"
PROTOCOL = "protocol"


_PlacedDoc = tuple[str, str, model.Doc]
"""The place of something, its page and its description."""


def _documented(protocol: model.Protocol) -> Iterator[_PlacedDoc]:
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for place, page, doc in (*_record(protocol), *_declared(protocol), *_messages(protocol)):
        if (place, doc.errata) not in seen:
            seen.add((place, doc.errata))
            yield place, page, doc


def _record(protocol: model.Protocol) -> Iterator[_PlacedDoc]:
    yield PROTOCOL, INDEX, protocol.doc
    for library in protocol.libraries:
        yield library_place(library), INDEX, library
    yield RECORD, INDEX, protocol.record.doc
    for name, doc in protocol.included.items():
        yield declared_place("type", name), INDEX, doc
    yield from _nodes(protocol.record.nodes, RECORD, INDEX)
    for parameter in protocol.parameters:
        yield declared_place("parameter", parameter.name), INDEX, parameter.doc


def _declared(protocol: model.Protocol) -> Iterator[_PlacedDoc]:
    homes = Meanings(protocol).homes
    for kind, part, declared in (("enum", "value", protocol.enums), ("flags", "flag", protocol.flags)):
        for numbers in declared:
            place, page = declared_place(kind, numbers.name), homes[kind, numbers.name]
            yield place, page, numbers.doc
            yield from ((member_place(place, part, value.label), page, value.doc) for value in numbers.values)
    for struct in protocol.structs:
        place, page = declared_place("type", struct.name), homes["type", struct.name]
        yield place, page, struct.doc
        yield from _nodes(struct.nodes, place, page)
    for table in protocol.tables:
        place, page = declared_place("table", table.name), homes["table", table.name]
        yield place, page, table.doc
        yield from ((member_place(place, "field", field.name), page, field.doc) for field in table.fields)


def _messages(protocol: model.Protocol) -> Iterator[_PlacedDoc]:
    for message in protocol.messages:
        place, page = message_place(message), page_of(message)
        yield place, page, message.doc
        yield from _nodes(chain.from_iterable(message.sections.values()), place, page)
        for variant in message.variants:
            yield message_place(message, variant), page, variant.doc
            nodes = chain.from_iterable(variant.sections.values())
            yield from _nodes(nodes, message_place(message, variant), page)
        for form in message.forms:
            form_place = member_place(place, "form", form.name)
            yield form_place, page, form.doc
            yield from ((member_place(form_place, "key", entry.key), page, entry.doc) for entry in form.entries)
        for example in message.examples:
            yield member_place(place, "example", example.name), page, example.doc


def _nodes(nodes: Iterable[model.Node], place: str, page: str) -> Iterator[_PlacedDoc]:
    for node in model.walk(nodes):
        if isinstance(node, model.Named | model.Region):
            kind = "field" if isinstance(node, model.Named) else "section"
            yield member_place(place, kind, node.name), page, node.doc
