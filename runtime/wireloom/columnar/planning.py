"""The plan of a protocol: what all records share, what messages add, and how captures fall into records."""

from functools import lru_cache
from typing import Any

from wireloom import codec, rowwise
from wireloom.codec import headed
from wireloom.codec.headed import HeadItem
from wireloom.codec.lengths import Ends
from wireloom.codec.matching import Match
from wireloom.codec.message import Record as CodecRecord
from wireloom.columnar.expressions import vector
from wireloom.columnar.fields import Checksum, Number
from wireloom.columnar.framing import Framing, Lengths, Probe
from wireloom.columnar.headed import Closed, Opened, Reached
from wireloom.columnar.messages import Message, Plan, Record, Variant
from wireloom.columnar.parts import Enclosing, Fallback, Layout, Part, Slot
from wireloom.columnar.readers import Readers, covered, reader


@lru_cache(maxsize=64)
def plan_of(protocol: codec.Protocol) -> Plan:
    """The plan of a protocol, made when it is first needed."""
    readers = Readers(rowwise.Judge.of(protocol), rowwise.measured(protocol))
    record = _record(protocol.record, readers.proving(_proof(protocol, {})))

    def make(message: codec.Message) -> Message:
        of_message = readers.of(rowwise.Judge.of(protocol, message))
        return _message(message, record, of_message.proving(_proof(protocol, message.match)))

    framing, unpacks = _framing(protocol.framing, readers), rowwise.unpacks(protocol)
    return Plan(record, tuple(protocol.records.values()), make, framing, unpacks=unpacks)


def framing_of(protocol: codec.Protocol) -> Framing:
    """How captures of a protocol are cut into records, many at once."""
    return plan_of(protocol).framing


def _proof(protocol: codec.Protocol, match: Match) -> tuple[str, codec.Checksum] | None:
    """The checksum, with its field's name, that proves every record with these header values, if there is one."""
    for lengths in protocol.framing.lengths:
        if not lengths.match or lengths.match == match:
            return lengths.checksum
    return None


def _record(record: CodecRecord, readers: Readers) -> Record:
    """What all records share."""
    return Record(readers.layout(record.head), [_tail(part, readers) for part in record.tail])


def _tail(part: codec.Slot | codec.Layout, readers: Readers) -> Slot | Layout:
    if isinstance(part, codec.Layout):
        return readers.layout(part)
    return Layout(Fallback()) if readers.judge.reason(part) else reader(part, readers)


def _message(message: codec.Message, record: Record, readers: Readers) -> Message:
    """A message; if its variants cannot be distinguished, a single variant leaves everything to the codec."""
    variants = tuple(_variant(variant, readers) for variant in message.variants)
    if readers.judge.variants(message.variants):
        variants = (Variant("", None, {slot.name: Layout(Fallback()) for slot in message.record.slots}),)
    sections = {slot: readers.layout(content) for slot, content in message.sections.items()}
    rules = readers.whole(message.valid), readers.whole(message.otherwise)
    return Message(message, record, sections, variants, *rules, rowwise.is_scattered(message))


def _variant(variant: codec.Variant, readers: Readers) -> Variant:
    when = None if readers.judge.reason(variant.when) else vector(variant.when)
    sections = {slot: readers.layout(content) for slot, content in variant.sections.items()}
    return Variant(variant.name, when, sections, readers.whole(variant.valid))


def _framing(framing: codec.Framing, readers: Readers) -> Framing:
    """How captures fall into records; without lengths if only the codec can compute one of them."""
    if any(map(readers.judge.ends, framing.lengths)):
        return Framing((), (), b"")
    lengths, match = [_lengths(each, readers) for each in framing.lengths], list(map(_probe, framing.match))
    return Framing(lengths, match, framing.until)


def _lengths(lengths: Ends, readers: Readers) -> Lengths:
    if isinstance(lengths, codec.Headed):
        return _headed(lengths, readers)
    probes, valid, doubts = list(map(_probe, lengths.fields)), vector(lengths.valid), list(map(vector, lengths.doubts))
    if not isinstance(lengths, codec.Lengths):
        return Lengths(lengths, probes, None, valid)
    checksum = None
    if lengths.checksum is not None:
        name, proof = lengths.checksum
        checksum = name, Checksum(proof.algorithm, (covered((proof.start, proof.end)),))
    stored = None if lengths.place is None else (Number.from_construct(lengths.stored), vector(lengths.place))
    return Lengths(lengths, probes, vector(lengths.length), valid, doubts, checksum, stored)


def _headed(lengths: codec.Headed, readers: Readers) -> Lengths:
    asked = [*lengths.length.mentions, *(lengths.valid.mentions if lengths.valid is not None else ())]
    measured = frozenset(name.name for place, name in asked if place)
    unjudged = Readers(readers.judge, measured, judging=False)
    open_: list[Enclosing] = []
    head = [_opened(item, open_, unjudged) for item in lengths.items]
    return Lengths(lengths, (), vector(lengths.length), vector(lengths.valid), head=head)


def _opened(item: HeadItem | headed.Reached, outer: list[Enclosing], readers: Readers) -> Part:
    """An item of how a record begins."""
    match item:
        case headed.Reached(name):
            return Reached(name)
        case HeadItem(codec.Slot() as slot, True):
            return Opened(Slot(slot.name, reader(slot.extent, readers), Layout(), None), outer)
        case HeadItem(_, False):
            return Closed(outer)
        case HeadItem(step):
            return readers.part(step)


def _probe(probe: tuple[str, int, Any]) -> Probe:
    name, offset, construct = probe
    return name, offset, Number.from_construct(construct)
