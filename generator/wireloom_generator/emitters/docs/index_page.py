"""The data of a protocol's front page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireloom_generator import model
from wireloom_generator.emitters.docs import errata as places
from wireloom_generator.emitters.docs.columns import COLUMNS, row_columns, value_rows
from wireloom_generator.emitters.docs.drawings import drawn
from wireloom_generator.emitters.docs.errata import Erratum
from wireloom_generator.emitters.docs.facts import Facts
from wireloom_generator.emitters.docs.fields import HEADER, FieldTable
from wireloom_generator.emitters.docs.framing import framing
from wireloom_generator.emitters.docs.markdown import cell, code, listing, phrase, prose, source, versions
from wireloom_generator.emitters.docs.markdown import sentences as joined
from wireloom_generator.emitters.docs.message_page import MessagePages
from wireloom_generator.emitters.docs.names import INDEX
from wireloom_generator.emitters.docs.records import HeaderForm
from wireloom_generator.emitters.docs.shared import Group, PageTable, Passage, Titled, paragraphs, sketch, table
from wireloom_generator.explained import sentences

if TYPE_CHECKING:
    from wireloom.programs.support import Support

_ORDERS = {
    model.Order.BIG: "big endian unless noted",
    model.Order.LITTLE: "little endian unless noted",
}


@dataclass(frozen=True, slots=True)
class IndexPage:
    title: str
    name: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    libraries: tuple[Passage, ...]
    facts: tuple[str, ...]
    messages: PageTable
    framing: tuple[str, ...]
    header: Passage
    parameters: tuple[Passage, ...]
    groups: tuple[Group, ...]
    columns: PageTable
    values: PageTable
    all_errata: tuple[PageTable, ...]


def index_page(pages: MessagePages, support: "Support | None") -> IndexPage:
    """The front page of a protocol, which says how its records are read if that is known."""
    protocol, errata = pages.protocol, pages.errata
    return IndexPage(
        title=phrase(protocol.doc.title),
        name=protocol.name,
        paragraphs=(prose(protocol.doc.text),) if protocol.doc.text else (),
        errata=errata.at(places.PROTOCOL, protocol.doc),
        libraries=tuple(_libraries(pages)),
        facts=(*_facts(pages), *(sentences(support, code, phrase) if support else ())),
        messages=table(("Message", "Group", "If", "What it is"), _messages(pages)),
        framing=tuple(framing(pages.names)),
        header=_header(pages),
        parameters=_parameters(pages),
        groups=pages.shared.groups(INDEX),
        columns=table(COLUMNS, row_columns(protocol)),
        values=table(("On the wire", "In a column"), value_rows(protocol)),
        all_errata=(table(("No.", "Where", "What"), map(_erratum, errata.all)),) if errata.all else (),
    )


def _facts(pages: MessagePages) -> Iterator[str]:
    protocol = pages.protocol
    if protocol.doc.source:
        yield f"Source: {source(protocol.doc)}."
    given = f"in the byte order that the parameter {code(protocol.byte_order)} gives"
    if protocol.little is not None:
        given = f"in byte order {code(protocol.little.text)}"
    yield f"Numbers are {_ORDERS.get(pages.names.order, given)}."
    if protocol.ports:
        yield f"Ports at which servers usually listen: {listing(map(str, protocol.ports), 'and')}."
    folders = dict.fromkeys(folder.name for folder in protocol.folders)
    yield f"Specs: {listing((code(folder) for folder in folders), 'and')}."


def _messages(pages: MessagePages) -> Iterator[tuple[str, ...]]:
    group = pages.protocol.group
    for message in sorted(pages.protocol.messages, key=group):
        title = phrase(message.doc.title or message.name)
        match = pages.names.selected(message)
        link = f"[{title}]({message.name}.md)<br>{code(message.name)}"
        shown = code(group(message)) if group(message) else ""
        yield link, shown, cell(match), cell(prose(message.doc.text))


def _parameters(pages: MessagePages) -> tuple[Passage, ...]:
    parameters = pages.protocol.parameters
    if not parameters:
        return ()
    rows = ((code(p.name), cell(_choices(p)), cell(_default(p)), cell(_doc(pages, p))) for p in parameters)
    grid = table(("Parameter", "Values", "Default", "Meaning"), rows)
    errata = tuple(e for e in pages.errata.all if e.place.startswith("parameter "))
    return (Passage("Parameters", "parameters", (), errata, (Titled("", grid),)),)


def _default(parameter: model.Parameter) -> str:
    return "from the header" if parameter.default is None else code(str(parameter.default).lower())


def _choices(parameter: model.Parameter) -> str:
    if parameter.choices:
        return listing(map(code, parameter.choices))
    if parameter.bounds is not None:
        return " to ".join(map(str, parameter.bounds))
    return "text" if parameter.type == "text" else "`true` or `false`"


def _doc(pages: MessagePages, parameter: model.Parameter) -> str:
    column = "The value used is a column of each row" if parameter.column else ""
    told = "" if parameter.found is None else _told(pages, parameter.found)
    return joined([prose(parameter.doc.text), told, column, *versions(parameter.doc)])


def _told(pages: MessagePages, found: model.FoundInCapture) -> str:
    """How a parameter is found in a capture."""
    message = next(message for message in pages.protocol.messages if message.name == found.message)
    values = pages.names.values_in(message, found.field, found.values)
    where = f"a [{message.name}]({message.name}.md) at the beginning of the capture"
    return f"If not given, it is found in {where}: whether {code(found.field)} is {values}"


def _header(pages: MessagePages) -> Passage:
    """All fields of the header in one table, and a drawing for each form it can have."""
    whole = HeaderForm({}, pages.protocol.record.nodes, Facts())
    finder = pages.shared.finder(places.RECORD)
    trees = [tree for part in pages.records.parts(whole) for tree in part.trees]
    rows = FieldTable(pages.names, finder, INDEX).rows(trees)
    shapes = pages.records.shapes()
    titles = (f"{title}:" if (title := pages.selected(shape, shapes)) else "" for shape in shapes)
    drawings = [sketch(title, drawn(pages.records.parts(shape))) for title, shape in zip(titles, shapes, strict=True)]
    included = pages.protocol.included
    errata = pages.errata.within(places.RECORD, *(places.declared_place("type", name) for name in included))
    texts = [*paragraphs(pages.protocol.record.doc)]
    texts += [f"{code(name)}: {' '.join(paragraphs(doc))}" for name, doc in included.items() if paragraphs(doc)]
    return Passage("Header", "header", tuple(texts), errata, (Titled("", table(HEADER, rows)),), tuple(drawings))


def _libraries(pages: MessagePages) -> Iterator[Passage]:
    """The descriptions of the libraries that the protocol imports."""
    for library in pages.protocol.libraries:
        errata = pages.errata.within(places.library_place(library))
        texts = paragraphs(library, f"From the library {phrase(library.title)}:")
        if errata or library.text:
            yield Passage(phrase(library.title), "", (" ".join(texts),), errata)


def _erratum(erratum: Erratum) -> tuple[str, ...]:
    page = "" if erratum.page == INDEX else erratum.page
    return f"[{erratum.number}]({page}#{erratum.anchor})", cell(erratum.place), cell(places.markdown(erratum))
