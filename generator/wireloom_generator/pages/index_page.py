"""A protocol's front page: all that its template loops over."""

from collections.abc import Iterator
from dataclasses import dataclass

from wireloom_generator import ir
from wireloom_generator.pages import errata as places
from wireloom_generator.pages.columns import row_columns, value_rows
from wireloom_generator.pages.drawings import drawn
from wireloom_generator.pages.errata import Errata, Erratum
from wireloom_generator.pages.facts import Facts
from wireloom_generator.pages.fields import HEADER, FieldTable
from wireloom_generator.pages.markdown import cell, code, listing, prose, source
from wireloom_generator.pages.message_page import MessagePages
from wireloom_generator.pages.names import every, message_nodes
from wireloom_generator.pages.records import Shape
from wireloom_generator.pages.shared import Block, Table, Titled, sketch, table

_ORDERS = {
    ir.Order.BIG: "big endian, if not said otherwise",
    ir.Order.LITTLE: "little endian, if not said otherwise",
}


@dataclass(frozen=True, slots=True)
class IndexPage:
    """What the template of the front page shows."""

    title: str
    name: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    facts: Table
    messages: Table
    framing: tuple[str, ...]
    header: Block
    parameters: Table
    parameter_errata: tuple[Erratum, ...]
    shared: tuple[Block, ...]
    columns: Table
    values: Table
    all_errata: Table


def index_page(pages: MessagePages) -> IndexPage:
    """The front page of a protocol."""
    protocol, errata = pages.protocol, pages.errata
    names = pages.names
    shared = pages.shared
    blocks = [*shared.types(names.types), *shared.tables(names.tables)]
    blocks += [*shared.enums(names.enums), *shared.flags(names.flags)]
    parameters = [(code(p.name), _choices(p), code(str(p.default).lower()), cell(_told(p))) for p in protocol.parameters]
    return IndexPage(
        title=prose(protocol.doc.title or protocol.name),
        name=protocol.name,
        paragraphs=(prose(protocol.doc.text),) if protocol.doc.text else (),
        errata=errata.at(places.PROTOCOL, protocol.doc),
        facts=table(("", ""), _facts(pages)),
        messages=table(("Message", "A record is this if", "What it is", "Source"), _messages(pages)),
        framing=tuple(_framing(pages)),
        header=_header(pages),
        parameters=table(("Parameter", "Values", "Default", "Meaning"), parameters),
        parameter_errata=tuple(e for e in errata.all if e.place.startswith("parameter ")),
        shared=tuple(blocks),
        columns=table(("Column", "Spark type", "Meaning"), row_columns(protocol)),
        values=table(("On the wire", "In a column"), _values(protocol)),
        all_errata=table(("No.", "Where", "What"), (_erratum(e) for e in errata.all)),
    )


def _facts(pages: MessagePages) -> Iterator[tuple[str, str]]:
    protocol = pages.protocol
    if protocol.doc.source:
        yield "Source", cell(source(protocol.doc))
    order = pages.names.order
    yield "Integers", _ORDERS.get(order, f"in the byte order that the parameter {code(protocol.byte_order)} tells")
    folders = dict.fromkeys(path.parent.name for path in protocol.sources)
    yield "Specs", listing((code(f"specs/{folder}") for folder in folders), "and")


def _messages(pages: MessagePages) -> Iterator[tuple[str, ...]]:
    for message in pages.protocol.messages:
        title = prose(message.doc.title or message.name)
        match = pages.names.matching(message.match) if message.match else "no other message is"
        link = f"[{title}]({message.name}.md)<br>{code(message.name)}"
        yield link, cell(match), cell(prose(message.doc.text)), cell(source(message.doc))


def _choices(parameter: ir.Parameter) -> str:
    if parameter.choices:
        return listing(map(code, parameter.choices))
    return "`true` or `false`" if isinstance(parameter.default, bool) else "text"


def _told(parameter: ir.Parameter) -> str:
    column = " The value in force is a column of each row." if parameter.column else ""
    return prose(parameter.doc.text) + column


def _framing(pages: MessagePages) -> Iterator[str]:
    """How records are delimited, and when that is believed."""
    protocol = pages.protocol
    for lengths in protocol.lengths:
        which = pages.names.matching({name: (value,) for name, value in lengths.match.items()})
        whose = f"A record with {which}" if which else "A record"
        needed = max(probe.offset + _width(probe.wire) for probe in lengths.probes) if lengths.probes else 0
        read = f", told by its first {needed} bytes" if needed else ""
        yield f"{whose} is `{lengths.length.text}` bytes long{read}."
        yield from _proof(lengths)
    yield (
        "Behind a record that is not believed, the next one that is believed is searched for, and what lies between is "
        "one malformed row."
        if protocol.resync
        else "Behind a record that is not believed nothing can be: the rest of the bytes is one malformed row."
    )
    if protocol.byte_order:
        order = code(protocol.byte_order)
        yield f"With {order} `auto` both orders are tried for each record, and that in which it is believed is taken."


def _proof(lengths: ir.Lengths) -> Iterator[str]:
    proofs = [f"`{lengths.valid.text}` holds"] if lengths.valid else []
    proofs += [f"the checksum {code(lengths.checksum[0])} is right"] if lengths.checksum else []
    if proofs:
        yield f"The length is believed if {listing(proofs, 'and')}."


def _width(wire: ir.Number) -> int:
    return 1 if isinstance(wire, ir.Boolean) else wire.bits // 8


def _header(pages: MessagePages) -> Block:
    """All fields of the header in one table, and a drawing for each form it can have."""
    whole = Shape({}, pages.protocol.record, Facts())
    finder = pages.shared.finder(places.RECORD)
    trees = [tree for part in pages.records.parts(whole) for tree in part.trees]
    rows = FieldTable(pages.names, finder).rows(trees)
    shapes = pages.records.shapes()
    drawings = [sketch(pages.selected(shape, shapes), drawn(pages.records.parts(shape))) for shape in shapes]
    errata = pages.errata.within(places.RECORD)
    return Block("Header", "header", (), errata, (Titled("", table(HEADER, rows)),), tuple(drawings))


def _values(protocol: ir.Protocol) -> list[tuple[str, ...]]:
    nodes = list(every(protocol.record))
    nodes += [node for shared in protocol.types for node in every(shared.nodes)]
    nodes += [node for message in protocol.messages for node in every(message_nodes(message))]
    return value_rows(node for node in nodes if isinstance(node, ir.Field))


def _erratum(erratum: Erratum) -> tuple[str, ...]:
    page = "" if erratum.page == places.INDEX else erratum.page
    return f"[{erratum.number}]({page}#{erratum.anchor})", cell(erratum.place), cell(places.told(erratum))
