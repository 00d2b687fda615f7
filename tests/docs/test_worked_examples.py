"""Worked examples shown on the pages, held against the tables of fields on the same pages, of every spec."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pytest
from language.reference_blocks import BLOCKS, documents
from support import compiled
from support.cases import each
from support.paths import ROOT

from wireloom.inspection import Shown, SpanKind
from wireloom_generator import examples, model
from wireloom_generator.emitters.docs.errata import Errata
from wireloom_generator.emitters.docs.fields import HEADER
from wireloom_generator.emitters.docs.index_page import index_page
from wireloom_generator.emitters.docs.message_page import ExampleBlock, MessagePage, MessagePages
from wireloom_generator.emitters.docs.shared import PageTable, Passage

NAMESAKES = """
protocol: namesakes
byte_order: little
enums:
  - {name: Colour, values: [{name: Red, value: 1}]}
  - {name: Shape, values: [{name: Round, value: 1}]}
types:
  - name: Pair
    fields: [{bits: u16, fields: [{name: low, width: 9}, {name: kind, width: 7}]}, {name: note, type: u8, enum: Shape}]
record:
  length: 3 + first_size + second_size
  fields:
    - {name: which, type: u8}
    - {name: first_size, type: u8, derive: size(first)}
    - {name: second_size, type: u8, derive: size(second)}
    - {section: first, size: first_size}
    - {section: second, size: second_size}
---
message: one
match: {which: 1}
sections:
  first:
    - bits: u8
      fields: [{name: kind, width: 5}, {name: low, width: 3}]
  second: [{name: pairs, type: Pair, repeat: rest}]
examples:
  - {name: Bits of one, hex: 01 01 06 0a 0102 01 0304 01}
---
message: two
match: {which: 2}
sections:
  first:
    - bits: u8
      fields: [{name: kind, width: 4}, {name: low, width: 4}]
variants:
  - name: narrow
    when: kind == 1
    sections:
      first: [{name: number, type: u16, enum: Colour, labels: false}]
      second: [{name: more, type: u8}]
  - name: wide
    sections:
      second: [{name: number, type: i32, enum: Shape, labels: false}, {name: more, type: u16}]
examples:
  - {name: A narrow one, hex: 02 03 01 10 0100 05}
  - {name: A wide one, hex: 02 01 06 20 01000000 0500}
  - {name: A wide one that is cut short, hex: 02 01 05 20 01000000 05, malformed: overrun}
"""
"""Fields of one name that differ from place to place."""

SHIPPED = ROOT / "specs"
SPECS = {
    "namesakes": NAMESAKES,
    **dict.fromkeys(("couchbase_dcp", "databus"), ""),
    **{name: path.read_text(encoding="utf-8") for name, path in compiled.FEATURES.items()},
    **{f"reference {number}": documents(block) for number, block in enumerate(BLOCKS)},
}
BITS = re.compile(r"\bbits? \d+(?: to \d+)?")


Labels = Mapping[str, model.Enum | model.Flags]


@dataclass(frozen=True)
class Line:
    """A field as an example shows it."""

    section: str
    path: str
    start: int
    size: int
    bits: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A field as a table has it."""

    section: str
    name: str
    offset: str
    size: str
    bits: str
    labels: frozenset[str]

    def describes(self, line: Line, moved: int | None) -> bool:
        """Whether the line can be of this row: same name, same bits, and what is fixed is the same.

        Its section begins ``moved`` bytes behind where the table has it, None if that is not known.
        """
        name = line.path.rpartition(".")[2].partition("[")[0]
        placed = moved is None or not self.offset.isdigit() or int(self.offset) + moved == line.start
        sized = not self.size.isdigit() or int(self.size) == line.size or "[" in line.path
        named = not line.labels or not self.labels.isdisjoint(line.labels)
        here = self.section in ("", line.section)
        told = self.bits == line.bits or ("[" in line.path and _within(line.bits, self.bits))
        return name == self.name and told and placed and sized and named and here


def _within(bits: str, others: str) -> bool:
    """Whether the bits of an item are among those of its list."""
    item, whole = ([int(number) for number in re.findall(r"\d+", told)] for told in (bits, others))
    return bool(item and whole) and whole[0] >= item[0] >= item[-1] >= whole[-1]


