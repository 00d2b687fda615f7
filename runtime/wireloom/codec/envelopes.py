"""What is in the bytes of a record besides its contents: flags around them and escapes in them, or one of several
terminators behind them.
"""

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
    """A record without what is around it: its escaped bytes, which begin at ``start``, and its contents, for which they
    stand.

    ``kept`` is what says how it is written, if it would be written otherwise.
    """

    start: int
    escaped: bytes
    contents: bytes
    kept: bytes | None

    @property
    def same(self) -> bool:
        """Whether nothing is escaped."""
        return self.escaped == self.contents


class EndedByAny:
    """One of several terminators behind each record, or none if the last one of a capture may be ``unterminated``.
    Records are written with the first one, unless ``raw`` has another, or is empty.
    """

    def __init__(self, *ends: bytes, raw: str, unterminated: bool = False) -> None:
        self.ends = ends
        self.raw = raw
        self.unterminated = unterminated
        self.longest_first = sorted(ends, key=len, reverse=True)

    @property
    def described(self) -> str:
        """What is around the contents, for messages."""
        return "several terminators of records" if len(self.ends) > 1 else "records without their terminator"

    def open(self, data: bytes) -> Opened:
        """The contents of a record; one that is cut off has no terminator, nor has one that is ``unterminated``."""
        _, _, stop = self.around(data)
        end, contents = data[stop:], data[:stop]
        is_canonical = end == self.ends[0] or not (end or self.unterminated)
        return Opened(0, contents, contents, None if is_canonical else end)

    def outside(self, error: DecodeError, opened: Opened) -> DecodeError:
        """An error in the contents of a record, with its place in the record, which is the same."""
        return error

    def close(self, contents: bytes, row: Values) -> bytes:
        """The bytes of a record: contents and terminator. Raises ``EncodeError`` if they make another terminator."""
        kept = None if row[self.raw] is None else octets(row[self.raw], self.raw)
        if kept == b"" and self.unterminated and contents and self.open(contents).contents == contents:
            return contents
        for end in (kept, self.ends[0]):
            if end in self.ends and self.open(contents + end).contents == contents:
                return contents + end
        raise EncodeError(f"its last bytes would be part of its terminator {self.ends[0].hex()}")

    def around(self, data: bytes) -> tuple[str, int, int]:
        """What is around the contents of a record, and from where to where these are."""
        end = next((end for end in self.longest_first if data.endswith(end)), b"")
        return "(terminator)", 0, len(data) - len(end)


class Flagged:
    """The ``flag``, a byte, that is before and after each record, and the escapes in between.

    A record is written with a flag before it, unless it is ``shared``: then the one after the record before serves.
    There may be more or fewer flags before a record that is read: the column ``raw`` has the bytes of such a record.
    """

    described = "flags around records"

    def __init__(self, flag: bytes, raw: str, *, shared: bool = False, unescape: Unescape | None = None) -> None:
        self.flag = flag
        self.raw = raw
        self.opening = b"" if shared else flag
        self.transform: Transform = Same() if unescape is None else unescape.step({}, {}, Frame({}))

    def around(self, data: bytes) -> tuple[str, int, int]:
        """What is around the contents of a record, and from where to where these are, escaped."""
        start = len(data) - len(data.lstrip(self.flag))
        return "(flags)", start, start + len(data[start:].removesuffix(self.flag))

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


Envelope = EndedByAny | Flagged
"""What is around the contents of records. Its column ``raw`` says how a record is written, if not as others are."""


class KeptRecord(Part):
    """The column that says how a record is written. The record has no more bytes for it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def columns(self) -> Iterator[Column]:
        yield Column(self.name, "binary")

    def read(self, reader: Reader, this: Values) -> None:
        """Nothing: the value is known before the record is read."""

    def write(self, writer: Writer, this: Values) -> None:
        """Nothing: the value is asked for when the record is written."""
