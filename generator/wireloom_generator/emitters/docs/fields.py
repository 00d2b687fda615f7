"""Fields as the rows of a table: name, offset, size, type, meaning."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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
from wireloom_generator.types.meanings import Meaning

ErrataOf = Callable[[str, str, model.Doc], tuple[Erratum, ...]]
"""From the (kind, name, doc) of something in the table to its errata."""


@dataclass(frozen=True, slots=True)
class FieldTable:
    """Makes the rows of a ``page``. ``errata`` finds those of a field; ``order`` is the byte order in the table's
    title, in words.
    """

    names: Meanings
    errata: ErrataOf
    page: str
    order: str = ""

    def rows(self, trees: Iterable[Tree]) -> list[TableRow]:
        """One row per field; shared structs have tables of their own."""
        return [row for tree in trees for row in self._tree(tree, "")]

    def _tree(self, tree: Tree, when: str) -> Iterator[TableRow]:
        if isinstance(tree, Fork):
            for option in tree.options:
                for inner in option.trees:
                    yield from self._tree(inner, both(when, option))
            return
        at = cell(tree.at.words)
        match tree.node:
            case model.Field() as field:
                kind, meaning = cell(self._type(field, tree.order)), cell(self._field(tree, field, when))
                yield code(field.name), at, _size(tree), kind, meaning
            case model.Computed() as computed:
                yield code(computed.name), "–", "–", "computed", self._computed(computed, when)
            case model.Bits():
                yield from (row for _, row in self._bits(tree, when))
            case model.Padding():
                yield "–", at, _size(tree), "padding", cell(sentences([sentence(when), "Zero bytes"]))
            case model.Section(name=name, doc=doc, trailing=trailing):
                yield code(name), at, _size(tree), "section", self._section(tree, name, doc, trailing, when)
                for inner in tree.inner:
                    yield from self._tree(inner, "")
            case model.Slot(name=name, doc=doc, trailing=trailing):
                yield code(name), at, _size(tree), "section", self._section(tree, name, doc, trailing, when)
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
            return self._typed(wire, wire.order or self.names.order, "")
        return self._typed(wire, None if self.order else self.names.order, order)

    def _typed(self, wire: model.Wire, usual: model.Order | None, order: str) -> str:
        """A type with details that its size does not show, such as an unusual byte order.

        ``order`` is the byte order around it, in words.
        """
        match wire.type:
            case Struct(name=name):
                return self.names.link("type", name, self.page) + (f", {order}" if order else "")
            case FlatBuffers(table=table):
                return f"FlatBuffers table {self.names.link('table', table, self.page)}"
            case plain:
                other = wire.order is not None and wire.order is not usual
                shown = code(plain.notation) if plain.notation == plain.word else plain.notation
                if wire.order is model.Order.PARAMETER and (order or other):
                    return f"{shown}, {order or 'in the order of what it is in'}"
                if wire.order is not None and wire.order.swapped:
                    return f"{shown}, bytes in the order {wire.order.upper()}"
                return shown + (f", {wire.order} endian" if other else "")

    def _field(self, tree: Placed, field: model.Field, when: str) -> str:
        parts = [
            *_begun(field, when),
            _size_in_words(tree),
            *_ending(field.wire.extent),
            "Read from bytes of other fields, and not written" if field.shared else "",
            "Null if its offset leads to no such value" if field.shared and field.optional else "",
            *self._values(field, field.flags),
            self._checksum(field.checksum) if field.checksum else "",
            _default(field),
            self._given(field.inputs),
            "Malformed from 2^63 on" if field.long else "",
            "Can be 2^63 or more, so it is never a long" if field.decimal else "",
            _meant(field.meaning),
            _through(field.through) or self._kept(field),
            *self._rest("field", field.name, field.doc),
        ]
        return sentences(parts)

    def _values(self, field: model.Field | model.BitField, flags: str | None = None) -> Iterator[str]:
        """The values that a field can have."""
        yield f"Always {code(_shown(field.const))}" if field.const is not None else ""
        yield self._named(field.enum, flags)
        yield f"Malformed unless {code(field.valid.text)}" if field.valid else ""
        if isinstance(field.type, Deeper):
            yield f"The bytes of {field.type.like}, since it is inside {field.type.depth} others"
            yield f"Malformed if more than {field.type.deepest} are inside each other"
        yield f"Always {code(field.derive.text)}; filled in on encode" if field.derive else ""
        yield "Some messages derive it" if field.told else ""

    def _computed(self, computed: model.Computed, when: str) -> str:
        parts = [sentence(when), prose(computed.doc.text), f"Computed: {code(computed.value.text)}"]
        parts.append(f"Malformed unless {code(computed.valid.text)}" if computed.valid else "")
        parts.append(_meant(computed.meaning) if computed.instant is None else "")
        parts += [self._named(computed.enum, None), *self._rest("field", computed.name, computed.doc)]
        return cell(sentences(parts))

    def _bits(self, tree: Placed, when: str) -> list[tuple[int, TableRow]]:
        """The rows of an integer's bit fields, those of its choices in their places, each with its first bit."""
        assert isinstance(tree.node, model.Bits)
        found = list(self._bit_fields(tree, tree.node, when))
        for inner in tree.inner:
            found += self._bit_choice(inner, when)
        return sorted(found, key=lambda row: row[0])

    def _bit_choice(self, tree: Tree, when: str) -> Iterator[tuple[int, TableRow]]:
        if isinstance(tree, Placed):
            yield from self._bits(tree, when)
            return
        for option in tree.options:
            for inner in option.trees:
                yield from self._bit_choice(inner, both(when, option))

    def _bit_fields(self, tree: Placed, bits: model.Bits, when: str) -> Iterator[tuple[int, TableRow]]:
        at, size = cell(tree.at.words), str(bits.wire.fixed or 0)
        shown = self._wire(bits.wire, tree.order)
        if bits.whole is not None:
            whole = bits.whole
            parts = [
                *_begun(whole, when),
                "The bits below are its parts; on encode, the number or its parts can be given",
                *self._rest("field", whole.name, whole.doc),
            ]
            yield -1, (code(whole.name), at, size, cell(shown), cell(sentences(parts)))
        for field, shift in zip(bits.fields, bits.shifts, strict=True):
            filled = "" if field.pad is None else f"Filled with the character {code(field.pad.hex())} at its end"
            parts = [*_begun(field, when), filled, *self._values(field), _default(field), _meant(field.meaning)]
            parts += self._rest("field", field.name, field.doc)
            kind = f"{bit_range(shift + field.taken, field.taken)} of {shown}"
            if field.sign is not None:
                kind += f", {field.sign}"
            if field.text is not None:
                kind = f"{field.text.notation}, in {kind}"
            elif field.count is not None:
                kind = f"list of {counted(field.width, 'bit')}, `{field.count}` of them, in {kind}"
            yield field.first, (code(field.name), at, size, cell(kind), cell(sentences(parts)))

    def _named(self, enum: str | None, flags: str | None) -> str:
        if enum:
            return f"Named by {self.names.link('enum', enum, self.page)}"
        return f"Bits named by {self.names.link('flags', flags, self.page)}" if flags else ""

    @staticmethod
    def _kept(field: model.Field) -> str:
        if field.raw is None:
            return ""
        if field.meaning is not None:
            return f"If that does not determine the number, the number is kept in {code(field.raw)}"
        others = "" if isinstance(field.type, FlatBuffers) else ", if encoding the value would give others"
        return f"Its bytes are kept in {code(field.raw)}{others}"

    @staticmethod
    def _given(inputs: Mapping[str, model.Condition]) -> str:
        given = [f"{code(name)} is {code(value.text)}" for name, value in inputs.items()]
        return f"With: {listing(given, 'and')}" if given else ""

    @staticmethod
    def _checksum(checksum: model.Checksum) -> str:
        pieces = (
            f"the bytes {code(piece.hex())}"
            if isinstance(piece, bytes)
            else f"the record's bytes from {code(piece.start.text)} up to, not including, {code(piece.end.text)}"
            for piece in checksum.over
        )
        return f"{checksum.title}, over {', then '.join(pieces)}; filled in on encode"

    def _rest(self, kind: str, name: str, doc: model.Doc) -> list[str]:
        document = f"Source: {source(doc)}" if doc.source else ""
        written = f"In expressions: {code(spelled(name))}" if spelled(name) != name and kind == "field" else ""
        return [*versions(doc), document, written, self._marks(kind, name, doc)]

    def _marks(self, kind: str, name: str, doc: model.Doc) -> str:
        return links(self.errata(kind, name, doc))


