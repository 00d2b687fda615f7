"""A message's page: everything that its template shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator import model
from wireloom_generator.blocks import message_name
from wireloom_generator.emitters.docs import errata as places
from wireloom_generator.emitters.docs.breakdowns import Breakdown, as_json
from wireloom_generator.emitters.docs.byte_rows import Drawing
from wireloom_generator.emitters.docs.columns import COLUMNS, TableRow, message_columns
from wireloom_generator.emitters.docs.drawings import bytewise, drawn, is_drawable
from wireloom_generator.emitters.docs.errata import INDEX, Errata, Erratum
from wireloom_generator.emitters.docs.fields import HEADER, FieldTable, merged
from wireloom_generator.emitters.docs.forms import form_block
from wireloom_generator.emitters.docs.framing import lengths_of
from wireloom_generator.emitters.docs.layout import Tree, named, order_of
from wireloom_generator.emitters.docs.markdown import cell, code, listing, phrase, prose, source, versions
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.emitters.docs.records import TRAILER, Area, HeaderForm, Records
from wireloom_generator.emitters.docs.shared import (
    Group,
    PageTable,
    Passage,
    References,
    Titled,
    groups,
    paragraphs,
    sketch,
    table,
)
from wireloom_generator.expressions import Value
from wireloom_generator.traces import Traced


@dataclass(frozen=True, slots=True)
class ExampleBlock:
    """A worked example; ``message`` and ``name`` are the spec's."""

    message: str
    name: str
    title: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    hexadecimal: str
    drawings: tuple[Drawing, ...]
    breakdown: tuple[str, ...]
    verdict: tuple[str, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessagePage:
    """What the template of a message's page shows."""

    title: str
    name: str
    protocol: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    facts: tuple[str, ...]
    header: tuple[Passage, ...]
    parts: PageTable
    choosing: tuple[str, ...]
    variants: PageTable
    layouts: tuple[Passage, ...]
    groups: tuple[Group, ...]
    columns: PageTable
    examples: tuple[tuple[ExampleBlock, ...], ...]
    all_errata: tuple[tuple[Erratum, ...], ...]


class MessagePages:
    """Makes the pages of a protocol's messages, or that of its captures' preamble."""

    def __init__(
        self,
        protocol: model.Protocol,
        errata: Errata,
        traces: Mapping[tuple[str, str], Traced],
        *,
        is_preamble: bool = False,
    ) -> None:
        self.is_preamble = is_preamble
        self.protocol = protocol
        self.errata = errata
        self.traces = traces
        self.names = Meanings(protocol)
        self.records = Records(protocol, self.names.record_nodes)
        self.shared = References(self.names, errata)
        self._usual: dict[int, tuple[Tree, Sequence[TableRow]]] = {}

    def page(self, message: model.Message) -> MessagePage:
        """The page of one message."""
        shapes = self.records.shapes(message)
        place = places.message_place(message)
        head = self.protocol.record.nodes if self.records.single else ()
        used = self.shared.groups(self.names.used((*head, *message.nodes)))
        forms = [form_block(self.names, self.errata, message, form) for form in message.forms]
        numbered = {erratum.number: erratum for group in used for block in group.blocks for erratum in block.errata}
        numbered |= {erratum.number: erratum for erratum in (*self._head(), *self.errata.within(place))}
        return MessagePage(
            title=phrase(message.doc.title or message.name),
            name=message.name,
            protocol=phrase(self.protocol.doc.title),
            paragraphs=(prose(message.doc.text),) if message.doc.text else (),
            errata=self.errata.at(place, message.doc),
            facts=tuple(self._facts(message)),
            header=() if self.records.single else (self._header(message, shapes),),
            parts=self._parts(message, shapes),
            choosing=_choosing(message),
            variants=_variants(message),
            layouts=tuple(self._layouts(message, shapes)),
            groups=(*used, *groups({"Textual forms": forms})),
            columns=table(COLUMNS, message_columns(message)),
            examples=(tuple(self._examples(message)),) if message.examples else (),
            all_errata=(tuple(numbered[number] for number in sorted(numbered)),) if numbered else (),
        )

    def _facts(self, message: model.Message) -> Iterator[str]:
        if message.doc.source:
            yield f"Source: {source(message.doc)}."
        yield from (f"{told}." for told in versions(message.doc) if told)
        if message_name(message.name) != message.name:
            yield f"In Python it is {code(message_name(message.name))}."
        if self.is_preamble:
            yield "It stands once, at the start of a capture."
        else:
            yield f"A record is this message if {self.names.selected(message)}."
        yield from (f"Its length is {text}." for text in lengths_of(self.protocol, message))
        if message.valid is not None:
            yield f"A record of it is malformed unless {code(message.valid.text)}."
        yield from self._answers(message)

    def _answers(self, message: model.Message) -> Iterator[str]:
        """What it answers, and what answers it."""
        if (answers := message.answers) is not None:
            yield f"It answers {_linked(answers.to)}: the request with the same {' and '.join(map(code, answers.by))}."
            if answers.quiet:
                yield f"Most requests stay without an answer if {self.names.matching(answers.quiet, message.match)}."
            if answers.more:
                variants = " or ".join(map(code, answers.more))
                yield f"Behind the variant {variants} another answer to the same request comes."
        answered = [each.name for each in self.protocol.messages if each.answers and message.name in each.answers.to]
        if answered:
            yield f"It is answered by {_linked(answered)}."

    def _header(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> Passage:
        """The header as this message has it."""

        def here(name: str) -> str:
            values = message.match.get(name, ())
            return f"Here {self.names.values(name, values, message.match)}" if values else ""

        told = FieldTable(self.names, self.shared.finder(places.RECORD), links_to=INDEX, here=here)
        rows: list[tuple[str, list[TableRow]]] = []
        drawings = []
        for shape in shapes:
            head = [part for part in self.records.parts(shape, message) if not isinstance(part.section, model.Slot)]
            title = self.selected(shape, shapes)
            trees = (tree for part in head for tree in part.trees)
            rows.append((title, [row for tree in trees for row in self._header_rows(tree, message, told)]))
            front = [part for part in head if part.name != TRAILER]
            drawings.append(sketch(f"{title}:" if title else "", drawn(front)))
        return Passage("Header", "header", (), (), (Titled("", table(HEADER, merged(rows))),), tuple(drawings))

    def _header_rows(self, tree: Tree, message: model.Message, told: FieldTable) -> Iterable[TableRow]:
        """The rows of a part of the header; all that the message does not match are the same on every page."""
        if named(tree) & message.match.keys():
            return told.rows((tree,))
        made, rows = self._usual.get(id(tree), (None, ()))
        if made is not tree:
            rows = FieldTable(self.names, self.shared.finder(places.RECORD), links_to=INDEX).rows((tree,))
            self._usual[id(tree)] = tree, rows
        return rows

    def selected(self, shape: HeaderForm, shapes: tuple[HeaderForm, ...]) -> str:
        """Which records have this form of the header; empty if all have."""
        telling = {name: values for name, values in shape.match.items() if any(values != s.match[name] for s in shapes)}
        return f"If {self.names.matching(telling)}" if telling else ""

    def _head(self) -> tuple[Erratum, ...]:
        """The errata of the header if it is shown with the message's fields."""
        return self.errata.within(places.RECORD) if self.records.single else ()

    def _parts(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> PageTable:
        """The table of where sections begin; empty if there is only one."""
        header = ("Section", "Begins at", "Size", "Holds")
        if self.records.single:
            return table(header, ())
        rows = []
        starts = [{part.name: part.at for part in self.records.parts(shape)} for shape in shapes]
        conditions = [self.selected(shape, shapes).replace("If", "if", 1) for shape in shapes]
        for slot in self.protocol.record.slots:
            begins = [f"{code(at[slot.name])} {when}".strip() for at, when in zip(starts, conditions, strict=True)]
            size = cell(code(slot.extent.condition.text)) if isinstance(slot.extent, model.Size) else "rest"
            rows.append((code(slot.name), "<br>".join(map(cell, begins)), size, cell(_holds(message, slot))))
        return table(header, rows)

    def _layouts(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> Iterator[Passage]:
        """The fields that all variants share, then those of each variant, with drawings of the records."""
        shape = shapes[0]
        parts = self.records.parts(shape, message)
        place = places.message_place(message)
        if any(part.common for part in parts if self._mine(part)):
            title = "In every variant" if message.variants else "Fields"
            tables = tuple(self._tables(parts, place, own=False))
            drawings = () if message.variants else (self._drawing(parts, shape, shapes),)
            found = [*self._head(), *(e for e in self.errata.within(place) if _of_field(e, place))]
            yield Passage(title, "fields", (), tuple(found), tables, drawings)
        for variant in message.variants:
            yield self._variant(message, variant, shapes)

    def _variant(self, message: model.Message, variant: model.Variant, shapes: tuple[HeaderForm, ...]) -> Passage:
        parts = self.records.parts(shapes[0], message, variant)
        place = places.message_place(message, variant)
        tables = tuple(self._tables(parts, place, own=True))
        condition = f"if {code(variant.when.text)}" if variant.when else "if no other"
        when = f"Variant {code(variant.name)}, {condition}."
        if variant.valid is not None:
            when += f" A record of it is malformed unless {code(variant.valid.text)}."
        texts = paragraphs(variant.doc, when)
        mine = [part for part in parts if self._mine(part)]
        if not is_drawable(mine):
            texts = (*texts, "Nothing follows the header.")
        drawings = (self._drawing(parts, shapes[0], shapes),) if is_drawable(mine) else ()
        title = phrase(variant.doc.title or variant.name)
        return Passage(title, f"variant-{variant.name}", texts, self.errata.within(place), tables, drawings)

    def _mine(self, part: Area) -> bool:
        """Whether a part holds a message's fields."""
        return self.records.single or isinstance(part.section, model.Slot)

    def _tables(self, parts: list[Area], place: str, *, own: bool) -> Iterator[Titled]:
        finders = self.shared.finder(place), self.shared.finder(places.RECORD)
        for part in parts:
            trees: tuple[Tree, ...] = part.own if own else part.common
            if trees and self._mine(part):
                order = order_of(trees) if part.name else ""
                fields = FieldTable(self.names, lambda *field: finders[0](*field) or finders[1](*field), order=order)
                told = [f"Section {code(part.name)}", f"from offset {code(part.at)}", *([order] if order else [])]
                yield Titled(f"{', '.join(told)}:" if part.name else "", table(HEADER, fields.rows(trees)))

    def _drawing(self, parts: list[Area], shape: HeaderForm, shapes: tuple[HeaderForm, ...]) -> Titled:
        mine = [part for part in parts if self._mine(part) or part.name == TRAILER]
        front = [part for part in parts if part not in mine]
        telling = self.selected(shape, shapes)
        moved = f"{telling}; otherwise the sections begin elsewhere, see [Layout](#layout)." if telling else ""
        return sketch(moved, drawn(mine, front))

    def _examples(self, message: model.Message) -> Iterator[ExampleBlock]:
        breakdown = Breakdown(self.names, message)
        yield from (self._example(message, example, breakdown) for example in message.examples)

    def _example(self, message: model.Message, example: model.Example, breakdown: Breakdown) -> ExampleBlock:
        place = places.member_place(places.message_place(message), "example", example.name)
        traced = self.traces.get((message.name, example.name))
        given = [f"{code(name)} {code(str(value).lower())}" for name, value in example.parameters.items()]
        texts = [prose(example.doc.text)] if example.doc.text else []
        texts += [f"Source: {source(example.doc)}."] if example.doc.source else []
        texts += [f"Read with {listing(given, 'and')}."] if given else []
        rows = [example.data[at : at + 16].hex(" ") for at in range(0, len(example.data), 16)]
        text = breakdown.readable(traced) if traced else ()
        return ExampleBlock(
            message=message.name,
            name=example.name,
            title=phrase(example.name),
            paragraphs=tuple(texts),
            errata=self.errata.at(place, example.doc),
            hexadecimal="\n".join(rows),
            drawings=(bytewise(example.data, text),) if example.doc.source else (),
            breakdown=(breakdown.text(example, traced),) if traced else (),
            verdict=_verdict(example, traced),
            rows=(as_json(traced.row),) if traced and traced.row else (),
        )


def _verdict(example: model.Example, traced: Traced | None) -> tuple[str, ...]:
    """The outcome of an example."""
    if example.malformed or (traced and traced.reason):
        return (f"Malformed: {code((traced.reason if traced else None) or example.malformed)}",)
    return ("Decoded; columns that are null are left out, bytes are in hexadecimal:",) if traced else ()


def _of_field(erratum: Erratum, place: str) -> bool:
    """Whether it is about a common field or section, not a variant or example."""
    return erratum.place.startswith((f"{place}, field ", f"{place}, section "))


def _linked(messages: Sequence[str]) -> str:
    """Messages with links to their pages."""
    links = [f"[{name}]({name}.md)" for name in messages]
    return " or ".join(filter(None, (", ".join(links[:-1]), links[-1])))


def _choosing(message: model.Message) -> tuple[str, ...]:
    """How the variant is found."""
    if not message.variants:
        return ()
    first = "The first variant whose condition holds is taken."
    if message.otherwise is None:
        return (f"{first} One always does.",)
    if message.otherwise.expression == Value(False):
        return (f"{first} A record with none is malformed.",)
    kept = ", and bytes that no field takes are kept in the trailing columns" if message.trailing else ""
    if message.otherwise.expression == Value(True):
        return (f"{first} If there is none, `variant` is null{kept}.",)
    unless = f"A record with none is malformed unless {code(message.otherwise.text)}; then `variant` is null{kept}."
    return (f"{first} {unless}",)


def _holds(message: model.Message, slot: model.Slot) -> str:
    common = bool(message.sections.get(slot.name))
    varying = [variant for variant in message.variants if variant.sections.get(slot.name)]
    parts = [prose(slot.doc.text)]
    if not common and not varying:
        parts.append("No fields.")
    elif varying and not common:
        parts.append(f"Fields of {listing((code(variant.name) for variant in varying), 'and')}.")
    if slot.name in message.trailing:
        parts.append(f"Bytes left over are kept in {code(slot.trailing)}.")
    return " ".join(part for part in parts if part)


def _variants(message: model.Message) -> PageTable:
    rows = (
        (
            f"[{phrase(variant.doc.title or variant.name)}](#variant-{variant.name})<br>{code(variant.name)}",
            cell(code(variant.when.text)) if variant.when else "no other",
            cell(prose(variant.doc.text)),
            cell(source(variant.doc)),
        )
        for variant in message.variants
    )
    return table(("Variant", "If", "What it is", "Source"), rows)
