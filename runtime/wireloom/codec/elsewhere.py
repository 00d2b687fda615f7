"""``Elsewhere``: a field that does not stand in sequence, but where an offset says."""

from collections.abc import Mapping
from typing import Any

from construct import Construct

from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.givens import shown
from wireloom.codec.layout import Around
from wireloom.codec.places import Scattered
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Standing, Writer
from wireloom.expressions import Formula, expression


class Elsewhere(Around):
    """A field that stands at the byte ``at`` of the record.

    Its bytes belong to its region, behind what stands in sequence there. Those of a ``shared`` one belong to others,
    anywhere in the record: it is read, and compared with what was written, but not written itself.
    """

    def __init__(self, at: Formula, item: Construct, *, shared: bool = False) -> None:
        super().__init__(item)
        self.at = expression(at)
        self.shared = shared
        self.name = next(self.columns()).name

    def read(self, reader: Reader, this: Values) -> None:
        pos, limit, taken, trace = reader.pos, reader.limit, reader.taken, reader.trace
        place = self.at.ask(this, reader.record, reader.frame)
        if self.shared:
            reader.limit, reader.taken = reader.end, Scattered()
        if not isinstance(place, int) or not 0 <= place <= reader.limit:
            where = "the record" if self.shared else "its section"
            raise DecodeError("place", f"would stand at byte {shown(place)}, not in {where}", pos, self.name)
        if trace is not None:
            trace.leave(shared=self.shared)
        reader.pos = place
        self.content.read(reader, this)
        end = reader.pos
        if trace is not None:
            trace.come_back(pos)
        reader.pos, reader.limit = pos, limit
        if self.shared:
            reader.taken = taken
            reader.borrow(end - place)
            return
        reader.taken = reader.taken or Scattered()
        reader.taken.take(place, end, limit, self.name)

    def write(self, writer: Writer, this: Values) -> None:
        if self.shared:
            writer.share(self, this)
            return
        place = None if self._follows(writer, this) else self.at.ask(this, writer.record, writer.frame)
        writer.defer(self, this, place if isinstance(place, int) else None)

    def _follows(self, writer: Writer, this: Values) -> bool:
        """Whether its place follows from where it is written."""
        if writer.keeps or writer.length is None:
            return False
        return any(writer.awaited.has(values, name.name) for name in self.at.names for values in (this, writer.record))

    def put(self, writer: Writer, this: Values, place: int | None) -> None:
        """Write the field where the writer is, which ``at`` must say in the end. Without bytes it is at its place."""
        start = len(writer.buffer)
        self.content.write(writer, this)
        if len(writer.buffer) == start and place is not None and 0 <= place < start:
            writer.frame[self.name] = (place, place)
            start = place
        writer.moved |= place is not None and place != start
        writer.claim(self, this, start)

    def state(self, this: Values, record: Values, frame: Frame) -> Any:
        """The byte at which it should stand."""
        return self.at.ask(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        what = f"stands at byte {taken}, but {self.at.written} says {shown(found)}"
        return EncodeError(what, self.name)

    def misread(self, writer: Writer, data: bytes, item: Standing) -> EncodeError | None:
        """The error if what others wrote is not the value that was given."""
        _, this, frame, _, little = item
        reader = Reader(data, frame.parameters, little=little)
        reader.frame, reader.record = frame, writer.record
        found = dict(this)
        try:
            self.read(reader, found)
        except DecodeError as error:
            return EncodeError(f"cannot be read back: {error.detail}", error.field or self.name)
        for column in self.columns():
            if not column.label and not _agrees(this[column.name], found[column.name]):
                what = f"{shown(this[column.name])} given, but the bytes there are {shown(found[column.name])}"
                return EncodeError(what, column.name)
        return None


def _agrees(given: Any, found: Any) -> bool:
    """Whether a value says no other than the one that was read; it may say less."""
    match given:
        case None:
            return True
        case Mapping():
            return isinstance(found, Mapping) and all(_agrees(value, found.get(name)) for name, value in given.items())
        case list() | tuple():
            alike = isinstance(found, list) and len(given) == len(found) and None not in given
            return alike and all(map(_agrees, given, found))
        case float():
            return bool(given == found or (given != given and found != found))
    return bool(given == found)