_WAYS = {
    "": "Compressed: {}",
    "xor": "XORed with {}",
    "rol": "Its bits are rotated to the left by {}",
    "zeros": "Zeros at the end of {} bytes are left out",
    "unescape": "Escaped: {}",
}


def _through(through: model.Through | None) -> str:
    """The transform of bytes, and the column that keeps the packed ones."""
    if through is None:
        return ""
    way = _WAYS[through.way].format(code(through.asked.text))
    limit = f", to at most {counted(through.limit, 'byte')} when unpacked" if through.limit is not None else ""
    kept = f"; the original bytes are kept in {code(through.raw)}" if through.raw else ""
    return f"{way}{limit}{kept}"


def _meant(meaning: Meaning | None) -> str:
    return "" if meaning is None else f"Read as {meaning.notation}"


def _default(field: model.Field | model.BitField) -> str:
    """The value on encode if none is given."""
    if field.default is None or field.default.text == "none":
        return "Reserved" if field.reserved else ""
    if field.default.is_of_time:
        return f"Taken from {code(field.default.text)} on encode, if not given"
    text = field.default.text.removesuffix(" else None")  # without it, the value has to be given
    default = code(text.lower() if text in ("True", "False") else text)
    return f"Reserved: {default} on encode, if not given" if field.reserved else f"Default on encode: {default}"


