"""``Elsewhere``: a field at an offset that another field gives (a pointer), instead of in sequence."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from construct import Construct

from wireloom.codec.accepted_values import shown
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.items import agrees, follows, misplaced, place
from wireloom.codec.layout import Around, Lone
from wireloom.codec.lists import Repeat
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer
from wireloom.expressions import Formula, expression


class Elsewhere(Around):
    """A field at the byte ``at`` of the record.

    Its bytes belong to its region, after those in sequence. The bytes of a ``shared`` one belong to other fields,
    anywhere in the record: it is read, and compared with what was written, but not written itself. If it is
    ``optional``, it is null where the place is outside the record, or there is no such value. A list whose ``count`` is
    0 may be outside the record.
    """

    def __init__(self, at: Formula, item: Construct, *, shared: bool = False, optional: bool = False) -> None:
        super().__init__(item)
        self.at = expression(at)
        self.shared = shared
        self.optional = optional
        self.name, *beside = (column.name for column in self.columns() if not column.label)
        self._names = (self.name, *beside)
        kinds = [step.subcon for step in self.content.steps if isinstance(step, Lone)]
        self.count = next((kind.count for kind in kinds if isinstance(kind, Repeat)), None)

    def read(self, reader: Reader, this: Values) -> None:
        place = self.at.ask(this, reader.record, reader.frame)
        if not self.optional:
            self._read(place, reader, this)
        elif not reader.attempt(place, lambda: self._read(place, reader, this)):
            this.update((column.name, None) for column in self.columns())
            reader.frame.pop(self.name, None)

    def _read(self, place: object, reader: Reader, this: Values) -> None:
        is_empty = self.count is not None and reader.ask(self.count, this) == 0
        reader.away(place, self.name, lambda: self.content.read(reader, this), shared=self.shared, is_empty=is_empty)

    def write(self, writer: Writer, this: Values) -> None:
        if self.shared:
            given = {name: this[name] for name in self._names}
            known = writer.known.get(writer.path)
            if known is not None:
                this.update((name, known[name]) for name in given if name in known)
            writer.share(_Borrowed(self, given), this)
            return
        found, value = place(writer, this, self.at), this[self.name]
        is_empty = self.count is not None and isinstance(value, list | tuple) and not value
        if found is not None and is_empty and (writer.keeps or not follows(writer, this, self.at)):
            self.content.write(writer, this)
            writer.frame[self.name] = (found, found)
            writer.claim(self, this, found)
        else:
            writer.defer(self, this, found)

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
        """The byte at which it should be."""
        return self.at.ask(this, record, frame)

    def refusal(self, this: Values, taken: int, found: Any) -> EncodeError:
        return misplaced(self.at, taken, found, self.name)


class _Borrowed:
    """A field whose bytes belong to others, and the value that is ``given`` for it."""

    __slots__ = ("given", "part")

    def __init__(self, part: Elsewhere, given: Mapping[str, Any]) -> None:
        self.part = part
        self.given = given

    @property
    def names(self) -> Iterable[str]:
        """Its columns."""
        return self.given

    def reread(self, reader: Reader, this: Values) -> bool:
        """Take what others wrote; returns whether it is other than was taken. Raises ``EncodeError`` if it is other
        than was given.
        """
        found = dict(this)
        try:
            self.part.read(reader, found)
        except DecodeError as error:
            raise EncodeError(f"cannot be read back: {error.detail}", error.field or self.part.name) from None
        with suppress(Exception):  # whatever the class of a given value raises
            if all(found[name] == this[name] for name in self.given):
                return False
        for name, given in self.given.items():
            if not agrees(given, found[name]):
                raise EncodeError(f"{shown(given)} given, but the bytes there are {shown(found[name])}", name)
        if all(agrees(found[name], this[name]) for name in self.given):
            return False
        this.update((name, found[name]) for name in self.given)
        return True
