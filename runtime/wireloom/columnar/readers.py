"""For each part of a codec, a reader for many rows at once.

``contents`` names the classes of parts that have a reader, and this module cannot be imported if it has none for one
of them. If ``rowwise`` has a reason against a part, it becomes a ``Fallback``.
"""

from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from construct import BytesInteger, Construct, FormatField

from wireloom import codec, contents, rowwise
from wireloom.codec import computed, flatbuffers, layout, runs, varints
from wireloom.codec.checksums import Algorithm
from wireloom.columnar import ends, packed, parts, values
from wireloom.columnar.ascii import Ascii
from wireloom.columnar.bcd import Bcd
from wireloom.columnar.bits import Bit, BitList, Bits
from wireloom.columnar.deeper import Deeper
from wireloom.columnar.elsewhere import Elsewhere
from wireloom.columnar.expressions import Vectorised, number_of_word, vector
from wireloom.columnar.fields import Field, Joined, Number, Run
from wireloom.columnar.flatbuffers import FlatBuffer
from wireloom.columnar.lists import Repeat
from wireloom.columnar.parts import Fallback, Layout, Part
from wireloom.columnar.varints import Varints
from wireloom.expressions import Expression
from wireloom.expressions.tree import Value
from wireloom.expressions.words import words


@dataclass(slots=True, eq=False)
class Readers:
    """Makes readers of the parts of one protocol.

    ``measured`` are the fields whose positions expressions use. ``proven`` is the checksum, with its field's name, that
    the framing has already checked before the parts are read. ``structs`` are those made so far. Wrong values
    only matter if it is ``judging``.
    """

    judge: rowwise.Judge
    measured: frozenset[str]
    proven: tuple[str, codec.Checksum] | None = None
    structs: dict[int, Layout] = field(default_factory=dict)
    judging: bool = True

    def of(self, judge: rowwise.Judge) -> "Readers":
        """The same for a message with this judge."""
        return replace(self, judge=judge)

    def proving(self, proven: tuple[str, codec.Checksum] | None) -> "Readers":
        """The same for records that this checksum proves."""
        return replace(self, proven=proven)

    def whole(self, valid: Expression | None) -> Vectorised | None:
        """The conditions of whole records. A condition that only the codec can check holds for no row, so rows are left
        to it.
        """
        if valid is not None and self.judge.reason(valid):
            return lambda this, record, frame: False
        return vector(valid)

    def layout(self, content: codec.Layout) -> Layout:
        """The parts of a layout in order."""
        return Layout(*map(self.part, content.steps))

    def part(self, part: object) -> Part:
        """The reader of a part, which may leave it to the codec."""
        return Fallback() if self.judge.reason(part) else reader(part, self)

    def field(self, name: str, said: codec.Field) -> Field:
        """A field with its conditions."""
        if not self.judging:
            return Field(name, said, located=name in self.measured, judged=False)
        checksum = written = None
        if said.checksum is not None:
            over = [each if isinstance(each, bytes) else covered(each) for each in said.checksum.over]
            written = Joined(said.checksum.algorithm, over)
            checksum = None if self.is_proven(name, said.checksum) else written
        return Field(
            name,
            said,
            valid=vector(said.valid),
            derive=vector(said.derive),
            checksum=checksum,
            written=written,
            located=name in self.measured,
        )

    def is_proven(self, name: str, checksum: codec.Joined) -> bool:
        """Whether the framing has already checked the same bytes."""
        return self.proven is not None and (name, *_written(checksum)) == (self.proven[0], *_written(self.proven[1]))


def covered(bounds: tuple[Expression, Expression]) -> tuple[Vectorised, Vectorised]:
    """Where a range of bytes begins and ends."""
    return vector(bounds[0]), vector(bounds[1])


def _written(checksum: codec.Joined) -> tuple[Algorithm, list[bytes | tuple[str, ...]]]:
    return checksum.algorithm, [
        each if isinstance(each, bytes) else tuple(bound.written for bound in each) for each in checksum.over
    ]


