"""``Raw``: the bytes of a value that are not those it is written as, kept in a column beside it.

``Value`` is the interface of values that several bytes can say.
"""

from copy import copy
from typing import Any, Self

from construct import Construct

from wireloom.codec.accepted_values import is_same, octets
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Values
from wireloom.codec.reader import Reader
from wireloom.codec.writer import Writer


class Value(Construct):
    """A value that is not a number of a fixed size.

    A ``strict`` one accepts only the bytes that it writes; others make the record malformed. Values of a field with
    ``raw`` are not strict: they accept all bytes that have a meaning, and read those that only ``raw`` can hold as
    None. ``beside`` is the column of one that keeps its bytes itself.
    """

    strict = True
    beside = ""

    def lenient(self) -> Self:
        """The same value for a field with ``raw``."""
        found = copy(self)
        found.strict = False
        return found

    def alone(self) -> Self:
        """The same value if there is nothing else, so that it ends where the bytes do."""
        return self

    def keep(self, writer: Writer, this: Values, value: Any, data: bytes) -> None:
        """Write ``data``, which means ``value``. Whatever determines the value's end must give the end of ``data``."""
        writer.write(data)


class Raw:
    """The column with the bytes of a value, null if the value would be written as the same bytes."""

    def __init__(self, column: str, value: Value) -> None:
        self.column = column
        self.value = value.lenient()
        self._alone = self.value.alone()

    def kept(self, reader: Reader, this: Values, start: int, value: Any) -> bytes | None:
        """What the column has for a value that was just read from the bytes at ``start``."""
        data = reader.buffer[start : reader.pos]
        return None if _written(self.value, value, this, reader) == data else data

    def meant(self, writer: Writer, this: Values, value: Any) -> bytes | None:
        """The bytes to write for a value: those of the column if they still say the same, else None."""
        given = this.get(self.column)
        if given is None:
            return None
        data = octets(given, self.column)
        reader = Reader(data, writer.frame.parameters, little=writer.little)
        reader.record, reader.frame = writer.record, writer.frame
        try:
            said = self._alone._parse(reader, this, "")
        except DecodeError:
            return None
        if reader.pos < len(data) or (said is None) != (value is None):
            return None
        afresh = None if value is None else _written(self._alone, value, this, writer)
        if is_same(value, said) or (afresh is not None and afresh == _written(self._alone, said, this, writer)):
            return data
        return None


def _written(kind: Value, value: Any, this: Values, beside: Reader | Writer) -> bytes | None:
    """As ``written``; None if it cannot be written."""
    try:
        return written(kind, value, this, beside)
    except EncodeError:
        return None


def written(kind: Value, value: Any, this: Values, beside: Reader | Writer) -> bytes:
    """The bytes that a value is written as beside the others. Raises ``EncodeError``."""
    writer = Writer(beside.frame.parameters, little=beside.little)
    writer.record, writer.frame = beside.record, beside.frame
    kind._build(value, writer, this, "")
    return bytes(writer.buffer)
