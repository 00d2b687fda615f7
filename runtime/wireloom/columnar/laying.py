"""Columns laid out as bytes, many records at once, by the parts that read them.

The layout is a guess without checks: ``encoding`` verifies it. So nothing here explains why a value does not fit,
and rows that cannot be laid out are doubtful.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from construct import Int8ub

from wireloom import codec
from wireloom.codec.varints import Leb128
from wireloom.columnar import checksums, packed, parts, segments, values
from wireloom.columnar.arrays import Made, Numbers
from wireloom.columnar.batch import Batch
from wireloom.columnar.bits import Bit, Bits
from wireloom.columnar.buffers import LARGEST, Array, as_arrow, counts_of, every, fields_of, octets_of, ragged, valid_of
from wireloom.columnar.ends import Until
from wireloom.columnar.fields import Field, Number, Run, number
from wireloom.columnar.flatbuffers import FlatBuffer
from wireloom.columnar.frames import Frame, Values
from wireloom.columnar.known import KnownSums
from wireloom.columnar.lists import Repeat
from wireloom.columnar.messages import Message, Record
from wireloom.columnar.rows import Rows
from wireloom.columnar.segments import Fixed
from wireloom.columnar.varints import Varints
from wireloom.columnar.vectors import true
from wireloom.expressions import Expression

Given = Mapping[str, pa.Array]
"""The columns that are given of a struct, by name."""

_MUCH = 1 << 40
_PLAIN = codec.Field(Int8ub)
"""The declarations of items of lists: none."""


class UnlaidError(Exception):
    """A part whose bytes are the codec's affair alone."""


class Laid:
    """A struct whose fields are laid out.

    It has the ``given`` columns, its ``values`` and their ``frame``, the values that can be ``filled`` in and in which
    rows, and the ranges of its record to which given bytes are ``copied``, -1 if they are not.
    """

    def __init__(self, given: Given, known: Values, frame: Frame) -> None:
        self.given = {name: column for name, column in given.items() if column.null_count < len(column)}
        self.values = known
        self.frame = frame
        self.filled: dict[str, Array] = {}
        self.copied: dict[str, tuple[Array, Array]] = {}
        for name, column in self.given.items():
            if (found := segments.computed(column)) is not None:
                known.put(name, found)

    def fill(self, name: str, mine: Array) -> None:
        """Note that a value can be filled in in the rows that are ``mine``."""
        self.filled[name] = self.filled[name] | mine if name in self.filled else mine

    def copy(self, name: str, start: Array, stop: Array, mine: Array) -> None:
        """Note that bytes are copied in the rows that are ``mine``."""
        if not mine.all():
            begin, end = self.copied.get(name, (np.full(len(mine), -1),) * 2)
            start, stop = np.where(mine, start, begin), np.where(mine, stop, end)
        self.copied[name] = start, stop


