"""The data of a message's page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireloom_generator import model
from wireloom_generator.blocks import message_name
from wireloom_generator.emitters.docs import errata as places
from wireloom_generator.emitters.docs.columns import COLUMNS, message_columns
from wireloom_generator.emitters.docs.drawings import drawn, is_drawable
from wireloom_generator.emitters.docs.errata import Errata, Erratum, links
from wireloom_generator.emitters.docs.fields import HEADER, FieldTable
from wireloom_generator.emitters.docs.framing import lengths_of
from wireloom_generator.emitters.docs.layout import Position, order_of
from wireloom_generator.emitters.docs.markdown import cell, code, listing, phrase, prose, sentences, source, versions
from wireloom_generator.emitters.docs.names import Meanings, Reference, page_of
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
from wireloom_generator.reading.vocabulary import NOTATIONS, OMITTED
from wireloom_generator.traces import Traces, as_json

if TYPE_CHECKING:
    from wireloom.consumer_types import Differing
    from wireloom.inspection import Inspected


@dataclass(frozen=True, slots=True)
class ExampleBlock:
    """A worked example; ``message`` and ``name`` are the spec's. Only what was run is ``inspected`` and has a row."""

    message: str
    name: str
    title: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    data: bytes
    inspected: "Inspected | None"
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessagePage:
    title: str
    name: str
    protocol: str
    paragraphs: tuple[str, ...]
    errata: tuple[Erratum, ...]
    facts: tuple[str, ...]
    choosing: tuple[str, ...]
    variants: PageTable
    layouts: tuple[Passage, ...]
    groups: tuple[Group, ...]
    columns: PageTable
    types: PageTable
    examples: tuple[tuple[ExampleBlock, ...], ...]


