"""Records whose end is given by their first fields, or by all of their fields, read by the layouts of the record."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from wireloom.codec.bits import Bits
from wireloom.codec.columns import Column
from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError, counted
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import Layout, Step
from wireloom.codec.lengths import Buffer, Ends, Look
from wireloom.codec.matching import Given
from wireloom.codec.message import Message, Record, Slot
from wireloom.codec.parts import Section
from wireloom.codec.reader import Glance
from wireloom.codec.rules import in_words
from wireloom.codec.runs import Run
from wireloom.expressions import Expression, Formula, expression
from wireloom.expressions.tree import Function

_FIRST = 64
"""How many bytes of a record are looked at at first."""


class _Glanced(Ends):
    """The end of records that is given by fields which are read by layouts."""

    def possible(self, buffer: Buffer, start: int, end: int, little: bool, parameters: Values) -> int:
        try:
            return self.measure(Look(buffer, end, parameters, True, None, None, 0), start, little)
        except DecodeError as error:
            return int(error.needed > end - start)  # 1 if more bytes may be needed


class Headed(_Glanced):
    """Their ``length`` is computed from the record's beginning, which is read as far as necessary.

    That is the header of ``record`` and the bytes after it, or the fields of ``message``, at most ``most`` bytes if
    that is known. None of it depends on where the record ends.
    """

    def __init__(
        self,
        record: Record,
        message: Message | None = None,
        *,
        length: Formula,
        match: Given | None = None,
        valid: Formula | None = None,
        most: int | None = None,
    ) -> None:
        super().__init__(match=match, valid=valid)
        self.length: Expression = expression(length)
        self.size = 1
        self.window = sys.maxsize if most is None else most
        items = list(_items(record, message))
        self.columns = [column for item in items for column in item.columns]
        self._empty: Values = dict.fromkeys(column.name for column in self.columns)
        self.items = list(_needed(items, [each for each in (self.length, self.valid) if each is not None]))

    def measure(self, look: Look, start: int, little: bool) -> int:
        this, frame = self._read(look, start, little)
        if self.valid is not None and not self.valid.holds(this, this, frame):
            digits = {column.name: column.digits for column in self.columns if column.digits}
            found = in_words([self.valid], this, this, frame, digits)
            raise DecodeError("invalid", f"{self.valid.written} expected, found {found}")
        length = self.length.ask(this, this, frame)
        if not isinstance(length, int):
            raise DecodeError("invalid-size", "a length that follows from an absent value")
        return length

    def _read(self, look: Look, start: int, little: bool) -> tuple[Values, Frame]:
        """The values at the record's beginning, and where they are. Raises ``DecodeError``."""

        def read(data: bytes) -> tuple[Values, Frame]:
            this = dict(self._empty)
            reader = Glance(data, look.parameters, this, little=little)
            for item in self.items:
                item.read(reader, this)
            return this, reader.frame

        return _glanced(look, start, read)


class Fields(_Glanced):
    """They end where their fields do: those of ``record``, and of the one of ``messages`` that they are."""

    def __init__(
        self,
        *fields: tuple[str, int, Any],
        record: Record,
        messages: tuple[Message, ...],
        match: Given | None = None,
        valid: Formula | None = None,
    ) -> None:
        super().__init__(*fields, match=match, valid=valid)
        self.record = record
        self.window = sys.maxsize
        self._empty: Values = dict.fromkeys(column.name for column in record.columns)
        self._dispatch = Dispatch({message.name: message for message in messages})

    def measure(self, look: Look, start: int, little: bool) -> int:
        self._asked(look, start, little, Frame(look.parameters))

        def end(data: bytes) -> int:
            this = dict(self._empty)
            reader = Glance(data, look.parameters, this, little=little)
            self.record.head.read(reader, this)
            self._dispatch.message_of(this, look.parameters).read(reader, this)
            return reader.pos

        return _glanced(look, start, end)


T = TypeVar("T")


def _glanced(look: Look, start: int, read: Callable[[bytes], T]) -> T:
    """What ``read`` finds in the first bytes of a record; ever more are copied, until they are enough.

    Raises ``DecodeError``.
    """
    left = look.end - start
    most = left if look.bound is None else min(left, look.bound)
    size = min(most, _FIRST)
    while True:
        try:
            return read(bytes(look.buffer[start : start + size]))
        except DecodeError as error:
            if look.bound is not None and error.needed > look.bound:
                what = f"a record of more than the {counted(look.bound, 'byte')} allowed"
                raise DecodeError("too-long", what) from None
            if not size < error.needed <= left:
                raise
            size = min(most, max(error.needed, 2 * size))


class HeadItem(NamedTuple):
    """A step of reading; or the start or end of the section ``step``, if its content is also read item by item."""

    step: Step
    within: bool | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """The columns that it fills."""
        return list(self.step.columns()) if self.within is None else ()

    @property
    def begins(self) -> str:
        """The name that begins with it."""
        match self.step:
            case Run(names=(name, *_)) | Bits(fields=((name, *_), *_)):
                return str(name)
        return str(getattr(self.step, "name", "")) if self.within is not False else ""

    @property
    def names(self) -> Iterator[str]:
        """Everything that is known after it."""
        yield self.begins
        yield from (column.name for column in self.columns)
        if self.within is None:
            yield from _regions(self.step)

    def read(self, reader: Glance, this: Values) -> None:
        """Read it."""
        if self.within is None:
            self.step.read(reader, this)
        elif isinstance(self.step, Slot):
            if self.within:
                reader.limits.append(self.step.enter(reader, this))
            else:
                reader.pos = reader.limit
                reader.leave(reader.limits.pop())


class Reached(NamedTuple):
    """The place where something begins that need not be read."""

    name: str

    def read(self, reader: Glance, this: Values) -> None:
        """Note it."""
        reader.frame[self.name] = (reader.pos, reader.pos)


def _items(record: Record, message: Message | None) -> Iterator[HeadItem]:
    yield from map(HeadItem, record.head.steps)
    for part in record.tail:
        if isinstance(part, Layout):
            yield from map(HeadItem, part.steps)
        else:
            yield HeadItem(part, True)
            if message is not None and part.name in message.sections:
                yield from map(HeadItem, message.sections[part.name].steps)
            yield HeadItem(part, False)


def _regions(step: Step) -> Iterator[str]:
    """The sections in a step."""
    if isinstance(step, Section):
        yield step.name
        for inner in step.content.steps:
            yield from _regions(inner)


def _needed(items: Sequence[HeadItem], asked: Sequence[Expression]) -> Iterator[HeadItem | Reached]:
    """The items up to the last one that expressions use; if they use only its place, it is not read."""
    names: set[str] = set()
    places: set[str] = set()
    for place, name in (mention for each in asked for mention in each.mentions):
        (places if place is Function.OFFSET else names).add(name.steps[0])
    known = {name for item in items for name in item.names}
    names &= known
    places &= known
    for item in items:
        if not names and places == {item.begins}:
            yield Reached(item.begins)
            return
        if not names and not places:
            return
        yield item
        names -= set(item.names)
        places -= set(item.names)