@singledispatch
def reader(part: object, readers: Readers) -> Any:
    """The reader of a part, a value or an extent of the codec, for many rows at once."""
    raise AssertionError(f"nothing reads a {type(part).__name__} in many rows")


@reader.register
def _run(part: runs.Run, readers: Readers) -> Run:
    return Run(readers.field(name, said) for name, said in part.fields)


@reader.register
def _lone(part: layout.Lone, readers: Readers) -> parts.Lone:
    inside = [name.partition(".")[2] for name in readers.measured if name.startswith(f"{part.name}.")]
    keeps = part.raw is not None and contents.read_with_raw(part.subcon)
    return parts.Lone(readers.field(part.name, part.field), reader(part.subcon, readers), inside, keeps=keeps)


@reader.register
def _bits(part: codec.Bits, readers: Readers) -> Bits:
    bits = (_bit(part, readers.field(name, said), said.subcon, shift, mask) for name, said, shift, mask in part.fields)
    whole = None if part.whole is None else readers.field(*part.whole)
    return Bits(Number.from_construct(part.integer), *bits, whole=whole, over=part.over)


def _bit(part: codec.Bits, field: Field, kind: Construct, shift: int, mask: int) -> Bit | BitList:
    if not isinstance(kind, codec.BitList):
        return Bit(field, shift, mask, boolean=kind.type == "boolean")
    meaning = kind.item.meaning if isinstance(kind.item, codec.As) else None
    shifts = tuple(shift + each for each in kind.shifts(lsb=part.lsb))
    boolean = kind.item.type == "boolean"
    return BitList(field, shifts, (1 << kind.width) - 1, kind.weight, boolean=boolean, meaning=meaning)


@reader.register
def _computed(part: computed.Computed, readers: Readers) -> parts.Computed:
    value = vector(part.compute.value)
    return parts.Computed(readers.field(part.name, part.field), value, str(part.compute.type), part.compute.meaning)


@reader.register
def _pad(part: codec.Pad, readers: Readers) -> parts.Pad:
    return parts.Pad(reader(part.extent, readers), part.align, part.start)


@reader.register
def _section(part: codec.Section, readers: Readers) -> parts.Section:
    return parts.Section(part.name, reader(part.extent, readers), readers.layout(part.content), part.trailing)


@reader.register
def _slot(part: codec.Slot, readers: Readers) -> parts.Slot:
    return parts.Slot(part.name, reader(part.extent, readers), readers.layout(part.content), part.trailing)


@reader.register
def _when(part: codec.When, readers: Readers) -> parts.When:
    return parts.When(vector(part.condition), readers.layout(part.content))


@reader.register
def _elsewhere(part: codec.Elsewhere, readers: Readers) -> Elsewhere:
    return Elsewhere(vector(part.at), readers.layout(part.content), shared=part.shared)


@reader.register
def _ordered(part: codec.Ordered, readers: Readers) -> parts.Ordered:
    return parts.Ordered(vector(part.little), readers.layout(part.content))


@reader.register
def _choice(part: codec.Choice, readers: Readers) -> parts.Choice:
    options = part.alternatives
    return parts.Choice(
        *(_when(one, readers) if isinstance(one, codec.When) else readers.layout(one) for one in options)
    )


@reader.register
def _optional(part: codec.Optional, readers: Readers) -> parts.Optional:
    return parts.Optional(readers.layout(part.content))


@reader.register
def _table(part: flatbuffers.Encoded, readers: Readers) -> FlatBuffer:
    kind, located = part.encoding, part.name in readers.measured
    return FlatBuffer(part.name, reader(kind.extent, readers), kind.table, raw=kind.raw, located=located)


@reader.register
def _unpack(part: codec.Unpack, readers: Readers) -> packed.Unpack:
    return packed.Unpack(_way(part.through), readers.layout(part.content), part.trailing, part.through.raw)


@reader.register
def _packed(value: codec.Packed, readers: Readers) -> packed.Packed:
    extent, inside = reader(value.extent, readers), reader(value.value, readers)
    return packed.Packed(extent, _way(value.through), inside, value.through.raw)