class MessagePages:
    """Makes the pages of a protocol's messages, or that of its captures' preamble, with the protocol's ``homes``."""

    def __init__(
        self,
        protocol: model.Protocol,
        errata: Errata,
        traces: Traces,
        types: "Differing",
        *,
        homes: Mapping[Reference, str] | None = None,
    ) -> None:
        self.is_preamble = homes is not None
        self.protocol = protocol
        self.errata = errata
        self.traces = traces
        self.types = types
        self.names = Meanings(protocol, homes)
        self.records = Records(self.names)
        self.shared = References(self.names, errata)

    def page(self, message: model.Message) -> MessagePage:
        shapes = self.records.shapes(message)
        used = self.shared.groups(page_of(message), self.names.used(message.nodes))
        forms = [form_block(self.names, self.errata, message, form) for form in message.forms]
        return MessagePage(
            title=phrase(message.doc.title or message.name),
            name=message.name,
            protocol=phrase(self.protocol.doc.title),
            paragraphs=(prose(message.doc.text),) if message.doc.text else (),
            errata=self.errata.at(places.message_place(message), message.doc),
            facts=tuple(self._facts(message, shapes)),
            choosing=_choosing(message),
            variants=_variants(message),
            layouts=tuple(self._layouts(message, shapes)),
            groups=(*used, *groups({"Textual forms": forms})),
            columns=table(COLUMNS, message_columns(message)),
            types=self._types(message),
            examples=(tuple(self._examples(message)),) if message.examples else (),
        )

    def _types(self, message: model.Message) -> PageTable:
        """The types for each consumer of the columns for which these differ."""
        from wireloom.options import TableTypes  # which only types that the codec has come with

        names = self.types.get(message.name, {}).items()
        return table(("Column", *TableTypes), ((code(path), *map(code, kinds)) for path, kinds in names))

    def _facts(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> Iterator[str]:
        if message.doc.source:
            yield f"Source: {source(message.doc)}."
        yield from (f"{version}." for version in versions(message.doc) if version)
        if message_name(message.name) != message.name:
            yield f"In Python: {code(message_name(message.name))}."
        if self.is_preamble:
            yield "Once, at the start of a capture."
        else:
            selected = self.names.selected(message)
            which = "always this message" if selected == "always" else f"this message if {selected}"
            yield f"A record has [the header of the protocol](index.md#header), and is {which}."
        yield from lengths_of(self.protocol, message)
        if message.valid is not None:
            yield f"Malformed unless {code(message.valid.text)}."
        yield from self._sections(message, shapes)
        yield from self._answers(message)

    def _sections(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> Iterator[str]:
        """The sections without fields, and those that may have bytes after their fields."""
        layouts = message.sections, *(variant.sections for variant in message.variants)
        used = {name for sections in layouts for name, nodes in sections.items() if nodes}
        slots = [] if self.is_preamble else self.protocol.record.slots
        empty = [slot.name for slot in slots if slot.name not in used]
        if empty:
            yield f"Without fields: {listing(map(code, empty), 'and')}."
        kept = [f"{code(slot.name)} in {code(slot.trailing)}" for slot in slots if slot.name in message.trailing]
        if kept:
            yield f"Bytes after the last field are kept: of {listing(kept, 'and')}."

    def _answers(self, message: model.Message) -> Iterator[str]:
        """The messages that it answers, and those that answer it."""
        if (answers := message.answers) is not None:
            yield f"Answers {_linked(answers.to)}: the request with the same {' and '.join(map(code, answers.by))}."
            if answers.quiet:
                yield f"Most requests have no answer if {self.names.matching(answers.quiet, message.match)}."
            if answers.more:
                variants = " or ".join(map(code, answers.more))
                yield f"After the variant {variants}, another answer to the same request follows."
        answered = [each.name for each in self.protocol.messages if each.answers and message.name in each.answers.to]
        if answered:
            yield f"Answered by {_linked(answered)}."

    def selected(self, shape: HeaderForm, shapes: tuple[HeaderForm, ...]) -> str:
        """Which records have this form of the header; empty if all have."""
        telling = {name: values for name, values in shape.match.items() if any(values != s.match[name] for s in shapes)}
        return f"If {self.names.matching(telling)}" if telling else ""

    def _layouts(self, message: model.Message, shapes: tuple[HeaderForm, ...]) -> Iterator[Passage]:
        """The fields that all variants share, then those of each variant, with drawings of the records."""
        shape = shapes[0]
        parts = self.records.parts(shape, message)
        place = places.message_place(message)
        if any(part.common for part in parts if self._mine(part)):
            title = "In every variant" if message.variants else ""
            tables = tuple(self._tables(message, shapes))
            drawings = () if message.variants else (self._drawing(parts),)
            of_fields = f"{place}, field ", f"{place}, section "  # not of a variant or an example
            found = [erratum for erratum in self.errata.within(place) if erratum.place.startswith(of_fields)]
            yield Passage(title, "every-variant", (), tuple(found), tables, drawings)
        for variant in message.variants:
            yield self._variant(message, variant, shapes)

    def _variant(self, message: model.Message, variant: model.Variant, shapes: tuple[HeaderForm, ...]) -> Passage:
        parts = self.records.parts(shapes[0], message, variant)
        tables = tuple(self._tables(message, shapes, variant))
        condition = f"if {code(variant.when.text)}" if variant.when else "if no other"
        when = f"Variant {code(variant.name)}, {condition}."
        if variant.valid is not None:
            when += f" Malformed unless {code(variant.valid.text)}."
        texts = paragraphs(variant.doc, when)
        mine = [part for part in parts if self._mine(part)]
        if not is_drawable(mine):
            texts = (*texts, "Nothing follows the header.")
        drawings = (self._drawing(parts),) if is_drawable(mine) else ()
        title = phrase(variant.doc.title or variant.name)
        return Passage(
            title,
            f"variant-{variant.name}",
            texts,
            self.errata.within(places.message_place(message, variant)),
            tables,
            drawings,
        )

    @staticmethod
    def _mine(part: Area) -> bool:
        """Whether a part holds a message's fields."""
        return isinstance(part.section, model.Slot)

    def _tables(
        self, message: model.Message, shapes: tuple[HeaderForm, ...], variant: model.Variant | None = None
    ) -> Iterator[Titled]:
        """The fields by section: those that all variants share, or those of one variant."""
        finder = self.shared.finder(places.message_place(message, variant))
        laid_out = [(shape, self.records.parts(shape, message, variant)) for shape in shapes]
        for part in laid_out[0][1]:
            trees = part.common if variant is None else part.own
            if trees and self._mine(part):
                order = order_of(trees)
                fields = FieldTable(self.names, finder, page_of(message), order)
                starts = [(shape, each.at) for shape, parts in laid_out for each in parts if each.name == part.name]
                title = [f"Section {code(part.name)}", self._begins(starts, shapes), *([order] if order else [])]
                yield Titled(f"{', '.join(title)}:", table(HEADER, fields.rows(trees)))

    def _begins(self, starts: Iterable[tuple[HeaderForm, Position]], shapes: tuple[HeaderForm, ...]) -> str:
        """Where a section begins; if that is fixed in some forms of the header only, in which."""
        found: dict[str, list[str]] = {}
        for shape, at in sorted(starts, key=lambda start: not start[1].terms):
            when = self.selected(shape, shapes).replace("If", "if", 1)
            found.setdefault(at.words if at.terms else f"at offset {at}", []).append("" if at.terms else f" {when}")
        if len(found) == 1:
            return next(iter(found))
        return ", ".join(f"{words}{listing(dict.fromkeys(when))}" for words, when in found.items())

    def _drawing(self, parts: list[Area]) -> Titled:
        mine = [part for part in parts if self._mine(part) or part.name == TRAILER]
        return sketch("", drawn(mine, [part for part in parts if part not in mine]))

    def _examples(self, message: model.Message) -> Iterator[ExampleBlock]:
        yield from (self._example(message, example) for example in message.examples)

    def _example(self, message: model.Message, example: model.Example) -> ExampleBlock:
        place = places.member_place(places.message_place(message), "example", example.name)
        traced = self.traces.get((message.name, example.name))
        given = [f"{code(name)} {code(str(value).lower())}" for name, value in example.parameters.items()]
        texts = [prose(example.doc.text)] if example.doc.text else []
        texts += [f"Source: {source(example.doc)}."] if example.doc.source else []
        texts += [f"Read with {listing(given, 'and')}."] if given else []
        return ExampleBlock(
            message=message.name,
            name=example.name,
            title=phrase(example.name),
            paragraphs=tuple(texts),
            errata=self.errata.at(place, example.doc),
            data=example.data,
            inspected=traced.inspected if traced else None,
            rows=(as_json(traced.row),) if traced and traced.row else (),
        )


def _linked(messages: Sequence[str]) -> str:
    """Messages with links to their pages."""
    links = [f"[{name}]({name}.md)" for name in messages]
    return " or ".join(filter(None, (", ".join(links[:-1]), links[-1])))


def _choosing(message: model.Message) -> tuple[str, ...]:
    """How the variant is found."""
    if not message.variants:
        return ()
    first = "The first variant whose condition holds applies."
    if message.otherwise is None:
        return (f"{first} One always holds.",)
    if message.otherwise.expression == Value(False):
        return (f"{first} Without one, the record is malformed.",)
    kept = ", and bytes without a field are in the trailing columns" if message.trailing else ""
    if message.otherwise.expression == Value(True):
        return (f"{first} Without one, `variant` is null{kept}.",)
    unless = (
        f"Without one, the record is malformed unless {code(message.otherwise.text)}; then `variant` is null{kept}."
    )
    return (f"{first} {unless}",)


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


_PLAIN: Mapping[object, str] = {model.Primitive.BOOLEAN: "true or false", model.Primitive.STRING: "the text"}


def form_block(names: Meanings, errata: Errata, message: model.Message, form: model.Form) -> Passage:
    """The keys of a form in the order written."""
    place = places.member_place(places.message_place(message), "form", form.name)
    walked = model.walk(message.nodes)
    known = {node.name: node for node in walked if isinstance(node, model.Field | model.Computed | model.BitField)}
    rows = []
    for entry in form.entries:
        found = errata.at(places.member_place(place, "key", entry.key), entry.doc)
        holds = f"always {code(entry.const)}" if entry.const is not None else _held(entry, known)
        meaning = sentences([prose(entry.doc.text), links(found)])
        rows.append((cell(code(entry.key)), cell(holds), OMITTED[entry.omit], cell(meaning)))
    grid = table(("Key", "Holds", "Left out", "Remark"), rows)
    intro = f"Form {code(form.name)}: one JSON object a line, its keys in this order."
    if not form.reads:
        intro += " Lines are written, and not read."
    texts = paragraphs(form.doc, intro)
    return Passage(f"Form {form.name}", f"form-{form.name}", texts, errata.within(place), (Titled("", grid),))


def _held(entry: model.FormEntry, known: Mapping[str, model.Field | model.Computed | model.BitField]) -> str:
    field = known.get(entry.field or "")
    if entry.notation == "label":
        how = f"its name in {field.enum}" if field and field.enum else "its name"
    elif entry.notation == "value":
        how = _PLAIN.get(field.columns[0].type if field else None, "the number")
    else:
        how = NOTATIONS[entry.notation]
    return f"{code(entry.field)}: {how}"
