"""Enums, flags, structs and tables as the parts of a page."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wireloom_generator import ir
from wireloom_generator.pages import errata as places
from wireloom_generator.pages.columns import Row, short_type
from wireloom_generator.pages.drawings import sketched
from wireloom_generator.pages.errata import Errata, Erratum, links
from wireloom_generator.pages.facts import Facts
from wireloom_generator.pages.fields import HEADER, FieldTable
from wireloom_generator.pages.layout import ITEM, Layout, Offset
from wireloom_generator.pages.markdown import cell, code, prose, sentences, source
from wireloom_generator.pages.names import Names


@dataclass(frozen=True, slots=True)
class Table:
    """A table; none is shown without rows."""

    header: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """What is said of one thing: a heading, sentences, its errata, a table, drawings."""

    title: str
    anchor: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    tables: "tuple[Titled, ...]" = ()
    drawings: "tuple[Titled, ...]" = ()


@dataclass(frozen=True, slots=True)
class Titled:
    """A table or drawing and the sentence above it."""

    title: str
    table: Table
    drawing: str = ""


def paragraphs(doc: ir.Doc, *more: str) -> tuple[str, ...]:
    """What the spec says of something, and since when and where from."""
    since = f"Since {prose(doc.since)}." if doc.since else ""
    laid = f"Source: {source(doc)}." if doc.source else ""
    return tuple(text for text in (*more, prose(doc.text), since, laid) if text)


def table(header: Row, rows: Iterable[Row]) -> Table:
    """A table."""
    return Table(header, tuple(rows))


def sketch(title: str, drawing: str) -> Titled:
    """A drawing and the sentence above it."""
    return Titled(title, Table((), ()), drawing)


class Shared:
    """Makes the blocks of what a protocol's fields refer to by name."""

    def __init__(self, names: Names, errata: Errata) -> None:
        self.names = names
        self.errata = errata

    def enums(self, wanted: Iterable[str]) -> list[Block]:
        """A block an enum."""
        return [self._enum(self.names.enums[name]) for name in wanted]

    def flags(self, wanted: Iterable[str]) -> list[Block]:
        """A block a set of flags."""
        return [self._flags(self.names.flags[name]) for name in wanted]

    def types(self, wanted: Iterable[str]) -> list[Block]:
        """A block a shared struct."""
        return [self._type(self.names.types[name]) for name in wanted]

    def tables(self, wanted: Iterable[str]) -> list[Block]:
        """A block a FlatBuffers table."""
        return [self._table(self.names.tables[name]) for name in wanted]

    def _enum(self, enum: ir.Enum) -> Block:
        place = places.enum_place(enum.name)
        rows = (
            (self.names.span(enum.name, item), code(item.name), self._meaning(item.doc, place, "value", item.name))
            for item in enum.values
        )
        told = table(("Value", "Name", "Meaning"), rows)
        return self._block("Enum", enum.name, enum.doc, place, (Titled("", told),))

    def _flags(self, flags: ir.Flags) -> Block:
        place = places.flags_place(flags.name)
        width = max((len(f"{flag.value:x}") + 1) // 2 * 2 for flag in flags.values)
        rows = (
            (
                str(flag.value.bit_length() - 1),
                f"0x{flag.value:0{width}x}",
                code(flag.name),
                self._meaning(flag.doc, place, "flag", flag.name),
            )
            for flag in flags.values
        )
        told = table(("Bit", "Value", "Name", "Meaning"), rows)
        return self._block("Flags", flags.name, flags.doc, place, (Titled("", told),))

    def _type(self, shared: ir.Type) -> Block:
        place = places.type_place(shared.name)
        trees = Layout(self.names.types, Facts(), Facts()).place(shared.nodes, Offset(ITEM))[0]
        rows = FieldTable(self.names, self.finder(place)).rows(trees)
        drawing = sketch("", sketched(trees))
        return self._block("Type", shared.name, shared.doc, place, (Titled("", table(HEADER, rows)),), (drawing,))

    def _table(self, shared: ir.Table) -> Block:
        place = places.table_place(shared.name)
        rows = (
            (
                str(field.id),
                code(field.type),
                code(field.name),
                "–" if field.default is None else code(str(field.default).lower()),
                self._meaning(field.doc, place, "field", field.name),
                code(short_type(column.type)),
            )
            for field, column in zip(shared.fields, shared.columns, strict=True)
        )
        told = table(("Id", "Type", "Field", "If not stored", "Meaning", "Spark type"), rows)
        return self._block("Table", shared.name, shared.doc, place, (Titled("", told),))

    def _block(
        self,
        kind: str,
        name: str,
        doc: ir.Doc,
        place: str,
        tables: tuple[Titled, ...],
        drawings: tuple[Titled, ...] = (),
    ) -> Block:
        anchor = f"{kind.lower()}-{name.lower()}"
        return Block(f"{kind} {name}", anchor, paragraphs(doc), self.errata.within(place), tables, drawings)

    def _meaning(self, doc: ir.Doc, place: str, kind: str, name: str) -> str:
        since = f"Since {prose(doc.since)}" if doc.since else ""
        found = self.errata.at(places.member_place(place, kind, name), doc)
        return cell(sentences([prose(doc.text), since, links(found)]))

    def finder(self, place: str) -> Callable[[str, str, ir.Doc], tuple[Erratum, ...]]:
        """Finds the errata of what stands in a table."""
        return lambda kind, name, doc: self.errata.at(places.member_place(place, kind, name), doc)


def used_places(blocks: Iterable[Block]) -> Iterator[Erratum]:
    """The errata told in blocks."""
    for block in blocks:
        yield from block.errata
