"""A protocol's record and its messages: every record of a batch decoded at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom import codec
from wireloom.codec.dispatch import UNKNOWN
from wireloom.codec.matching import Selection
from wireloom.columnar import judging, matching
from wireloom.columnar.arrays import Column, Labels, Made, Numbers, Spans, Spread, Structs
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array, grouped, occurring
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import false
from wireloom.columnar.frames import Values
from wireloom.columnar.framing import Framing
from wireloom.columnar.parts import Layout, Slot, verify, within
from wireloom.columnar.refusals import MessageName, Refusals, Unit
from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import true


class Record:
    """What all records share: header fields, sections, and slots for the messages' fields."""

    def __init__(self, head: Layout, tail: Sequence[Slot | Layout]) -> None:
        self.head = head
        self.tail = tail
        layouts = [head, *(part for part in tail if isinstance(part, Layout))]
        self.derived = [field for layout in layouts for field in layout.derived]


class Variant(NamedTuple):
    """One of a message's layouts: chosen when ``when`` holds, adding fields to the sections it names."""

    name: str
    when: Vectorised | None
    sections: Mapping[str, Layout]
    valid: Vectorised | None = None


_NOTHING = Layout()


class Message(NamedTuple):
    """One message: its fields, and the conditions for its records. ``said`` is the codec's counterpart. It is
    ``scattered`` if it has fields at offsets.
    """

    said: codec.Message
    record: Record
    sections: Mapping[str, Layout]
    variants: tuple[Variant, ...]
    valid: Vectorised | None
    otherwise: Vectorised | None
    scattered: bool

    def read(self, at: Rows, record: Values) -> Structs:
        """The message's fields; fields after the sections go to ``record``."""
        if self.scattered:
            at.batch.leave_errors(at.index)
        this = Values(at.selected)
        codes = np.zeros(0, np.int64)
        for part in self.record.tail:
            if isinstance(part, Layout):
                part.put(at, record)
                continue
            outer = part.enter(at, record)
            self.sections.get(part.name, _NOTHING).put(at, this)
            if part.name == self.said.decisive:
                codes = self._select(at, this)
            for code, variant in enumerate(self.variants):
                if part.name in variant.sections and len(codes):
                    within(at, this, codes == code, variant.sections[part.name])
            part.leave(at, this, outer)
        self._verify(at, this, codes)
        self._judge(at, this, codes)
        return this.struct

    def _select(self, at: Rows, this: Values) -> Array:
        """The number of the first variant whose condition holds; -1 if none does."""
        codes = np.full(len(at), -1)
        for code, variant in reversed(list(enumerate(self.variants))):
            holds = True if variant.when is None else true(variant.when(this, at.record, at.frame))
            codes[np.broadcast_to(holds, codes.shape)] = code
        names = [variant.name for variant in self.variants]
        numbers = Numbers(codes, None if (codes >= 0).all() else codes >= 0)
        this.put("variant", Labels(numbers, names.__getitem__, pa.string()))
        return codes

    def _verify(self, at: Rows, this: Values, codes: Array) -> None:
        """Check derived values section by section, as the codec does."""
        for slot in (part for part in self.record.tail if isinstance(part, Slot)):
            verify(at, this, self.sections.get(slot.name, _NOTHING).derived)
            for code, variant in enumerate(self.variants):
                derived = variant.sections.get(slot.name, _NOTHING).derived
                if derived and (mine := codes == code).any():
                    verify(*at.only(np.flatnonzero(mine), this), derived)

    def _judge(self, at: Rows, this: Values, codes: Array) -> None:
        """Refuse rows that break a condition of the whole record."""
        wrong = np.zeros(len(at), bool)
        codes = codes if self.variants else np.full(len(at), -1)
        for code, rule in enumerate((self.otherwise, *(variant.valid for variant in self.variants)), start=-1):
            if rule is not None and len(mine := np.flatnonzero(codes == code)):
                failed = false(rule, *at.only(mine, this))
                wrong[mine] = False if failed is None else failed
        if self.valid is not None and (failed := false(self.valid, at, this)) is not None:
            wrong |= failed
        if wrong.any():
            judging.refuse(self.said, at, this, codes, wrong)


class Decoded(NamedTuple):
    """The result for a batch. ``message`` is the number of each record's message, -1 if it has none.

    ``structs`` are the messages' fields by number, with the rows that they are of. Rows that are not ``wanted`` have
    only the header. Values of ``doubtful`` rows are meaningless except for their ``head``; ``headless`` rows have none.
    ``refusals`` says why rows are malformed if that is known.
    """

    header: Structs
    message: Array
    wanted: Array
    structs: Mapping[int, tuple[Array, Structs | Spread]]
    doubtful: Array
    refusals: Refusals
    headless: Array
    head: frozenset[str]

    def refused(self) -> Array:
        """Which rows are known to be malformed."""
        return self.refusals.of(np.arange(len(self.doubtful)))


Keep = Callable[[Values, Array], Array]
"""Decides which rows are wanted, from the header and the numbers of their messages."""