def _way(through: codec.Through) -> packed.Way:
    match through.way, through.way.asked.tree:
        case codec.Xor(), Value(bytes() as key):
            return packed.Xor(key)
        case codec.Xor(asked=key), _:
            return packed.Xor(vector(key))
        case codec.Rol(), Value(int() as bits):
            return packed.Rol(int(bits))
        case codec.Zeros(), Value(int() as size):
            return packed.Zeros(int(size))
        case codec.Compressing(), tree:
            return packed.Compressing(words(tree), number_of_word(tree, words(tree)), through.limit)
    raise AssertionError(f"nothing unpacks {through.way.asked.written} in many rows")


@reader.register
def _struct(value: codec.Layout, readers: Readers) -> Layout:
    if id(value) not in readers.structs:
        readers.structs[id(value)] = replace(readers, proven=None).layout(value)
    return readers.structs[id(value)]


@reader.register
def _with(value: codec.With, readers: Readers) -> parts.With:
    asked = {name: vector(each) for name, each in value.values.items()}
    return parts.With(reader(value.layout, readers), asked, [item.name for item in value.items])


@reader.register
def _number(value: FormatField | BytesInteger | codec.Boolean | codec.EitherOrder, readers: Readers) -> Number:
    return Number.from_construct(value)


@reader.register
def _varint(value: varints.Varint, readers: Readers) -> Varints:
    return Varints(value)


@reader.register
def _bcd(value: codec.Bcd, readers: Readers) -> Bcd:
    return Bcd(value)


@reader.register
def _deeper(value: codec.Deeper, readers: Readers) -> Deeper:
    return Deeper()


@reader.register
def _ascii(value: codec.Ascii, readers: Readers) -> Ascii:
    return Ascii(value, reader(value.extent, readers))


@reader.register
def _as(value: codec.As, readers: Readers) -> values.As:
    return values.As(reader(value.subcon, readers), value.meaning)


@reader.register
def _blob(value: codec.Blob, readers: Readers) -> values.Blob:
    return values.Blob(reader(value.extent, readers))


@reader.register
def _text(value: codec.Text, readers: Readers) -> values.Text | values.Blob:
    if not readers.judging:
        return values.Blob(reader(value.extent, readers))
    return values.Text(reader(value.extent, readers), value.encoding, strict=value.strict)


@reader.register
def _constant(value: codec.Constant, readers: Readers) -> values.Constant | values.Blob:
    if not readers.judging:
        return values.Blob(values.Size(len(value.value)))
    return values.Constant(value.value)


@reader.register
def _nested(value: codec.Nested, readers: Readers) -> values.Nested:
    return values.Nested(reader(value.extent, readers), reader(value.layout, readers))


@reader.register
def _repeat(value: codec.Repeat, readers: Readers) -> Repeat:
    count: Vectorised | int | None = vector(value.count)
    match value.count:
        case Expression(tree=Value(int() as number)):
            count = int(number)
    item = reader(value.item, readers)
    return Repeat(
        item,
        weight=value.weight,
        count=count,
        until=vector(value.until),
        hollow=value.hollow,
        numbered=value.numbered,
        name=value.name,
    )


@reader.register
def _rest(extent: codec.Rest, readers: Readers) -> values.Rest:
    return values.Rest()


@reader.register
def _size(extent: codec.Size, readers: Readers) -> values.Size:
    return values.Size(extent.size if isinstance(extent.size, int) else vector(extent.size))


@reader.register
def _prefixed(extent: codec.Prefixed, readers: Readers) -> values.Prefixed:
    return values.Prefixed(reader(extent.length, readers))


@reader.register
def _until(extent: codec.Until, readers: Readers) -> ends.Until:
    return ends.Until(extent)


@reader.register
def _padded(extent: codec.Padded, readers: Readers) -> ends.Padded:
    assert isinstance(extent.size, codec.Size)
    assert isinstance(extent.size.size, int)
    return ends.Padded(extent, extent.size.size)


if _unlike := contents.readable() ^ (reader.registry.keys() - {object}):
    raise TypeError(f"contents and readers do not both know {', '.join(sorted(each.__name__ for each in _unlike))}")
