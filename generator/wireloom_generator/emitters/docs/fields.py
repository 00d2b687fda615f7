"""Fields as the rows of a table: offset, size, type, name, meaning, Spark type."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.emitters.docs.columns import TableRow
from wireloom_generator.emitters.docs.errata import Erratum, links
from wireloom_generator.emitters.docs.layout import Fork, Option, Placed, Tree
from wireloom_generator.emitters.docs.markdown import (
    bit_range,
    cell,
    code,
    listing,
    phrase,
    prose,
    sentences,
    source,
    versions,
)
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.expressions import spelled
from wireloom_generator.problems import counted
from wireloom_generator.types import Deeper, FlatBuffers, Struct
from wireloom_generator.types.columns import brief
from wireloom_generator.types.meanings import Meaning

ErrataOf = Callable[[str, str, model.Doc], tuple[Erratum, ...]]
"""From the (kind, name, doc) of something in the table to its errata."""


class FieldTable:
    """Makes rows. ``errata`` finds those of a field; ``here`` adds a remark to a header field, by name.

    ``order`` is the byte order that the table's title tells, in words.
    """

    def __init__(
        self,
        names: Meanings,
        errata: ErrataOf,
        *,
        links_to: str = "",
        here: Callable[[str], str] | None = None,
        order: str = "",
    ) -> None:
        self.names = names
        self.errata = errata
        self.links_to = links_to
        self.here = here or (lambda name: "")
        self.order = order

    def rows(self, trees: Iterable[Tree]) -> list[TableRow]:
        """One row per field; shared structs have tables of their own."""
        return [row for tree in trees for row in self._tree(tree, "")]

    def _tree(self, tree: Tree, when: str) -> Iterator[TableRow]:
        if isinstance(tree, Fork):
            for option in tree.options:
                for inner in option.trees:
                    yield from self._tree(inner, both(when, option))
            return
        at = str(tree.at)
        match tree.node:
            case model.Field() as field:
                kind, meaning = cell(self._type(field, tree.order)), cell(self._field(tree, field, when))
                yield at, _size(tree), kind, code(field.name), meaning, _types(field.columns)
            case model.Computed() as computed:
                yield (
                    "–",
                    "–",
                    "computed",
                    code(computed.name),
                    self._computed(computed, when),
                    _types(computed.columns),
                )
            case model.Bits() as bits:
                yield from self._bits(at, bits, when, tree.order)
            case model.Padding():
                yield at, _size(tree), "padding", "–", cell(sentences([sentence(when), "Zero bytes"])), "–"
            case model.Section(name=name, doc=doc, trailing=trailing):
                raw = tree.node.through.raw if tree.node.through is not None else None
                kept = "<br>".join(f"{code(column)}: `binary`" for column in (trailing, raw) if column) or "–"
                yield at, _size(tree), "section", code(name), self._section(tree, name, doc, trailing, when), kept
                for inner in tree.inner:
                    yield from self._tree(inner, "")
            case model.Slot(name=name, doc=doc, trailing=trailing):
                yield at, _size(tree), "section", code(name), self._section(tree, name, doc, trailing, when), "–"
            case _:
                assert_never(tree.node)

    def _section(self, tree: Placed, name: str, doc: model.Doc, trailing: str | None, when: str) -> str:
        left = f"Bytes left over are kept in {code(trailing)}" if trailing else "Bytes left over are malformed"
        packed = isinstance(tree.node, model.Section) and _through(tree.node.through)
        parts = [sentence(when), prose(doc.text), _size_in_words(tree), packed or "", left]
        parts.append(self._marks("section", name, doc))
        return cell(sentences(parts))

    def _type(self, field: model.Field, order: str) -> str:
        shown = self._wire(field.wire, order)
        if field.repeat is None:
            return shown
        if field.repeat.count is not None:
            return f"list of {shown}, {code(field.repeat.count.text)} of them"
        if field.repeat.until is not None:
            return f"list of {shown}, up to the first with {code(field.repeat.until.text)}"
        return f"list of {shown}, to the end of its section"

    def _wire(self, wire: model.Wire, order: str) -> str:
        if order and order == self.order:
            return wire_type(wire, wire.order or self.names.order, "", links_to=self.links_to)
        return wire_type(wire, self.names.order, order, links_to=self.links_to)

    def _field(self, tree: Placed, field: model.Field, when: str) -> str:
        checksum = field.checksum
        const = _shown(field.const)
        parts = [
            sentence(when),
            prose(field.doc.text),
            _unit(field.doc),
            _size_in_words(tree),
            *_ending(field.wire.extent),
            self.here(field.name),
            "Its bytes belong to others; it is only read" if field.shared else "",
            f"Always {code(const)}" if field.const is not None else "",
            self._named(field.enum, field.flags),
            f"Malformed unless {code(field.valid.text)}" if field.valid else "",
            "Malformed if there is one" if isinstance(field.type, Deeper) else "",
            f"Always {code(field.derive.text)}; filled in on encode" if field.derive else "",
            self._checksum(checksum) if checksum else "",
            self._default(field.default),
            self._given(field.inputs),
            "Below 2^63, else malformed" if field.long else "",
            "May be 2^63 or more, so that it is never a long" if field.decimal else "",
            _meant(field.meaning),
            _through(field.through) or self._kept(field),
        ]
        return sentences([*parts, *self._rest("field", field.name, field.doc)])

    def _computed(self, computed: model.Computed, when: str) -> str:
        parts = [sentence(when), prose(computed.doc.text), f"Not in the bytes, but {code(computed.value.text)}"]
        parts.append(_meant(computed.meaning))
        parts += [self._named(computed.enum, None), *self._rest("field", computed.name, computed.doc)]
        return cell(sentences(parts))

    def _bits(self, at: str, bits: model.Bits, when: str, order: str) -> Iterator[TableRow]:
        size = bits.wire.fixed or 0
        shown = self._wire(bits.wire, order)
        if bits.whole is not None:
            whole = bits.whole
            parts = [
                sentence(when),
                prose(whole.doc.text),
                _unit(whole.doc),
                "The bits below are parts of it, and it or they are enough on encode",
                *self._rest("field", whole.name, whole.doc),
            ]
            yield (
                at,
                str(size),
                shown,
                code(whole.name),
                cell(sentences(parts)),
                _types(whole.columns),
            )
        for field, shift in zip(bits.fields, bits.shifts, strict=True):
            parts = [
                sentence(when),
                prose(field.doc.text),
                _unit(field.doc),
                f"Always {code(_shown(field.const))}" if field.const is not None else "",
                self._named(field.enum, None),
                f"Malformed unless {code(field.valid.text)}" if field.valid else "",
                f"Always {code(field.derive.text)}; filled in on encode" if field.derive else "",
                self._default(field.default),
                _meant(field.meaning),
                *self._rest("field", field.name, field.doc),
            ]
            kind = f"{bit_range(shift + field.taken, field.taken)} of {shown}"
            if field.count is not None:
                kind = f"list of {counted(field.width, 'bit')}, `{field.count}` of them, in {kind}"
            yield at, str(size), kind, code(field.name), cell(sentences(parts)), _types(field.columns)

    def _named(self, enum: str | None, flags: str | None) -> str:
        if enum:
            return f"Named by [{enum}]({self.links_to}#enum-{enum.lower()})"
        return f"Bits named by [{flags}]({self.links_to}#flags-{flags.lower()})" if flags else ""

    @staticmethod
    def _kept(field: model.Field) -> str:
        if field.raw is None:
            return ""
        if field.meaning is not None:
            return f"Where that does not determine the number, the number is kept in {code(field.raw)}"
        others = "" if isinstance(field.type, FlatBuffers) else " if they are not those that it is written as"
        return f"Its bytes are kept in {code(field.raw)}{others}"

    @staticmethod
    def _given(inputs: Mapping[str, model.Condition]) -> str:
        given = [f"{code(name)} is {code(value.text)}" for name, value in inputs.items()]
        return f"In it, {listing(given, 'and')}" if given else ""

    @staticmethod
    def _checksum(checksum: model.Checksum) -> str:
        pieces = (
            f"the bytes {code(piece.hex())}"
            if isinstance(piece, bytes)
            else f"the record's bytes from {code(piece.start.text)} up to, not including, {code(piece.end.text)}"
            for piece in checksum.over
        )
        return f"{checksum.title}, over {', then '.join(pieces)}; filled in on encode"

    @staticmethod
    def _default(default: model.Condition | None) -> str:
        if default is None or default.text == "none":
            return ""
        told = default.text.removesuffix(" else None")  # where nothing tells it, it has to be given
        return f"If not given on encode: {code(told)}"

    def _rest(self, kind: str, name: str, doc: model.Doc) -> list[str]:
        laid = f"Laid down in {source(doc)}" if doc.source else ""
        asked = f"Expressions write {code(spelled(name))}" if spelled(name) != name and kind == "field" else ""
        return [*versions(doc), laid, asked, self._marks(kind, name, doc)]

    def _marks(self, kind: str, name: str, doc: model.Doc) -> str:
        return links(self.errata(kind, name, doc), self.links_to)


_WAYS = {
    "": "Packed: {}",
    "xor": "XORed with {}",
    "rol": "Its bits are rotated to the left by {}",
    "zeros": "Zeros at the end of {} bytes are cut off",
}


def _through(through: model.Through | None) -> str:
    """What bytes go through, and where the packed ones are kept."""
    if through is None:
        return ""
    way = _WAYS[through.way].format(code(through.asked.text))
    limit = f", and unpacks to {counted(through.limit, 'byte')} at most" if through.limit is not None else ""
    kept = f"; the packed bytes are kept in {code(through.raw)}" if through.raw else ""
    return f"{way}{limit}{kept}"


def _meant(meaning: Meaning | None) -> str:
    return "" if meaning is None else f"It stands for {meaning.notation}"


_LONGEST_SIZE = 24
HEADER = ("Offset", "Size", "Type", "Field", "Meaning", "Spark type")


def wire_type(wire: model.Wire, usual: model.Order, order: str, *, links_to: str = "") -> str:
    """A type on the wire with details that its size does not show, such as an unusual byte order.

    ``order`` is that of what it is in, in words.
    """
    match wire.type:
        case Struct(name=name):
            return f"[{name}]({links_to}#type-{name.lower()})" + (f", {order}" if order else "")
        case FlatBuffers(table=table):
            return f"FlatBuffers table [{table}]({links_to}#table-{table.lower()})"
        case plain:
            other = wire.order is not None and wire.order is not usual
            shown = code(plain.notation) if plain.notation == plain.word else plain.notation
            if wire.order is model.Order.PARAMETER and (order or other):
                return f"{shown}, {order or 'in the order of what it is in'}"
            return shown + (f", {wire.order} endian" if other else "")


def both(when: str, option: Option) -> str:
    """Two conditions joined, or one if they are the same."""
    return listing([part for part in dict.fromkeys((when, option.when)) if part], "and")


def sentence(text: str) -> str:
    """The text with a capital letter."""
    return f"{text[0].upper()}{text[1:]}" if text else ""


def _unit(doc: model.Doc) -> str:
    return f"Unit: {phrase(doc.unit)}" if doc.unit else ""


def _size(tree: Placed) -> str:
    if _wordy(tree):
        return "varies"
    return cell(code(tree.extent.text)) if tree.extent.expression else tree.extent.text


def _wordy(tree: Placed) -> bool:
    """Whether a size is too long for its column, so that it is shown with the meaning."""
    return tree.extent.expression and len(tree.extent.text) > _LONGEST_SIZE


def _size_in_words(tree: Placed) -> str:
    return f"Its size is {code(tree.extent.text)}" if _wordy(tree) else ""


def _types(columns: tuple[model.Column, ...]) -> str:
    first, *others = columns
    shown = code(brief(first.type))
    return shown + "".join(f"<br>{code(other.name)}: {code(brief(other.type))}" for other in others)


def merged(tables: Sequence[tuple[str, Sequence[TableRow]]]) -> list[TableRow]:
    """Several tables with conditions as one; a row that is not in all of them shows its condition."""
    found: list[TableRow] = []
    for _, rows in tables:
        at = 0
        for row in rows:
            if row in found:
                at = found.index(row) + 1
                continue
            while at < len(found) and found[at] not in rows:
                at += 1
            found.insert(at, row)
            at += 1
    return [_restricted(row, [when for when, rows in tables if row in rows], len(tables)) for row in found]


def _restricted(row: TableRow, held: Sequence[str], of: int) -> TableRow:
    if len(held) == of:
        return row
    when = f"{sentence(listing(text.replace('If', 'if', 1) for text in held))}."
    meaning = HEADER.index("Meaning")
    return (*row[:meaning], f"{when} {row[meaning]}", *row[meaning + 1 :])


def _shown(const: object) -> object:
    """A constant as the spec writes it."""
    if isinstance(const, bytes):
        return const.hex(" ")
    return str(const).lower() if isinstance(const, bool) else const


def _ending(extent: model.Extent | None) -> Iterator[str]:
    """Where inside its bytes a value ends."""
    until = extent.until if isinstance(extent, model.Size) else extent
    if isinstance(until, model.Terminator):
        end = code(until.value.hex(" "))
        if isinstance(extent, model.Size):
            yield f"Ends at {end}{' if there is one' if until.unterminated else ''}"
        elif until.unterminated:
            yield "Without it, takes the rest of its section"
        if until.terminator == "keep":
            yield f"The value ends with {end}"
    if isinstance(extent, model.Size) and extent.pad is not None:
        yield f"Filled up with {code(extent.pad.hex(' '))}"
