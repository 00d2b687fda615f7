"""The plan of a protocol: for each part of its codec, a reader for many rows at once.

``contents`` names the classes of parts that have a reader, and this module cannot be imported if it has none for one
of them. If ``rowwise`` has a reason against a part, it becomes a ``Fallback``.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache, singledispatch
from typing import Any

from construct import BytesInteger, FormatField

from wireloom import codec, contents, rowwise
from wireloom.codec import computed, flatbuffers, headed, layout, runs, varints
from wireloom.codec.checksums import Algorithm
from wireloom.codec.headed import HeadItem
from wireloom.codec.lengths import Ends
from wireloom.codec.matching import Match
from wireloom.codec.message import Record as CodecRecord
from wireloom.columnar import ends, packed, parts, values
from wireloom.columnar.ascii import Ascii
from wireloom.columnar.bcd import Bcd
from wireloom.columnar.bits import Bit, Bits
from wireloom.columnar.deeper import Deeper
from wireloom.columnar.elsewhere import Elsewhere
from wireloom.columnar.expressions import Vectorised, number_of_word, vector
from wireloom.columnar.fields import Checksum, Field, Joined, Number, Run, code
from wireloom.columnar.flatbuffers import FlatBuffer
from wireloom.columnar.framing import Framing, Lengths, Probe
from wireloom.columnar.headed import Closed, Opened, Reached
from wireloom.columnar.lists import Repeat
from wireloom.columnar.messages import Message, Plan, Record, Variant
from wireloom.columnar.parts import Enclosing, Fallback, Layout, Part, Slot
from wireloom.columnar.varints import Varints
from wireloom.expressions import Expression
from wireloom.expressions.tree import Value
from wireloom.expressions.words import words


@lru_cache(maxsize=64)
def plan_of(protocol: codec.Protocol) -> Plan:
    """The plan of a protocol, made when it is first asked for."""
    planner = Planner(rowwise.Judge.of(protocol), rowwise.measured(protocol))
    record = planner.proving(protocol, {}).record(protocol.record)
    messages = tuple(
        planner.proving(protocol, message.match).message(message, record) for message in protocol.records.values()
    )
    return Plan(record, messages, planner.framing(protocol.framing), unpacks=rowwise.unpacks(protocol))


def _proof(protocol: codec.Protocol, match: Match) -> tuple[str, codec.Checksum] | None:
    """The checksum, with its field's name, that proves every record with these header values, if there is one."""
    for lengths in protocol.framing.lengths:
        if not lengths.match or lengths.match == match:
            return lengths.checksum
    return None


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes readers of the parts of one protocol.

    ``measured`` are the fields whose positions expressions use. ``proven`` is the checksum, with its field's name, that
    the framing has already checked before the parts are read. ``structs`` are those made so far. Unless it is
    ``judging``, it does not matter what is wrong with values.
    """

    judge: rowwise.Judge
    measured: frozenset[str]
    proven: tuple[str, codec.Checksum] | None = None
    structs: dict[int, Layout] = field(default_factory=dict)
    judging: bool = True

    def proving(self, protocol: codec.Protocol, match: Match) -> "Planner":
        """The same for records with these header values."""
        return replace(self, proven=_proof(protocol, match))

    def record(self, record: CodecRecord) -> Record:
        """What all records share."""
        return Record(self.layout(record.head), [self._tail(part) for part in record.tail])

    def _tail(self, part: codec.Slot | codec.Layout) -> Slot | Layout:
        if isinstance(part, codec.Layout):
            return self.layout(part)
        return Layout(Fallback()) if self.judge.reason(part) else _slot(part, self)

    def message(self, message: codec.Message, record: Record) -> Message:
        """A message; if its variants cannot be distinguished, a single variant leaves everything to the codec."""
        variants = tuple(map(self._variant, message.variants))
        if self.judge.variants(message.variants):
            variants = (Variant("", None, {slot.name: Layout(Fallback()) for slot in message.record.slots}),)
        sections = {slot: self.layout(content) for slot, content in message.sections.items()}
        rules = self.whole(message.valid), self.whole(message.otherwise)
        return Message(message, record, sections, variants, *rules, rowwise.is_scattered(message))

    def _variant(self, variant: codec.Variant) -> Variant:
        when = None if self.judge.reason(variant.when) else vector(variant.when)
        sections = {slot: self.layout(content) for slot, content in variant.sections.items()}
        return Variant(variant.name, when, sections, self.whole(variant.valid))

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
        checksum = None
        if said.checksum is not None and not self._is_proven(name, said.checksum):
            over = [each if isinstance(each, bytes) else _range(each) for each in said.checksum.over]
            checksum = Joined(said.checksum.algorithm, over)
        return Field(
            name,
            said,
            valid=vector(said.valid),
            derive=vector(said.derive),
            checksum=checksum,
            located=name in self.measured,
        )

    def _is_proven(self, name: str, checksum: codec.Joined) -> bool:
        """Whether the framing has already checked the same bytes."""
        return self.proven is not None and (name, *_written(checksum)) == (self.proven[0], *_written(self.proven[1]))

    def framing(self, framing: codec.Framing) -> Framing:
        """How captures fall into records; without lengths if only the codec can compute one of them."""
        if any(map(self.judge.ends, framing.lengths)):
            return Framing((), (), b"")
        lengths, match = [self._lengths(each) for each in framing.lengths], list(map(_probe, framing.match))
        return Framing(lengths, match, framing.until)

    def _lengths(self, lengths: Ends) -> Lengths:
        probes, valid = list(map(_probe, lengths.fields)), vector(lengths.valid)
        if isinstance(lengths, codec.Headed):
            return self._headed(lengths)
        if not isinstance(lengths, codec.Lengths):
            return Lengths(lengths, probes, None, valid)
        checksum = None
        if lengths.checksum is not None:
            name, proof = lengths.checksum
            checksum = name, Checksum(proof.algorithm, (_range((proof.start, proof.end)),))
        stored = None if lengths.place is None else (Number(code(lengths.stored)), vector(lengths.place))
        return Lengths(lengths, probes, vector(lengths.length), valid, checksum, stored)

    def _headed(self, lengths: codec.Headed) -> Lengths:
        asked = [*lengths.length.mentions, *(lengths.valid.mentions if lengths.valid is not None else ())]
        planner = Planner(self.judge, frozenset(name.name for place, name in asked if place), judging=False)
        open_: list[Enclosing] = []
        head = [planner.opened(item, open_) for item in lengths.items]
        return Lengths(lengths, (), vector(lengths.length), vector(lengths.valid), head=head)

    def opened(self, item: HeadItem | headed.Reached, outer: list[Enclosing]) -> Part:
        """An item of how a record begins."""
        match item:
            case headed.Reached(name):
                return Reached(name)
            case HeadItem(codec.Slot() as slot, True):
                return Opened(Slot(slot.name, reader(slot.extent, self), Layout(), None), outer)
            case HeadItem(_, False):
                return Closed(outer)
            case HeadItem(step):
                return self.part(step)


def _range(bounds: tuple[Expression, Expression]) -> tuple[Vectorised, Vectorised]:
    return vector(bounds[0]), vector(bounds[1])


def _written(checksum: codec.Joined) -> tuple[Algorithm, list[bytes | tuple[str, ...]]]:
    return checksum.algorithm, [
        each if isinstance(each, bytes) else tuple(bound.written for bound in each) for each in checksum.over
    ]


def _probe(probe: tuple[str, int, Any]) -> Probe:
    name, offset, construct = probe
    return name, offset, Number(code(construct))


@singledispatch
def reader(part: object, planner: Planner) -> Any:
    """The reader of a part, a value or an extent of the codec, for many rows at once."""
    raise AssertionError(f"nothing reads a {type(part).__name__} in many rows")


@reader.register
def _run(part: runs.Run, planner: Planner) -> Run:
    return Run(planner.field(name, said) for name, said in part.fields)


@reader.register
def _lone(part: layout.Lone, planner: Planner) -> parts.Lone:
    inside = [name.partition(".")[2] for name in planner.measured if name.startswith(f"{part.name}.")]
    keeps = part.raw is not None and isinstance(part.subcon, contents.KEEPING)
    return parts.Lone(planner.field(part.name, part.field), reader(part.subcon, planner), inside, keeps=keeps)


@reader.register
def _bits(part: codec.Bits, planner: Planner) -> Bits:
    bits = (
        Bit(planner.field(name, said), shift, mask, boolean=said.subcon.type == "boolean")
        for name, said, shift, mask in part.fields
    )
    whole = None if part.whole is None else planner.field(*part.whole)
    return Bits(Number(code(part.integer)), *bits, whole=whole, over=part.over)


@reader.register
def _computed(part: computed.Computed, planner: Planner) -> parts.Computed:
    value = vector(part.compute.value)
    return parts.Computed(planner.field(part.name, part.field), value, str(part.compute.type), part.compute.meaning)


@reader.register
def _pad(part: codec.Pad, planner: Planner) -> parts.Pad:
    return parts.Pad(reader(part.extent, planner), part.align, part.start)


@reader.register
def _section(part: codec.Section, planner: Planner) -> parts.Section:
    return parts.Section(part.name, reader(part.extent, planner), planner.layout(part.content), part.trailing)


@reader.register
def _slot(part: codec.Slot, planner: Planner) -> parts.Slot:
    return parts.Slot(part.name, reader(part.extent, planner), planner.layout(part.content), part.trailing)


@reader.register
def _when(part: codec.When, planner: Planner) -> parts.When:
    return parts.When(vector(part.condition), planner.layout(part.content))


@reader.register
def _elsewhere(part: codec.Elsewhere, planner: Planner) -> Elsewhere:
    return Elsewhere(vector(part.at), planner.layout(part.content), shared=part.shared)


@reader.register
def _ordered(part: codec.Ordered, planner: Planner) -> parts.Ordered:
    return parts.Ordered(vector(part.little), planner.layout(part.content))


@reader.register
def _choice(part: codec.Choice, planner: Planner) -> parts.Choice:
    options = part.alternatives
    return parts.Choice(
        *(_when(one, planner) if isinstance(one, codec.When) else planner.layout(one) for one in options)
    )


@reader.register
def _optional(part: codec.Optional, planner: Planner) -> parts.Optional:
    return parts.Optional(planner.layout(part.content))


@reader.register
def _table(part: flatbuffers.Encoded, planner: Planner) -> FlatBuffer:
    kind, located = part.encoding, part.name in planner.measured
    return FlatBuffer(part.name, reader(kind.extent, planner), kind.table, raw=kind.raw, located=located)


@reader.register
def _unpack(part: codec.Unpack, planner: Planner) -> packed.Unpack:
    return packed.Unpack(_way(part.through), planner.layout(part.content), part.trailing, part.through.raw)


@reader.register
def _packed(value: codec.Packed, planner: Planner) -> packed.Packed:
    extent, inside = reader(value.extent, planner), reader(value.value, planner)
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
def _struct(value: codec.Layout, planner: Planner) -> Layout:
    if id(value) not in planner.structs:
        planner.structs[id(value)] = replace(planner, proven=None).layout(value)
    return planner.structs[id(value)]


@reader.register
def _with(value: codec.With, planner: Planner) -> parts.With:
    asked = {name: vector(each) for name, each in value.values.items()}
    return parts.With(reader(value.layout, planner), asked, [item.name for item in value.items])


@reader.register
def _number(value: FormatField | BytesInteger | codec.Boolean | codec.EitherOrder, planner: Planner) -> Number:
    return Number(code(value))


@reader.register
def _varint(value: varints.Varint, planner: Planner) -> Varints:
    return Varints(value)


@reader.register
def _bcd(value: codec.Bcd, planner: Planner) -> Bcd:
    return Bcd(value)


@reader.register
def _deeper(value: codec.Deeper, planner: Planner) -> Deeper:
    return Deeper()


@reader.register
def _ascii(value: codec.Ascii, planner: Planner) -> Ascii:
    return Ascii(value, reader(value.extent, planner))


@reader.register
def _as(value: codec.As, planner: Planner) -> values.As:
    return values.As(reader(value.subcon, planner), value.meaning)


@reader.register
def _blob(value: codec.Blob, planner: Planner) -> values.Blob:
    return values.Blob(reader(value.extent, planner))


@reader.register
def _text(value: codec.Text, planner: Planner) -> values.Text | values.Blob:
    if not planner.judging:
        return values.Blob(reader(value.extent, planner))
    return values.Text(reader(value.extent, planner), value.encoding, strict=value.strict)


@reader.register
def _constant(value: codec.Constant, planner: Planner) -> values.Constant | values.Blob:
    if not planner.judging:
        return values.Blob(values.Size(len(value.value)))
    return values.Constant(value.value)


@reader.register
def _nested(value: codec.Nested, planner: Planner) -> values.Nested:
    return values.Nested(reader(value.extent, planner), reader(value.layout, planner))


@reader.register
def _repeat(value: codec.Repeat, planner: Planner) -> Repeat:
    count: Vectorised | int | None = vector(value.count)
    match value.count:
        case Expression(tree=Value(int() as number)):
            count = int(number)
    return Repeat(reader(value.item, planner), weight=value.weight, count=count, until=vector(value.until))


@reader.register
def _rest(extent: codec.Rest, planner: Planner) -> values.Rest:
    return values.Rest()


@reader.register
def _size(extent: codec.Size, planner: Planner) -> values.Size:
    return values.Size(extent.size if isinstance(extent.size, int) else vector(extent.size))


@reader.register
def _prefixed(extent: codec.Prefixed, planner: Planner) -> values.Prefixed:
    return values.Prefixed(reader(extent.length, planner))


@reader.register
def _until(extent: codec.Until, planner: Planner) -> ends.Until:
    return ends.Until(extent)


@reader.register
def _padded(extent: codec.Padded, planner: Planner) -> ends.Padded:
    assert isinstance(extent.size, codec.Size)
    assert isinstance(extent.size.size, int)
    return ends.Padded(extent, extent.size.size)


if _unlike := contents.readable() ^ (reader.registry.keys() - {object}):
    raise TypeError(f"contents and planning do not both know {', '.join(sorted(each.__name__ for each in _unlike))}")
