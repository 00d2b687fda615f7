"""Records between flags: what is in a record's bytes besides its contents, and how these are escaped."""

from collections.abc import Iterator
from typing import NamedTuple

from wireloom.codec.accepted_values import octets
from wireloom.codec.columns import Column
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import Frame, Values
from wireloom.codec.layout import Part
from wireloom.codec.reader import Reader
from wireloom.codec.transforms import Same, Transform, Unescape
from wireloom.codec.writer import Writer
from wireloom.options import MAX_RECORD_BYTES


class Opened(NamedTuple):
    """A record without its flags: its escaped bytes, which begin at ``start``, and its contents, for which they stand.

    ``kept`` are the bytes of the record, if it would be written with others.
    """

    start: int
    escaped: bytes
    contents: bytes
    kept: bytes | None

    @property
    def same(self) -> bool:
        """Whether nothing is escaped."""
        return self.escaped == self.contents


class Flagged:
    """The ``flag``, a byte, that is before and after each record, and the escapes in between.

    A record is written with a flag before it, unless it is ``shared``: then the one after the record before serves.
    There may be more or fewer flags before a record that is read: the column ``raw`` has the bytes of such a record.
    """

    def __init__(self, flag: bytes, raw: str, *, shared: bool = False, unescape: Unescape | None = None) -> None:
        self.flag = flag
        self.raw = raw
        self.opening = b"" if shared else flag
        self.transform: Transform = Same() if unescape is None else unescape.step({}, {}, Frame({}))

    def open(self, data: bytes) -> Opened:
        """The contents of a record. Raises ``DecodeError``, its offset counted from the record's start."""
        start = len(data) - len(data.lstrip(self.flag))
        escaped = data[start:].removesuffix(self.flag)
        try:
            contents = self.transform.unpack(escaped, MAX_RECORD_BYTES)
        except DecodeError as error:
            error.offset += start
            raise
        if not contents:
            raise DecodeError("invalid-size", "nothing is between its flags", start)
        is_kept = len(data) != len(self.opening) + len(escaped) + 1 or self.transform.keeps(escaped, contents)
        return Opened(start, escaped, contents, data if is_kept else None)

    def outside(self, error: DecodeError, opened: Opened) -> DecodeError:
        """An error in the contents of a record, with its place in the record."""
        if opened.same:
            error.offset += opened.start
        else:
            error.detail += f" (at byte {error.offset} of what is unescaped)"
            error.offset = opened.start
        return error

    def close(self, contents: bytes, row: Values) -> bytes:
        """The bytes of a record: those that the row has, if they have the same contents. Raises ``EncodeError``."""
        if not contents:
            raise EncodeError("a record has at least one byte")
        if row[self.raw] is not None:
            kept = octets(row[self.raw], self.raw)
            try:
                if self.flag in kept[-1:] and self.open(kept).contents == contents:
                    return kept
            except DecodeError:
                pass
        escaped = self.transform.pack(contents)
        return self.opening + escaped + self.flag


class KeptRecord(Part):
    """The column for the bytes of a whole record. The record has no more bytes for it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def columns(self) -> Iterator[Column]:
        yield Column(self.name, "binary")

    def read(self, reader: Reader, this: Values) -> None:
        """Nothing: the value is known before the record is read."""

    def write(self, writer: Writer, this: Values) -> None:
        """Nothing: the value is asked for when the record is written."""
