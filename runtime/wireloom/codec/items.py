"""Items of lists at offsets that other fields give, and what they share with other fields at offsets."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from construct import Construct

from wireloom.codec.accepted_values import is_same, shown
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Frame, Spans, Values
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer
from wireloom.coercion import plain
from wireloom.expressions import Expression

_EMPTY = Reader.SHARED // Reader.STEP
"""How many items without bytes a record may have for each of its bytes."""


class PlacedItem:
    """The item with the number ``index`` of a list whose items are each at the byte ``at`` of the record.

    Its value goes into the list ``built``, and its span into ``spans``, if those are used.
    """

    __slots__ = ("at", "built", "index", "item", "spans")

    def __init__(self, at: Expression, item: Construct, built: list[Any], index: int, spans: Spans | None) -> None:
        self.at = at
        self.item = item
        self.built = built
        self.index = index
        self.spans = spans

    def put(self, writer: Writer, this: Values, place: int | None) -> None:
        """Write the item where the writer is, which ``at`` must say in the end. Without bytes it is at its place."""
        start = len(writer.buffer)
        writer.frame.index = self.index
        self.built[self.index] = self.item._build(self.built[self.index], writer, this, "")
        end = len(writer.buffer)
        if end == start:
            hollow(writer, this)
        if end == start and place is not None and 0 <= place < start:
            start = end = place
        if self.spans is not None:
            self.spans[self.index] = start, end, writer.inner
        writer.moved |= place is not None and place != start
        writer.claim(self, this, start)

    def state(self, this: Values, record: Values, frame: Frame) -> Any:
        """The byte at which it should be."""
        frame.index = self.index
        return self.at.ask(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        return misplaced(self.at, taken, found)

    @property
    def names(self) -> Iterable[str]:
        """No columns: who leaves out a list leaves out all of it."""
        return ()

    def reread(self, reader: Reader, this: Values) -> bool:
        """Take what others wrote; returns whether it is other than was taken. Raises ``EncodeError`` if it is other
        than was given.
        """
        at, given = self.state(this, reader.record, reader.frame), self.built[self.index]
        if given is None:
            raise EncodeError("missing")
        try:
            found = reader.away(at, "", lambda: self.item._parse(reader, this, ""), shared=True)
        except DecodeError as error:
            raise EncodeError(f"cannot be read back: {error.detail}", error.field or "") from None
        if not agrees(given, found):
            raise EncodeError(f"{shown(given)} given, but the bytes there are {shown(found)}")
        self.built[self.index] = found
        return not agrees(found, given)


def hollow(writer: Writer, this: Values) -> None:
    """Count an item without bytes, and claim that there are not too many."""
    writer.empty += 1
    if writer.empty % _EMPTY == 1:
        writer.claim(_Bounded(writer), this, taken=True)


class _Bounded:
    """The claim that no more items without bytes are written than are read."""

    __slots__ = ("writer",)

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def state(self, this: Values, record: Values, frame: Frame) -> bool:
        return self.writer.empty <= _EMPTY * len(self.writer.buffer)

    def refusal(self, this: Values, taken: object, found: object) -> EncodeError:
        return EncodeError(f"has items without bytes, more than {_EMPTY} for each byte of the record")


def place(writer: Writer, this: Values, at: Expression) -> int | None:
    """Where it should be; None if that is unknown, or follows from where it is written."""
    if not writer.keeps and writer.length is not None and follows(writer, this, at):
        return None
    found = at.ask(this, writer.record, writer.frame)
    return found if isinstance(found, int) else None


def follows(writer: Writer, this: Values, at: Expression) -> bool:
    """Whether a place follows from where something is written."""
    names = [name.name if name.item is None else name.item.list for name in at.names]
    return any(writer.awaited.has(values, name) for name in names for values in (this, writer.record))


def misplaced(at: Expression, taken: int, found: Any, name: str = "") -> EncodeError:
    """The error for an item at the byte ``taken`` that should be at ``found``."""
    return EncodeError(f"stands at byte {taken}, but {at.written} says {shown(found)}", name)


def agrees(given: Any, found: Any) -> bool:
    """Whether a value says no other than the one that was read; it may say less."""
    match given:
        case None:
            return True
        case Mapping():
            return isinstance(found, Mapping) and all(agrees(value, found.get(name)) for name, value in given.items())
        case list() | tuple():
            alike = isinstance(found, list) and len(given) == len(found) and all(each is not None for each in given)
            return alike and all(map(agrees, given, found))
        case float():
            return is_same(given, found)
    with suppress(Exception):  # whatever the value's own class raises
        return bool(plain(given) == found)
    return False