class Laying:
    """Records of one message being laid out: ``making`` has the bytes of each row, in order, those of numbers as what
    makes them when all values are known.

    Items of lists are laid out alike, each inside one of the rows ``outside``.
    """

    def __init__(
        self,
        header: Given,
        fields: Given,
        rows: int,
        parameters: Mapping[str, Any],
        *,
        little: bool,
        outside: tuple[Rows, Array] | None = None,
    ) -> None:
        nowhere = np.zeros(rows, np.int64)
        self.batch = Batch(np.zeros(0, np.uint8), nowhere, nowhere, parameters, little)
        self.at = Rows.all(self.batch)
        if outside is not None:
            outer, chosen = outside
            self.at = Rows(self.batch, np.arange(rows), nowhere, nowhere, chosen=chosen, outer=outer)
            self.at.frame = Frame(self.at.selected, outer.frame)
        self.at.limit = np.full(rows, _MUCH)  # nobody knows yet how much is left in a section
        self.header = Laid(header, self.at.record, self.at.frame)
        self.fields = Laid(fields, Values(self.at.selected), self.at.frame)
        self.little = little
        self.pos = nowhere
        self.every = np.ones(rows, bool)
        self.making: list[Fixed | pa.Array] = []
        self.derived: list[tuple[Field, Laid, Array]] = []
        self.sums: list[tuple[Field, Laid, Number, Array, Array]] = []
        self.known = KnownSums()

    def record(self, record: Record, message: Message, variants: Array) -> pa.Array:
        """The bytes of each record, of which ``variants`` are the numbers. Raises ``UnlaidError``."""
        self._all(record.head.steps, self.header, self.every)
        for part in record.tail:
            if isinstance(part, parts.Layout):
                self._all(part.steps, self.header, self.every)
                continue
            start = self.pos
            self._all(part.content.steps, self.header, self.every)
            if (layout := message.sections.get(part.name)) is not None:
                self._all(layout.steps, self.fields, self.every)
            for index, variant in enumerate(message.variants):
                if (layout := variant.sections.get(part.name)) is not None:
                    self._all(layout.steps, self.fields, variants == index)
            if part.trailing is not None:
                self._octets(self.fields, part.trailing, self.every)
            self.at.frame.put(part.name, start, self.pos)
        return self._summed(self.joined())

    def joined(self) -> pa.Array:
        """The bytes of each row, with zeros for missing checksums."""
        if self.pos.sum() > LARGEST:
            raise UnlaidError("more bytes than an array holds")
        self.batch.stop = self.pos
        self._derive()
        return segments.joined(self.making, len(self.every))

    def _all(self, steps: Sequence[object], of: Laid, mine: Array) -> None:
        for step in steps if mine.any() else ():
            self._part(step, of, mine)

    def _part(self, part: object, of: Laid, mine: Array) -> None:
        """Lay out a part in the rows that are ``mine``."""
        match part:
            case Run():
                self._run(part, of, mine)
            case parts.Lone():
                self._lone(part, of, mine)
            case parts.Section():
                start = self.pos
                self._all(part.content.steps, of, mine)
                if part.trailing is not None:
                    self._octets(of, part.trailing, mine)
                self.at.frame.put(part.name, start, self.pos)
            case parts.When():
                self._all(part.content.steps, of, mine & self._holds(part.condition, of))
            case parts.Choice():
                self._choice(part, of, mine)
            case parts.Computed():
                self._computed(part, of, mine)
            case parts.Optional():
                self._all(part.content.steps, of, self._any(part.content.steps, of, mine))
            case Bits():
                self._bits(part, of, mine)
            case packed.Unpack(raw=str() as raw, content=parts.Layout() as content):
                kept = self._given(of, raw, mine)
                self._octets(of, raw, kept)
                self._all(content.steps, of, mine & ~kept)
                if part.trailing is not None:
                    self._octets(of, part.trailing, mine & ~kept)
            case FlatBuffer():
                start = self.pos
                self.doubt(self._given(of, part.name, mine) & ~self._given(of, part.raw, mine))
                self._octets(of, part.raw, mine)
                self.at.frame.put(part.name, start, self.pos)
            case _:
                raise UnlaidError(type(part).__name__)

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.batch.doubtful |= which

    def _holds(self, condition: Any, of: Laid) -> Array:
        self.at.pos = self.pos
        return np.broadcast_to(true(self.at.ask(condition, of.values)), len(self.every))

    def _any(self, steps: Sequence[object], of: Laid, mine: Array) -> Array:
        """The rows in which a value is given for one of these parts."""
        found = np.zeros(len(self.every), bool)
        for step in steps:
            match step:
                case Run():
                    names = [field.name for field, _, _ in step.fields]
                case parts.Lone():
                    names = [step.field.name, *filter(None, [step.field.raw])]
                case Bits():
                    names = [bit.field.name for bit in step.bits]
                case parts.Optional() | parts.When():
                    found |= self._any(step.content.steps, of, mine)
                    continue
                case _:
                    raise UnlaidError(type(step).__name__)
            for name in names:
                found |= self._given(of, name, mine)
        return found

    def _choice(self, part: parts.Choice, of: Laid, mine: Array) -> None:
        free = mine
        for option in part.alternatives:
            if isinstance(option, parts.When):
                holds = free & self._holds(option.condition, of)
                self._all(option.content.steps, of, holds)
            else:
                holds = free
                self._all(option.steps, of, holds)
            free = free & ~holds

    def _computed(self, part: parts.Computed, of: Laid, mine: Array) -> None:
        """A value without bytes: a given one is compared when the record is validated."""
        name = part.field.name
        of.fill(name, mine)
        if name not in of.given and part.meaning is None:
            data, valid = number(part.value(of.values, self.at.record, of.frame), self.at)
            of.values.put(name, Numbers(data, valid))

    # Numbers

    def _run(self, run: Run, of: Laid, mine: Array) -> None:
        for field, kind, offset in run.fields:
            if field.meaning is not None or kind.half:
                raise UnlaidError(field.name)
            self._prepare(field, of, mine)
            place = self.pos + offset
            if field.located:
                self._locate(field.name, place, place + kind.size, mine)
            if field.written is not None and (missing := mine & ~self._given(of, field.name, mine)).any():
                self.sums.append((field, of, kind, place, missing))
        self._numbers(run.fields, run.size, of, mine)

    def _locate(self, name: str, start: Array, stop: Array, mine: Array) -> None:
        """Note a place in the rows that are ``mine``."""
        if not mine.all():
            before, end = self.at.frame.spans.get(name, (0, 0))
            start, stop = np.where(mine, start, before), np.where(mine, stop, end)
        self.at.frame.put(name, start, stop)

    def _prepare(self, field: Field, of: Laid, mine: Array) -> None:
        """Put something in place of missing values, or remember that it follows from others."""
        said, missing = field.said, mine & ~self._given(of, field.name, mine)
        if field.written is not None or field.derive is not None:
            of.fill(field.name, mine)
            if field.derive is not None and missing.any():
                self.derived.append((field, of, missing))
            return
        instead = said.const if said.const is not None else said.default
        if instead is None or isinstance(instead, Expression) or not missing.any():
            return
        of.fill(field.name, mine)
        data = self._data(of, field.name)
        if isinstance(instead, float) and data.dtype.kind != "f":
            data = data.astype(np.float64)  # no value is given, and so no type
        of.values.put(field.name, Numbers(np.where(missing, np.array(instead, data.dtype), data)))

    def _derive(self) -> None:
        """Compute the values that follow from others, and from their places."""
        for _ in range(len(self.derived)):
            for field, of, missing in self.derived:
                assert field.derive is not None
                data, _ = number(field.derive(of.values, self.at.record, of.frame), self.at)
                if not missing.all():
                    data = np.where(missing, data, self._data(of, field.name))
                of.values.put(field.name, Numbers(data))

    def _data(self, of: Laid, name: str) -> Array:
        """The numbers of a column, 0 where there are none."""
        column = of.values.columns.get(name)
        match column:
            case None:
                return np.zeros(len(self.every), np.int64)
            case Numbers(data):
                return data
            case Made(found) if pa.types.is_decimal(found.type):
                return segments.low(found)
            case _:
                raise UnlaidError(name)

    def _numbers(self, fields: Sequence[tuple[Field, Number, int]], size: int, of: Laid, mine: Array) -> None:
        """Consecutive numbers, with zeros for missing checksums."""

        def fill(octets: Array) -> None:
            for field, kind, offset in fields:
                found = octets[:, offset : offset + kind.size]
                segments.put(found, self._data(of, field.name), kind, little=self.little)

        self._fixed(size, fill, mine)

    def _bits(self, part: Bits, of: Laid, mine: Array) -> None:
        if part.over:
            raise UnlaidError(part.name)
        fields = [bit for bit in part.bits if isinstance(bit, Bit) and bit.field.meaning is None]
        if len(fields) < len(part.bits) or part.word.size > 8:
            raise UnlaidError(part.name)
        for bit in fields:
            self._prepare(bit.field, of, mine)
            self.at.frame.put(bit.field.name, self.pos, self.pos + part.word.size)
        whole = part.whole
        if whole is not None:
            of.fill(whole.name, mine)
            self.at.frame.put(whole.name, self.pos, self.pos + part.word.size)

        def fill(octets: Array) -> None:
            word = np.zeros(len(self.every), np.uint64)
            for bit in fields:
                value = self._data(of, bit.field.name).astype(np.int64).astype(np.uint64)
                word |= (value & np.uint64(bit.mask)) << np.uint64(bit.shift)
            if whole is not None:
                there = self._given(of, whole.name, mine)
                word = np.where(there, self._data(of, whole.name).astype(np.int64).astype(np.uint64), word)
            segments.put(octets, word, part.word, little=self.little)

        self._fixed(part.word.size, fill, mine)

    # Bytes and texts

    def _lone(self, part: parts.Lone, of: Laid, mine: Array) -> None:
        field, value = part.field, part.value
        if field.meaning is not None or part.derived:
            raise UnlaidError(field.name)
        start = self.pos
        kept = self._given(of, field.raw, mine)
        if field.raw:
            self._octets(of, field.raw, kept)
        self._value(value, field, of, mine & ~kept)
        self._locate(field.name, start, self.pos, mine)
        for name in part.inside:
            self.at.frame.put(f"{field.name}.{name}", *self.at.inner.span(name))

    def _value(self, value: object, field: Field, of: Laid, mine: Array) -> None:
        match value:
            case values.Blob() | values.Text(encoding="utf-8"):
                self._led(value.extent, of, field.name, mine)
                self._octets(of, field.name, mine)
                if isinstance(value.extent, Until) and value.extent.until.terminator == "drop":
                    self._constant(value.extent.until.end, mine)
            case values.Constant(value=constant):
                of.fill(field.name, mine)
                self._constant(constant, mine)
            case Varints(said=Leb128() as said) if said.bits <= 32 and not said.signed:
                self._leb128(of, field.name, mine)
            case Number() if not value.half:
                self._prepare(field, of, mine)
                self._numbers([(field, value, 0)], value.size, of, mine)
            case packed.Packed(raw=str() as raw):
                kept = self._given(of, raw, mine)
                self._octets(of, raw, kept)
                self._value(value.value, field, of, mine & ~kept)
            case parts.Layout():
                self._struct(value, {}, field.name, of, mine)
            case parts.With(items=[]):
                asked = {name: self.at.ask(each, of.values) for name, each in value.values.items()}
                self._struct(value.layout, asked, field.name, of, mine)
            case values.Nested(extent=values.Rest() | values.Size()):
                self._value(value.layout, field, of, mine)
            case Repeat():
                self._list(value, field.name, of, mine)
            case _:
                raise UnlaidError(type(value).__name__)

    def _struct(self, layout: parts.Layout, asked: dict[str, Any], name: str, of: Laid, mine: Array) -> None:
        """A struct in the rows in which it is given; elsewhere it has nothing but what can be filled in."""
        given: Given = {}
        if name in of.given:
            given = fields_of(of.given[name])
        outer, self.at.frame = self.at.frame, Frame(self.at.selected)
        self.at.frame.given, self.at.frame.giving = asked, outer
        self._all(layout.steps, Laid(given, Values(self.at.selected), self.at.frame), mine)
        self.at.inner, self.at.frame = self.at.frame, outer

    def _list(self, part: Repeat, name: str, of: Laid, mine: Array) -> None:
        """Lists, whose items are laid out as if each were a record; an empty one may be left out."""
        of.fill(name, mine)
        if name not in of.given:
            return
        column = of.given[name]
        counts = counts_of(column) * mine
        if counts.any():
            items = pc.list_flatten(column.filter(as_arrow(mine)))
            outside = self.at, np.repeat(np.arange(len(counts)), counts)
            known = self.batch.parameters
            laid = Laying({}, {name: items}, len(items), known, little=self.little, outside=outside)
            if part.numbered:
                laid.at.frame.number(ragged(np.zeros(len(counts), np.int64), counts))
            laid._value(part.item, Field(name, _PLAIN), laid.fields, laid.every)
            octets, start, _ = octets_of(laid.joined())
            ends = np.append(start, len(octets))[np.cumsum(counts)]
            sizes = np.diff(ends, prepend=0)
            self._put(segments.binary(sizes, octets), sizes)

    def _led(self, extent: object, of: Laid, name: str, mine: Array) -> None:
        """The length prefix of a value, if its extent has one."""
        match extent:
            case values.Rest() | values.Size() | Until():
                pass
            case values.Prefixed(length=Number() as kind):
                sizes = self._sizes(of, name, mine)
                self._fixed(kind.size, lambda octets: segments.put(octets, sizes, kind, little=self.little), mine)
            case _:
                raise UnlaidError(type(extent).__name__)

    def _constant(self, octets: bytes, mine: Array) -> None:
        def fill(found: Array) -> None:
            found[:] = np.frombuffer(octets, np.uint8)

        self._fixed(len(octets), fill, mine)

    def _leb128(self, of: Laid, name: str, mine: Array) -> None:
        sizes, octets = segments.leb128(self._data(of, name), mine)
        self._put(segments.binary(sizes, octets), sizes)

    def _octets(self, of: Laid, name: str, mine: Array) -> None:
        """The bytes that are given under that name."""
        if name not in of.given:
            return
        column, sizes, given = of.given[name], self._sizes(of, name, mine), self._given(of, name, mine)
        of.copy(name, self.pos, self.pos + sizes, given)
        if column.type not in (pa.string(), pa.binary()):
            raise UnlaidError(name)
        if sizes.any():
            self._put(segments.octets(column, given), sizes)

    def _sizes(self, of: Laid, name: str, mine: Array) -> Array:
        if name not in of.given:
            return np.zeros(len(self.every), np.int64)
        sizes: Array = counts_of(of.given[name]) * mine
        return sizes

    def _given(self, of: Laid, name: str | None, mine: Array) -> Array:
        """The rows in which a value is given."""
        if name is None or name not in of.given:
            return np.zeros(len(self.every), bool)
        column = of.given[name]
        there: Array = mine & valid_of(column) if column.null_count else mine
        return there

    def _fixed(self, size: int, fill: Callable[[Array], None], mine: Array) -> None:
        """Add bytes to the rows that are ``mine``, as many to each, which ``fill`` puts into a matrix."""
        self.making.append(Fixed(size, fill, None if mine.all() else mine))
        self.pos = self.pos + mine * size

    def _put(self, octets: pa.Array, sizes: Array) -> None:
        """Add bytes to each row."""
        if sizes.any():
            self.making.append(octets)
            self.pos = self.pos + sizes

    # Checksums

    def _summed(self, records: pa.Array) -> pa.Array:
        """The records with the checksums that are missing; each may cover those after it."""
        if not self.sums:
            return records
        buffer, start, _ = octets_of(records)
        for field, of, kind, place, mine in reversed(self.sums):
            assert field.written is not None
            (over,) = field.written.over if len(field.written.over) == 1 else (b"",)
            if isinstance(over, bytes):
                raise UnlaidError(field.name)
            first, last = (number(bound(of.values, self.at.record, of.frame), self.at)[0] for bound in over)
            rows = np.flatnonzero(mine & (first >= 0) & (first <= last) & (last <= self.pos))
            if not len(rows):
                continue
            begin = start[rows]
            start_of, stop_of, at = begin + first[rows], begin + last[rows], begin + place[rows]
            sums = checksums.of_ranges(field.written.algorithm, buffer, start_of, stop_of)
            self.known.add(field.written.algorithm, start_of, stop_of, sums)
            self.known.written(at, at + kind.size)
            octets = np.zeros((len(rows), kind.size), np.uint8)
            segments.put(octets, sums, kind, little=self.little)
            every(buffer, kind.size)[at] = octets.view(f"V{kind.size}")[:, 0]
        return records