def _lines(example: ExampleBlock) -> Iterator[Line]:
    assert example.inspected is not None
    for part in example.inspected.fields:
        section = part.name if part.kind is SpanKind.SECTION else ""
        for leaf in part.leaves():
            if leaf.kind is SpanKind.FIELD and leaf.path and leaf.note != "on bytes that others have":
                yield _line(example, section, leaf)


def _line(example: ExampleBlock, section: str, leaf: Shown) -> Line:
    labels = leaf.label.split(" | ") if leaf.label not in ("", "(no name)") else []
    return Line(
        section,
        leaf.path.removeprefix(f"{example.message}."),
        leaf.start,
        leaf.end - leaf.start,
        leaf.note.replace("-", " to ") if BITS.match(leaf.note.replace("-", " to ")) else "",
        tuple(label for label in labels if not label.startswith("0x")),
    )


def _rows(table: PageTable, enums: Labels, section: str = "") -> Iterator[Row]:
    for header in table.headers:
        if header[:4] == HEADER[:4]:
            for name, offset, size, kind, *meanings in table.rows:
                meaning = " ".join(meanings)
                bits = BITS.search(kind)
                enum = re.search(r"[Nn]amed by \[(\w+)\]", meaning)
                labels = frozenset(value.label for value in enums[enum[1]].values) if enum else frozenset()
                name, offset, size = (text.strip("`") for text in (name, offset, size))
                yield Row(section, name, offset, size, bits[0] if bits else "", labels)


def _page_rows(page: MessagePage, shared: Iterable[Passage], variant: str | None, enums: Labels) -> list[Row]:
    """The rows that describe a record of the variant; of any, if that is not known."""
    anchors = "every-variant", f"variant-{variant}"
    own = [block for block in page.layouts if variant is None or block.anchor in anchors]
    blocks = [*own, *shared, *(block for group in page.groups for block in group.blocks)]
    rows = []
    for block in blocks:
        for titled in block.tables:
            section = re.match(r"Section `(\w+)`", titled.title)
            rows += _rows(titled.table, enums, section[1] if section else "")
    return rows


def _misfits(pages: MessagePages, message: model.Message) -> Iterator[str]:
    page = pages.page(message)
    trailing = set(_trailing(pages.protocol))
    front = index_page(pages, None)
    shared = [front.header, *(block for group in front.groups for block in group.blocks)]
    labels = {**pages.names.enums, **pages.names.flags}
    for example in (example for found in page.examples for example in found):
        traced = pages.traces[message.name, example.name]
        own = traced.row.get(message.name)
        variant = own.get("variant") if isinstance(own, dict) else None
        rows = _page_rows(page, shared, str(variant) if variant else None, labels)
        has_flags = isinstance(pages.protocol.record.end, model.BetweenFlags)  # in front of its fields
        moved: dict[str, int] = {} if has_flags else {"": 0}
        for line in _lines(example):
            inner = "." in line.path or "[" in line.path
            found = [row for row in rows if row.describes(line, None if inner else moved.get(line.section))]
            if not found and line.path.rpartition(".")[2] not in trailing:
                yield f"{message.name}, {example.name}: {line}"
            for row in found if not inner else ():
                if row.offset.isdigit():
                    moved.setdefault(line.section, line.start - int(row.offset))


def _trailing(protocol: model.Protocol) -> Iterator[str]:
    """Columns that are told in the row of a section: what it leaves over."""
    nodes = [*protocol.record.nodes, *(node for shared in protocol.structs for node in shared.nodes)]
    nodes += [node for message in protocol.messages for node in message.nodes]
    yield from (
        node.trailing for node in model.walk(nodes) if isinstance(node, model.Section | model.Slot) and node.trailing
    )


@pytest.mark.sweep
@each("name", SPECS)
def test_examples_are_taken_apart_as_the_tables_say(name: str) -> None:
    found = compiled.of(SPECS[name]) if SPECS[name] else compiled.compiled(SHIPPED / name)
    protocol = found.protocol
    pages = MessagePages(protocol, Errata(protocol), examples.run(protocol, found.codec)[0], {})
    assert [misfit for message in protocol.messages for misfit in _misfits(pages, message)] == []
