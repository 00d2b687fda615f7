"""The parts of a layout that are more than a field: sections, conditions, choices, padding."""

from collections.abc import Iterable, Iterator
from copy import copy
from sys import maxsize
from typing import Any, Self

from construct import Construct

from wireloom.codec.accepted_values import shown
from wireloom.codec.columns import Column, visible
from wireloom.codec.deferred_checks import Spot
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import Around, Layout, Part, given_left, keep_left
from wireloom.codec.reader import Enclosing, Reader
from wireloom.codec.tracing import SpanKind
from wireloom.codec.values import Rest, Size
from wireloom.codec.writer import Region, Writer
from wireloom.expressions import Expression, Formula, expression


class Section(Around):
    """A region with a size. Nothing inside reads past its end. Bytes left over go to ``trailing``, or the record is
    malformed.
    """

    def __init__(self, name: str, extent: Size | Rest, *items: Construct, trailing: str | None = None) -> None:
        super().__init__(*items)
        self.name = name
        self.extent = extent
        self.trailing = trailing
        self.size = extent.size if isinstance(extent, Size) else None
        self.showing = (*self.showing, *((trailing,) if trailing else ()))
        self.last = _last(name, self.columns())

    def columns(self) -> Iterator[Column]:
        yield from super().columns()
        if self.trailing:
            yield Column(self.trailing, "binary")

    def read(self, reader: Reader, this: Values) -> None:
        outer = self.enter(reader, this)
        self.content.read(reader, this)
        self.leave(reader, this, outer)

    def enter(self, reader: Reader, this: Values) -> Enclosing:
        """Set the reader's bounds to those of the section, and return those it had."""
        start, limit = reader.pos, reader.limit
        size: Any = limit - start if self.size is None else self.size
        if isinstance(size, Expression):
            assert isinstance(self.extent, Size)
            size = self.extent.measure(reader, this)
        if not 0 <= size <= limit - start:
            raise reader.short(size).within(self.name)
        end = start + size
        reader.frame[self.name] = (start, end)
        if reader.trace is not None:
            reader.trace.begin(self.name, start, SpanKind.SECTION, end=end)
        outer = limit, reader.taken
        reader.limit, reader.taken = end, None  # as reader.enter
        return outer

    def leave(self, reader: Reader, this: Values, outer: Enclosing) -> None:
        """Handle the bytes left over in the section and restore the bounds."""
        if (reader.pos < reader.limit or reader.taken is not None) and (reader.judges or self.size is not None):
            keep_left(reader, this, reader.left_over(self.name), self.name, self.trailing)
        if reader.trace is not None:
            reader.trace.finish(reader.pos)
        reader.limit, reader.taken = outer

    def write(self, writer: Writer, this: Values) -> None:
        spot, region = self.begin(writer)
        self.content.write(writer, this)
        self.close(writer, this, region)
        self.claim(writer, this, spot)

    def among(self, columns: Iterable[Column]) -> Self:
        """The section, whose errors name the last of these columns, which are those of a message in it."""
        found = copy(self)
        found.last = _last(self.name, columns)
        return found

    def begin(self, writer: Writer) -> tuple[Spot | None, Region]:
        """Begin to write the section; returns its spot and its region."""
        spot = writer.spot_of(self.size)
        region = writer.enter()
        writer.frame[self.name] = region[0], region[0]
        return spot, region

    def close(self, writer: Writer, this: Values, region: Region) -> None:
        """Write fields at offsets and the bytes left over, and note the section's span."""
        writer.leave(region, given_left(this, self.trailing))
        writer.frame[self.name] = region[0], len(writer.buffer)

    def claim(self, writer: Writer, this: Values, spot: Spot | None) -> None:
        """Claim that the section's size, computed from ``this`` at its ``spot``, is the number of bytes written."""
        if isinstance(self.extent, Size):
            writer.claim(self, this, writer.frame.size(self.name), spot=spot)
        else:
            writer.follow(self, this, followed=False)

    def state(self, this: Values, record: Values, frame: Frame) -> Any:
        """The number of bytes according to its size."""
        assert isinstance(self.extent, Size)
        return self.extent.state(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        if not isinstance(self.extent, Size):
            what = f"{self.name} takes all of its section, but there are bytes behind it"
            return EncodeError(what, self.last)
        return EncodeError(f"{self.name} has {counted(taken, 'byte')}, but its size says {shown(found)}", self.last)


def _last(section: str, columns: Iterable[Column]) -> str:
    """The last of a section's columns, without labels; the section itself if it has none."""
    return [section, *(column.name for column in visible(columns) if not column.label)][-1]


class When(Around):
    """Fields that are present only if a condition holds.

    In building, they are written if one of them is given or the condition holds; in the end the two must agree. How
    many bytes are left is unknown then, so derived fields that depend on it must also be given.
    """

    def __init__(self, condition: Formula, *items: Construct) -> None:
        super().__init__(*items)
        self.condition = expression(condition)
        names = tuple(column.name for column in self.columns())
        self._telling = names if self.condition.asks_left else self.showing

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.condition.holds(this, record, frame)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        state = "given, but" if taken else "missing, but"
        names = _given(this, self.showing) or [column.name for column in self.columns()]
        return EncodeError(f"{state} {self.condition.written} is {str(found).lower()}", names[0])

    def read(self, reader: Reader, this: Values) -> None:
        if reader.ask(self.condition, this):
            self.content.read(reader, this)

    def write(self, writer: Writer, this: Values) -> None:
        present = bool(_given(this, self._telling)) or self._holds(writer, this)
        writer.claim(self, this, present, spot=writer.spot_of(self.condition))
        if present:
            self.content.write(writer, this)

    def _holds(self, writer: Writer, this: Values) -> bool:
        """Whether the condition holds as far as is known, be nothing left or as much as can be."""
        if not self.condition.asks_left:
            return self.condition.holds(this, writer.record, writer.frame)
        found = []
        for writer.frame.left in (0, maxsize):
            found.append(self.condition.holds(this, writer.record, writer.frame))
        writer.frame.left = None
        return all(found)


class Ordered(Around):
    """Fields in a byte order of their own: numbers in either order are little endian if the condition holds.

    When building, it is taken to hold as far as is known so far; in the end it must.
    """

    def __init__(self, little: Formula, *items: Construct) -> None:
        super().__init__(*items)
        self.little = expression(little)

    def read(self, reader: Reader, this: Values) -> None:
        outer = reader.little
        reader.little = self.state(this, reader.record, reader.frame)
        self.content.read(reader, this)
        reader.little = outer

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        """Whether the order is little."""
        return self.little.holds(this, record, frame)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        state = f"{self.little.written} is {str(found).lower()}, but was not when it was written"
        return EncodeError(state, next(iter(self.columns())).name)

    def write(self, writer: Writer, this: Values) -> None:
        outer = writer.little
        writer.little = self.state(this, writer.record, writer.frame)
        writer.claim(self, this, writer.little)
        try:
            self.content.write(writer, this)
        finally:
            writer.little = outer


class Choice(Part):
    """The first of several alternatives whose condition holds; the last may have no condition."""

    def __init__(self, *alternatives: When | Layout) -> None:
        super().__init__()
        self.alternatives = alternatives
        self.showing = tuple(dict.fromkeys(name for option in alternatives for name in option.showing))
        self._conditions = [option.condition if isinstance(option, When) else None for option in alternatives]
        self._contents = [option.content if isinstance(option, When) else option for option in alternatives]
        self._taking = [frozenset(option.showing) for option in alternatives]
        self.derived = list({name: (name, field) for option in alternatives for name, field in option.derived}.values())
        self.late = list({name: (name, struct) for option in alternatives for name, struct in option.late}.values())

    def columns(self) -> Iterator[Column]:
        for option in self.alternatives:
            yield from option.columns()

    def state(self, this: Values, record: Values, frame: Frame) -> int | None:
        """The number of the alternative that holds."""
        for number, condition in enumerate(self._conditions):
            if condition is None or condition.ask(this, record, frame):
                return number
        return None

    def refusal(self, this: Values, taken: int | None, found: int | None) -> EncodeError:
        option = None if found is None else self.alternatives[found]
        why = option.condition.written if isinstance(option, When) else "no condition holds"
        taking = () if option is None else option.showing
        strange = [name for name in _given(this, self.showing) if name not in taking]
        names = (*strange, *self.showing, *(column.name for column in self.columns()), *this)
        return EncodeError(f"not in the alternative that is taken: {why}", next(iter(names), ""))

    def read(self, reader: Reader, this: Values) -> None:
        chosen = self.state(this, reader.record, reader.frame)
        if chosen is not None:
            self._contents[chosen].read(reader, this)

    def write(self, writer: Writer, this: Values) -> None:
        chosen = self._meant(this, self.state(this, writer.record, writer.frame))
        writer.claim(self, this, chosen)
        if chosen is not None:
            self._contents[chosen].write(writer, this)

    def _meant(self, this: Values, holds: int | None) -> int | None:
        """The alternative to write: the one whose condition holds so far, unless only others have the given fields."""
        known = set(_given(this, self.showing))
        if holds is not None and known <= self._taking[holds]:
            return holds
        fitting = [number for number, taking in enumerate(self._taking) if known <= taking]
        if known and not fitting:
            names = _given(this, self.showing)
            raise EncodeError(f"not in one alternative with {names[0]}", self._stranger(names))
        return fitting[0] if known else holds

    def _stranger(self, names: list[str]) -> str:
        """The first given field that belongs to another alternative than the rest."""
        sharing = [set(option.showing) for option in self.alternatives if names[0] in option.showing]
        nearest = max(sharing, key=lambda option: len(option.intersection(names)))
        return next(name for name in names if name not in nearest)


def _given(this: Values, names: tuple[str, ...]) -> list[str]:
    """The fields among ``names`` that have a value."""
    return [name for name in names if this.get(name) is not None]


class Optional(Around):
    """Fields that are there if bytes are left in the section."""

    def __init__(self, *items: Construct) -> None:
        super().__init__(*items)
        self._names = tuple(column.name for column in self.columns())

    def read(self, reader: Reader, this: Values) -> None:
        if reader.pos < reader.limit:
            self.content.read(reader, this)

    def write(self, writer: Writer, this: Values) -> None:
        present = bool(_given(this, self._names))
        writer.follow(self, this, followed=present)
        if present:
            self.content.write(writer, this)

    def refusal(self, this: Values, taken: bool, found: bool) -> EncodeError:
        what = "given, but takes no bytes" if taken else "missing, but there are bytes behind it"
        return EncodeError(what, self._names[0])


class Pad(Part):
    """Zero bytes without a meaning: as many as ``size`` says, or up to a multiple of ``align``.

    That is counted from the record's start, or from that of the section ``start``.
    """

    def __init__(self, size: Formula = 0, *, align: int = 1, start: str | None = None) -> None:
        super().__init__()
        self.extent = Size(size)
        self.align = align
        self.start = start

    def _gap(self, at: int, frame: Frame) -> int:
        origin = 0 if self.start is None else frame.offset(self.start)
        return (origin - at) % self.align

    def read(self, reader: Reader, this: Values) -> None:
        start = reader.pos
        count = self.extent.measure(reader, this) if self.align == 1 else self._gap(start, reader.frame)
        data = reader.take(count)
        if any(data):
            reader.refuse(DecodeError("padding", f"zeros expected, found {data.hex()}", start))
        if reader.trace is not None and data:
            reader.trace.note("", start, reader.pos, {}, kind=SpanKind.PADDING)

    def write(self, writer: Writer, this: Values) -> None:
        if self.align == 1:
            count = self.state(this, writer.record, writer.frame)
            if isinstance(self.extent.size, Expression):
                writer.claim(self, this, count)
        else:
            count = self._gap(len(writer.buffer), writer.frame)
        writer.write(bytes(count))

    def state(self, this: Values, record: Values, frame: Frame) -> int:
        """How many bytes its size gives; 0 if that is not known yet. Raises ``EncodeError`` for too many."""
        count = self.extent.state(this, record, frame)
        if not isinstance(count, int):
            return 0
        if not 0 <= count <= Reader.HEAVIEST:
            raise EncodeError(f"padding of {counted(count, 'byte')}", next(iter(this), ""))
        return count

    def refusal(self, this: Values, taken: int, found: int) -> EncodeError:
        what = f"padding of {counted(taken, 'byte')} was written, where its size says {found}"
        return EncodeError(what, next(iter(this), ""))
