"""A protocol's errata, numbered in the order of its pages, each with its place."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

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
        self.all: tuple[Erratum, ...] = tuple(
            Erratum(number, place, page, text) for number, (place, page, text) in enumerate(_found(protocol), 1)
        )
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


def enum_place(name: str) -> str:
    return f"enum {code(name)}"


def flags_place(name: str) -> str:
    return f"flags {code(name)}"


def type_place(name: str) -> str:
    return f"type {code(name)}"


def table_place(name: str) -> str:
    return f"table {code(name)}"


def message_place(message: model.Message, variant: model.Variant | None = None) -> str:
    place = f"message {code(message.name)}"
    return f"{place}, variant {code(variant.name)}" if variant else place


def member_place(place: str, kind: str, name: str) -> str:
    """The place of a part of something: a value, a field, an example."""
    return f"{place}, {kind} {code(name)}"


RECORD = "record"
PROTOCOL = "protocol"


def _found(protocol: model.Protocol) -> Iterator[tuple[str, str, str]]:
    """(place, page, text) of every erratum."""
    for place, page, doc in _documented(protocol):
        yield from ((place, page, text) for text in doc.errata)


def _documented(protocol: model.Protocol) -> Iterator[tuple[str, str, model.Doc]]:
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for place, page, doc in (*_shared(protocol), *_messages(protocol)):
        if (place, doc.errata) not in seen:
            seen.add((place, doc.errata))
            yield place, page, doc


def _shared(protocol: model.Protocol) -> Iterator[tuple[str, str, model.Doc]]:
    yield PROTOCOL, INDEX, protocol.doc
    for library in protocol.libraries:
        yield library_place(library), INDEX, library
    yield RECORD, INDEX, protocol.record.doc
    for name, doc in protocol.included.items():
        yield type_place(name), INDEX, doc
    for place, doc in _nodes(protocol.record.nodes, RECORD):
        yield place, INDEX, doc
    for parameter in protocol.parameters:
        yield f"parameter {code(parameter.name)}", INDEX, parameter.doc
    homes = Meanings(protocol).homes
    for enum in protocol.enums:
        page = homes["enum", enum.name]
        yield enum_place(enum.name), page, enum.doc
        for item in enum.values:
            yield member_place(enum_place(enum.name), "value", item.label), page, item.doc
    for flags in protocol.flags:
        page = homes["flags", flags.name]
        yield flags_place(flags.name), page, flags.doc
        for flag in flags.values:
            yield member_place(flags_place(flags.name), "flag", flag.label), page, flag.doc
    for shared in protocol.structs:
        page = homes["type", shared.name]
        yield type_place(shared.name), page, shared.doc
        for place, doc in _nodes(shared.nodes, type_place(shared.name)):
            yield place, page, doc
    for table in protocol.tables:
        page = homes["table", table.name]
        yield table_place(table.name), page, table.doc
        for field in table.fields:
            yield member_place(table_place(table.name), "field", field.name), page, field.doc


def _messages(protocol: model.Protocol) -> Iterator[tuple[str, str, model.Doc]]:
    for message in protocol.messages:
        page = page_of(message)
        yield message_place(message), page, message.doc
        for nodes in message.sections.values():
            for place, doc in _nodes(nodes, message_place(message)):
                yield place, page, doc
        for variant in message.variants:
            yield message_place(message, variant), page, variant.doc
            for nodes in variant.sections.values():
                for place, doc in _nodes(nodes, message_place(message, variant)):
                    yield place, page, doc
        for form in message.forms:
            yield member_place(message_place(message), "form", form.name), page, form.doc
            for entry in form.entries:
                form_place = member_place(message_place(message), "form", form.name)
                yield member_place(form_place, "key", entry.key), page, entry.doc
        for example in message.examples:
            yield member_place(message_place(message), "example", example.name), page, example.doc


def _nodes(nodes: Iterable[model.Node], place: str) -> Iterator[tuple[str, model.Doc]]:
    for node in model.walk(nodes):
        if isinstance(node, model.Named):
            yield member_place(place, "field", node.name), node.doc
        elif isinstance(node, model.Region):
            yield member_place(place, "section", node.name), node.doc