class Plan:
    """A protocol for many records at once; ``wireloom.codec.Protocol`` is the same for one.

    ``said`` is what the codec has of the messages. What reads the records of one is made by ``make`` when the first of
    them comes: few captures have all that a protocol declares.
    """

    def __init__(
        self,
        record: Record,
        said: tuple[codec.Message, ...],
        make: Callable[[codec.Message], Message],
        framing: Framing,
        *,
        unpacks: bool,
    ) -> None:
        self.record = record
        self.said = said
        self.framing = framing
        self.unpacks = unpacks
        self.header = frozenset(column.name for column in (said[0].record.columns if said else ()))
        self.unknown = next((index for index, message in enumerate(said) if message.name == UNKNOWN), -1)
        self.matched = frozenset(name for message in said for name in message.match)
        self._tried = [index for index in range(len(said)) if index != self.unknown]
        self._make = make
        self._made: dict[int, Message] = {}

    def message(self, index: int) -> Message:
        """The message of that number."""
        if index not in self._made:
            self._made[index] = self._make(self.said[index])
        return self._made[index]

    def decode(self, batch: Batch, keep: Keep) -> Decoded:
        """All records of a batch; only the header of records that are not kept."""
        every = Rows.all(batch)
        record = every.record
        self.record.head.put(every, record)
        headless, head = batch.doubtful.copy(), frozenset(record.columns)
        message = self.dispatch(every, record)
        wanted = keep(record, message) & ~headless
        structs: dict[int, tuple[Array, Structs | Spread]] = {}
        for index in sorted(occurring(message[wanted & (message >= 0)])):
            kind = self.message(index)
            rows = np.flatnonzero((message == index) & wanted)
            whole = len(rows) == len(every)
            at, header = (every, record) if whole else every.only(rows, record)
            structs[index] = rows, self._read(kind, at, header)
            if not whole:
                record.merge(header)
        return Decoded(record.struct, message, wanted, structs, batch.doubtful, batch.refusals, headless, head)

    def _read(self, kind: Message, at: Rows, header: Values) -> Structs:
        with at.within(MessageName(kind.said.name)):
            struct = kind.read(at, header)
        verify(at, header, self.record.derived)
        for rows, _, _ in at.scattered or ():
            at.doubt(rows)
        place, stop = at.at, at.batch.limit[at.index]
        if (left := place < stop).any():
            at.refuse(left, "trailing-bytes", place, stop - place, Unit("byte"), " left over")
        return struct

    def dispatch(self, at: Rows, record: Values) -> Array:
        """The number of each record's message; records without one are doubtful."""
        asked = [column for name in self.matched if (column := record.column(name)) is not None]
        numbers = [column for column in asked if isinstance(column, Numbers) and column.data.dtype.kind != "f"]
        if len(numbers) == len(asked):
            groups, firsts = _groups(numbers, len(at))
            found = self._told(*at.only(firsts, record))[groups]
        else:
            found = self._told(at, record)
        if (without := found < 0).any():
            at.doubt(without)
        return found

    def _told(self, at: Rows, record: Values) -> Array:
        """As ``dispatch``; -1 for records without a message."""
        found = np.full(len(at), -1)
        there: dict[str, set[int]] = {}
        for name in self.matched:
            if isinstance(known := record.column(name), Numbers):
                there[name] = occurring(known.data)
        for index in self._tried:
            match = self.said[index].match
            asked = [(there[name], each) for name, each in match.items() if name in there and not each.spans]
            if any(numbers.isdisjoint(selection.listed) for numbers, selection in asked):
                continue  # no record is of it
            holds = found < 0
            for name, selection in match.items():
                holds = holds & self._selects(at, record, name, selection)
            found[holds] = index
        if self.unknown >= 0:
            found[found < 0] = self.unknown
        return found

    def _selects(self, at: Rows, record: Values, name: str, selection: Selection) -> Array:
        """Which records have one of the values; those of which that is not known are doubtful."""
        if name in at.batch.parameters and name not in self.header:
            return np.full(len(at), at.batch.parameters[name] in selection)
        column: Column | None = record.column(name)
        match column:
            case None:  # no record has it
                return np.zeros(len(at), bool)
            case Numbers(data):
                among = matching.numbers(data, selection)
            case Spans(buffer, start, stop):
                among = matching.octets(buffer, start, stop, selection)
            case Made(array) if matching.is_told(array):
                among = matching.made(array, selection)
            case _:  # a number that no integer of numpy's holds
                at.doubt(np.ones(len(at), bool))
                return np.zeros(len(at), bool)
        return among if column.valid is None else among & column.valid


def _groups(columns: Sequence[Numbers], count: int) -> tuple[Array, Array]:
    """The number of each row's group, in which all rows have the same numbers, and a row of each group."""
    groups, firsts = np.zeros(count, np.int64), np.zeros(min(count, 1), np.int64)
    for column in columns:
        numbers, distinct = grouped(column.data)
        if column.valid is not None:
            numbers = np.where(column.valid, numbers, len(distinct))
        elif len(distinct) == 1:
            continue
        groups, distinct = grouped(groups.astype(np.int64) * (len(distinct) + 1) + numbers)
        firsts = np.zeros(len(distinct), np.int64)
    if len(firsts) > 1:
        firsts[groups[::-1]] = np.arange(count)[::-1]
    return groups, firsts
