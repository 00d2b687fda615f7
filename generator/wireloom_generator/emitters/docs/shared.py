"""Enums, flags, structs and tables as the parts of a page."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from wireloom_generator import model, naming
from wireloom_generator.blocks import class_name
from wireloom_generator.emitters.docs import errata as places
from wireloom_generator.emitters.docs.byte_rows import Drawing
from wireloom_generator.emitters.docs.columns import TableRow
from wireloom_generator.emitters.docs.drawings import sketched
from wireloom_generator.emitters.docs.errata import Errata, Erratum, links
from wireloom_generator.emitters.docs.facts import Facts
from wireloom_generator.emitters.docs.fields import HEADER, FieldTable
from wireloom_generator.emitters.docs.layout import ITEM, Placing, Position
from wireloom_generator.emitters.docs.markdown import cell, code, listing, prose, sentences, source, versions
from wireloom_generator.emitters.docs.names import Meanings, Reference
from wireloom_generator.types import table_columns
from wireloom_generator.types.columns import brief


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table with one header and its rows, or nothing."""

    headers: tuple[TableRow, ...] = ()
    rows: tuple[TableRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a page about one thing: a heading, sentences, errata, a table, drawings."""

    title: str
    anchor: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    tables: "tuple[Titled, ...]" = ()
    drawings: "tuple[Titled, ...]" = ()


@dataclass(frozen=True, slots=True)
class Titled:
    """A table or drawing with the sentence above it."""

    title: str
    table: PageTable
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks of one kind under a heading."""

    title: str
    blocks: tuple[Passage, ...]


def groups(titled: Mapping[str, Iterable[Passage]]) -> tuple[Group, ...]:
    """The groups that have any blocks."""
    found = (Group(title, tuple(blocks)) for title, blocks in titled.items())
    return tuple(group for group in found if group.blocks)


def paragraphs(doc: model.Doc, *more: str) -> tuple[str, ...]:
    """The spec's description of something, with version and source."""
    laid = f"Source: {source(doc)}." if doc.source else ""
    return tuple(text for text in (*more, prose(doc.text), sentences(versions(doc)), laid) if text)


def _in_python(named: model.EnumValue | model.Flag) -> str:
    """The Python name of a label, if it differs."""
    name = naming.member(named.name)
    return "" if name == named.label else code(name)


def table(header: TableRow, rows: Iterable[TableRow]) -> PageTable:
    """A table without the columns that are empty in all rows; nothing if there are no rows."""
    found = list(rows)
    kept = [index for index in range(len(header)) if any(row[index].strip() for row in found)]
    shown = tuple(tuple(row[index] for index in kept) for row in found)
    return PageTable((tuple(header[index] for index in kept),), shown) if found else PageTable()


def sketch(title: str, drawing: Drawing) -> Titled:
    """A drawing and the sentence above it."""
    return Titled(title, PageTable(), (drawing,))


class References:
    """Makes the passages about things that a protocol's fields refer to by name."""

    def __init__(self, names: Meanings, errata: Errata) -> None:
        self.names = names
        self.errata = errata

    def groups(self, page: str, names: Iterable[Reference] | None = None) -> tuple[Group, ...]:
        """The passages of a page: those of ``names``, of all if there are none, that have their place there."""
        found = [name for name in (names if names is not None else self.names.homes) if self.names.homes[name] == page]

        def each(kind: str, make: Callable[[str], Passage]) -> Iterator[Passage]:
            return (make(name) for its, name in found if its == kind)

        return groups(
            {
                "Types": each("type", self._struct),
                "FlatBuffers tables": each("table", self._table),
                "Enums": each("enum", self._enum),
                "Flags": each("flags", self._flags),
            }
        )

    def _enum(self, name: str) -> Passage:
        enum = self.names.enums[name]
        place = places.declared_place("enum", enum.name)
        rows = (
            (
                self.names.span(enum.name, item),
                cell(code(item.label)),
                "" if item.range else _in_python(item),
                self._meaning(item.doc, place, "value", item.label),
            )
            for item in enum.values
        )
        grid = table(("Value", "Name", "In Python", "Meaning"), rows)
        return self._block("Enum", enum.name, enum.doc, place, (Titled("", grid),))

    def _flags(self, name: str) -> Passage:
        flags = self.names.flags[name]
        place = places.declared_place("flags", flags.name)
        width = max((len(f"{flag.value:x}") + 1) // 2 * 2 for flag in flags.values)
        rows: list[TableRow] = []
        bit = 0
        for flag in sorted(flags.values, key=lambda flag: flag.value):
            own = flag.value.bit_length() - 1
            if own > bit:
                rows.append((str(bit) if own == bit + 1 else f"{bit} to {own - 1}", "", "", "", "Unassigned."))
            bit = own + 1
            meaning = self._meaning(flag.doc, place, "flag", flag.label)
            rows.append((str(own), f"0x{flag.value:0{width}x}", cell(code(flag.label)), _in_python(flag), meaning))
        grid = table(("Bit", "Value", "Name", "In Python", "Meaning"), rows)
        return self._block("Flags", flags.name, flags.doc, place, (Titled("", grid),))

    def _struct(self, name: str) -> Passage:
        shared = self.names.structs[name]
        place = places.declared_place("type", shared.name)
        trees = Placing(self.names.structs, Facts(), Facts()).place(shared.nodes, Position(ITEM))[0]
        rows = FieldTable(self.names, self.finder(place), self.names.homes["type", name]).rows(trees)
        drawing = sketch("", sketched(trees))
        tables, given = (Titled("", table(HEADER, rows)),), listing(map(code, shared.given), "and")
        more = (f"Parameters: {given}.",) if shared.given else ()
        return self._block("Type", shared.name, shared.doc, place, tables, (drawing,), more)

    def _table(self, name: str) -> Passage:
        shared = self.names.tables[name]
        place = places.declared_place("table", shared.name)
        rows = (
            (
                code(field.name),
                str(field.id),
                code(field.type),
                "–" if field.default is None else code(str(field.default).lower()),
                self._meaning(field.doc, place, "field", field.name),
                code(brief(column.type)),
            )
            for field, column in zip(shared.fields, table_columns(shared), strict=True)
        )
        grid = table(("Field", "Id", "Type", "If not stored", "Meaning", "Spark type"), rows)
        return self._block("Table", shared.name, shared.doc, place, (Titled("", grid),))

    def _block(
        self,
        kind: str,
        name: str,
        doc: model.Doc,
        place: str,
        tables: tuple[Titled, ...],
        drawings: tuple[Titled, ...] = (),
        more: tuple[str, ...] = (),
    ) -> Passage:
        anchor = f"{kind.lower()}-{name.lower()}"
        called = class_name(name)
        in_python = f"In Python: {code(called)}." if called != name else ""
        return Passage(name, anchor, (*paragraphs(doc, in_python), *more), self.errata.within(place), tables, drawings)

    def _meaning(self, doc: model.Doc, place: str, kind: str, name: str) -> str:
        found = self.errata.at(places.member_place(place, kind, name), doc)
        return cell(sentences([prose(doc.text), *versions(doc), links(found)]))

    def finder(self, place: str) -> Callable[[str, str, model.Doc], tuple[Erratum, ...]]:
        """Finds the errata of things in a table."""
        return lambda kind, name, doc: self.errata.at(places.member_place(place, kind, name), doc)