_LONGEST_SIZE = 24
HEADER = ("Field", "Offset", "Size", "Type", "Meaning")


def both(when: str, option: Option) -> str:
    """Both conditions, or one if they are the same."""
    return listing([part for part in dict.fromkeys((when, option.when)) if part], "and")


def sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}" if text else ""


def _begun(field: model.Field | model.BitField, when: str) -> tuple[str, ...]:
    """When it is present, what it is, and its unit."""
    return sentence(when), prose(field.doc.text), f"Unit: {phrase(field.doc.unit)}" if field.doc.unit else ""


def _size(tree: Placed) -> str:
    if _wordy(tree):
        return "varies"
    return cell(code(tree.extent.text)) if tree.extent.expression else tree.extent.text


def _wordy(tree: Placed) -> bool:
    """Whether a size is too long for its column, so that it is shown with the meaning."""
    return tree.extent.expression and len(tree.extent.text) > _LONGEST_SIZE


def _size_in_words(tree: Placed) -> str:
    return f"Its size is {code(tree.extent.text)}" if _wordy(tree) else ""


def _shown(const: object) -> object:
    """A constant as the spec writes it."""
    if isinstance(const, bytes):
        return const.hex(" ")
    return str(const).lower() if isinstance(const, bool) else const


def _ending(extent: model.Extent | None) -> Iterator[str]:
    """Where inside its bytes a value ends."""
    until = extent.until if isinstance(extent, model.Size) else extent
    if isinstance(until, model.Terminator):
        end = " or ".join(code(each.hex(" ")) for each in until.ends)
        if isinstance(extent, model.Size):
            yield f"Ends at {end}{' if there is one' if until.unterminated else ''}"
        elif until.unterminated:
            yield "Without a terminator, takes the rest of its section"
        if until.terminator == "keep":
            yield f"The value ends with {end}"
    if isinstance(extent, model.Size) and extent.pad is not None:
        yield f"Padded with {code(extent.pad.hex(' '))}"
