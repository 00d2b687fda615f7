"""``Repeat``: a list of numbers, texts, bytes or structs. Its count, its last item or its section ends it."""

import struct
from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from construct import Construct

from wireloom.codec.accepted_values import shown, unfit
from wireloom.codec.columns import PLACE, ColumnType, ListOf, weight
from wireloom.codec.deferred_checks import Spot
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.fields import UNPACKABLE, EitherOrder, Packing, packing_of
from wireloom.codec.frames import Frame, Spans, Values
from wireloom.codec.items import PlacedItem, hollow, place
from wireloom.codec.reader import Reader
from wireloom.codec.tracing import SpanKind, Trace
from wireloom.codec.values import Composite, value_type
from wireloom.codec.writer import Writer
from wireloom.expressions import Expression, Formula, expression
from wireloom.expressions.paths import fields


class Repeat(Composite):
    """A list of items: ``count`` of them, or up to and including the first for which ``until`` holds, or to the end.

    ``until`` is evaluated like an item's own expressions, so it requires items that are structs. Where only what is
    left makes it hold, the list may have none. Each item is at the byte ``at`` of the record, if that is given, and its
    bytes may be ``shared``. The expressions of ``numbered`` items depend on their numbers. ``hollow`` ones, whose
    number is known, may take no bytes at the place of the list. ``name`` is given if items are used while the list is
    read, if their places are, or if they are at offsets.
    """

    def __init__(
        self,
        item: Construct,
        *,
        count: Formula | None = None,
        until: Formula | None = None,
        at: Formula | None = None,
        shared: bool = False,
        numbered: bool = False,
        hollow: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.item = item
        self.weight = weight(value_type(item))
        self.count = expression(count)
        self.until = expression(until)
        self.at = expression(at)
        self.shared = shared
        self.name = name
        self.numbered = numbered
        self.hollow = hollow
        self._big = _NumberItem.of(item, little=False)
        self._little = _NumberItem.of(item, little=True)
        self._one = EitherOrder(self._big, self._little) if self._big and self._little else item
        """What reads and writes an item by itself."""

    def lenient(self) -> "Repeat":
        found = super().lenient()
        found.item = found._one = self.item.lenient()
        return found

    def alone(self) -> "Repeat":
        found = copy(self)
        found.count = None
        return found

    def labelled(self, longest: int) -> "Repeat":
        """The same, with a label of up to so many bytes beside each item."""
        found = copy(self)
        found.weight += PLACE + longest
        return found

    def keep(self, writer: Writer, this: Values, value: Any, data: bytes) -> None:
        spot, last = writer.spot_of(self.count), 0
        reader = Reader(data, writer.frame.parameters, little=writer.little)
        reader.record, reader.frame = writer.record, writer.frame
        while reader.pos < len(data):
            last = reader.pos
            self.item._parse(reader, this, "")
        if value:
            writer.write(data[:last])
            self.item.keep(writer, this, value[-1], data[last:])
        self._claim(writer, this, value, spot)

    @property
    def type(self) -> ColumnType:  # type: ignore[override]
        return ListOf(value_type(self.item))

    def _parse(self, stream: Any, context: Any, path: str) -> list[Any]:
        number = self._number(stream)
        count = self._count(stream, context, 0 if self.hollow else number.size if number else 1)
        if number:
            stream.weigh(self.weight * ((stream.limit - stream.pos) // number.size if count is None else count))
            return number.read(stream, count)
        items: list[Any] = []
        spans = self._begin(stream, context, items)
        if self.until is not None and (ends := self.until.before_items) is not None and stream.ask(ends, context):
            return items
        trace = stream.trace
        while (stream.pos < stream.limit or self.until is not None) if count is None else len(items) < count:
            if trace is not None and len(items) == trace.items:
                trace.begin(f"[{len(items)}]", stream.pos, SpanKind.OMITTED)
                stream.trace = None
            items.append(self._item(stream, context, len(items), spans))
            if self.until is not None and self._ends(items[-1], stream):
                break
        if trace is not stream.trace:
            trace.finish(stream.pos, len(items) - trace.items)
            stream.trace = trace
        return items

    def _count(self, stream: Reader, context: Values, smallest: int) -> int | None:
        """How many items there are; None if only the last one shows it. No item takes less than ``smallest`` bytes."""
        if self.count is None:
            return None
        count = stream.ask(self.count, context)
        left = stream.limit - stream.pos
        if not isinstance(count, int) or count < 0 or count * smallest > left:
            what = counted(count, "item") if isinstance(count, int) else "an unknown number of items"
            error = DecodeError("count", f"{what} cannot stand in {counted(left, 'byte')}", stream.pos)
            raise stream.wanting(error, stream.pos + count * smallest if isinstance(count, int) else 0)
        return count

    def _ends(self, item: Any, stream: Reader) -> bool:
        assert self.until is not None
        stream.inner.left = stream.limit - stream.pos
        return self.until.holds(fields(item), stream.record, stream.inner)

    def _number(self, beside: Reader | Writer) -> "_NumberItem | None":
        """How to read or write all items at once, if they are adjacent numbers that nothing uses meanwhile."""
        if self.name is not None or self.at is not None:
            return None
        return self._little if beside.little else self._big

    def _begin(self, beside: Reader | Writer, this: Values, items: list[Any]) -> Spans | None:
        """Make items visible before all are read; returns where to note their spans, if they are used."""
        if self.name is None:
            return None
        this[self.name] = items
        beside.frame.listed = beside.frame.listed or {}
        found: Spans = []
        beside.frame.listed[self.name] = found
        return found

    def _item(self, stream: Reader, context: Values, index: int, spans: Spans | None) -> Any:
        start = stream.pos
        stream.weigh(self.weight)
        if self.numbered:
            stream.frame.index = index
        if self.at is not None:
            return self._placed(self.at, stream, context, spans)
        stream.steps += 1
        value = stream.nest(f"[{index}]", self._one._parse, context)
        if stream.pos == start:
            if not self.hollow:
                raise DecodeError("count", "an item without bytes repeats for ever", start)
            stream.borrow_nothing()
        if spans is not None:
            spans.append((start, stream.pos, stream.inner))
        return value

    def _placed(self, at: Expression, stream: Reader, context: Values, spans: Spans | None) -> Any:
        """The item at this place."""
        label, found = f"[{stream.frame.index}]", (0, 0)

        def parse() -> Any:
            nonlocal found
            start = stream.pos
            value = stream.nest(label, self._one._parse, context)
            found = start, stream.pos
            return value

        where = at.ask(context, stream.record, stream.frame)
        value = stream.away(where, f"{self.name}{label}", parse, shared=self.shared, path=label)
        if found[0] == found[1]:
            stream.borrow_nothing()
        if spans is not None:
            spans.append((*found, stream.inner))
        return value

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, list | tuple):
            raise EncodeError(f"a list expected, not {type(obj).__name__}")
        if len(obj) * self.weight > Reader.HEAVIEST:
            raise EncodeError(f"a list of more than {Reader.HEAVIEST} bytes in a table")
        number = self._number(stream)
        outer, spot = stream.path, stream.spot_of(self.count)
        built: list[Any] = []
        spans = self._begin(stream, context, built)
        spots: list[tuple[Spot | None, Frame]] = []
        if self.until is not None:
            spots.append((stream.spot_of(self.until), stream.frame))
        for index, item in enumerate(obj):
            stream.path = (outer, index)
            start = len(stream.buffer)
            if self.numbered:
                stream.frame.index = index
            if number:
                number.write(stream, item)
            elif self.at is not None:
                built.append(item)
                self._put(self.at, stream, context, built, spans)
            else:
                built.append(self._one._build(item, stream, context, ""))
                if spans is not None:
                    spans.append((start, len(stream.buffer), stream.inner))
            if len(stream.buffer) == start and self.at is None:
                if not self.hollow:
                    raise EncodeError("takes no bytes, so that it could repeat for ever")
                hollow(stream, context)
            if self.until is not None:
                spots.append((stream.spot_of(self.until), stream.inner))
        stream.path = outer
        if self.until is not None:
            stream.claim(_Ending(self.until, built, spots), context, [len(built) - 1])
        else:
            self._claim(stream, context, obj, spot)
        return obj if number else built

    def _put(self, at: Expression, writer: Writer, this: Values, built: list[Any], spans: Spans | None) -> None:
        """Let the last item be written at its place, or be compared with what others wrote there."""
        item = PlacedItem(at, self._one, built, len(built) - 1, spans)
        if spans is not None:
            spans.append((0, 0, writer.frame))
        if self.shared:
            writer.share(item, this)
        else:
            writer.defer(item, this, place(writer, this, at))

    def _claim(self, writer: Writer, this: Values, items: Sequence[Any], spot: Spot | None) -> None:
        """Claim that the list, begun at its ``spot``, ends after its items."""
        if self.count is not None:
            writer.claim(self, this, len(items), spot=spot)
        else:
            writer.follow(self, this, followed=False)

    def state(self, this: Values, record: Values, frame: Frame) -> Any:
        """The number of items according to its count."""
        assert self.count is not None
        return self.count.ask(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        if self.count is None:
            return EncodeError("takes all of its section, but there are bytes behind it")
        return EncodeError(f"has {counted(taken, 'item')}, but its count says {shown(found)}")


class _Ending(NamedTuple):
    """The claim that the last item of a list ends it, and no other does; -1 if it ends in front of the first. ``spots``
    are the places in front of the first item and after each, and their frames.
    """

    until: Expression
    items: list[Values]
    spots: list[tuple[Spot | None, Frame]]

    def state(self, this: Values, record: Values, frame: Frame) -> list[int]:
        """The items that end it."""
        first, *others = self.spots
        before = self.until.before_items
        found = [-1] if before is not None and self._ends(before, this, *first, record) else []
        for index, (item, spot) in enumerate(zip(self.items, others, strict=True)):
            found += [index] if self._ends(self.until, fields(item), *spot, record) else []
        return found

    def _ends(self, until: Expression, this: Values, spot: Spot | None, frame: Frame, record: Values) -> bool:
        frame.left = None if spot is None else spot.left
        return until.holds(this, record, frame)

    def refusal(self, this: Values, taken: list[int], found: list[int]) -> EncodeError:
        if not found:
            return EncodeError("has no item that ends it")
        where = f"ends with item {found[0]}" if found[0] >= 0 else "ends in front of its first item"
        return EncodeError(f"{where}, but there are more behind it")


class _NumberItem(Construct):
    """A number of fixed size as an item."""

    def __init__(self, kind: Packing) -> None:
        super().__init__()
        self.kind = kind
        self.struct = struct.Struct((kind.order or ">") + kind.code)
        self.size = self.struct.size

    @classmethod
    def of(cls, item: Construct, *, little: bool) -> "_NumberItem | None":
        kind = packing_of(item, little=little)
        return cls(kind) if kind else None

    def read(self, reader: Reader, count: int | None) -> list[Any]:
        """``count`` numbers, or all up to the limit."""
        start, size = reader.pos, self.size
        found = (reader.limit - start) // size if count is None else count
        end = start + found * size
        if count is None and end < reader.limit:
            raise reader.short(size, end).within(f"[{found}]")
        values = [value for (value,) in self.struct.iter_unpack(reader.buffer[start:end])]
        reader.pos = end
        if self.kind.load is not None:
            values = [self._loaded(index, value, start) for index, value in enumerate(values)]
        if reader.trace is not None:
            self._note(reader.trace, start, values)
        return values

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        start = stream.pos
        (value,) = self.struct.unpack(stream.take(self.size))
        try:
            return value if self.kind.load is None else self.kind.load(value)
        except DecodeError as error:
            error.offset = start
            raise

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.write(stream, obj)
        return obj

    def _note(self, trace: Trace, start: int, values: list[Any]) -> None:
        noted = len(values) if trace.items is None else min(len(values), trace.items)
        for i, value in enumerate(values[:noted]):
            trace.note(f"[{i}]", start + i * self.size, start + (i + 1) * self.size, {f"[{i}]": value})
        if noted < len(values):
            trace.begin(f"[{noted}]", start + noted * self.size, SpanKind.OMITTED)
            trace.finish(start + len(values) * self.size, len(values) - noted)

    def _loaded(self, index: int, value: Any, start: int) -> Any:
        assert self.kind.load is not None
        try:
            return self.kind.load(value)
        except DecodeError as error:
            error.offset = start + index * self.size
            raise error.within(f"[{index}]") from None

    def write(self, writer: Writer, value: Any) -> None:
        try:
            writer.write(self.struct.pack(self.kind.dump(value) if self.kind.dump else value))
        except EncodeError:
            raise
        except UNPACKABLE:
            raise EncodeError(unfit(value, self.kind.type, 8 * self.size)) from None
