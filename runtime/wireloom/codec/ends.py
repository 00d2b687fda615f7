"""Extents inside which a value ends: at a terminator, or where padding begins."""

import re
from collections.abc import Sequence
from copy import copy
from functools import cache

from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.frames import Values
from wireloom.codec.reader import Reader
from wireloom.codec.values import Extent, Rest, Size
from wireloom.codec.writer import Writer
from wireloom.expressions import Formula
from wireloom.options import MAX_RECORD_BYTES


@cache
def pattern(ends: Sequence[bytes]) -> re.Pattern[bytes]:
    """The first of some terminators, of which none begins with another one."""
    return re.compile(b"|".join(map(re.escape, ends)))


class Until(Extent):
    """Up to the terminator ``end`` or one of ``others``: which is after the value (``drop``), its end (``keep``), or
    the start of what follows (``leave``).

    It is searched for at multiples of ``unit`` bytes. If it may be missing, the value then takes all of its section.
    The ``end`` is written where the value does not say which.
    """

    def __init__(
        self,
        end: bytes,
        *others: bytes,
        terminator: str = "drop",
        unterminated: bool = False,
        unit: int = 1,
    ) -> None:
        self.end = end
        self.ends = (end, *others)
        self.terminator = terminator
        self.unterminated = unterminated
        self.unit = unit

    def find(self, data: bytes, start: int, limit: int) -> int:
        """Where the terminator is. Raises ``DecodeError`` if it is missing and must not be; else that is the limit."""
        found = self.seek(data, start, limit)
        if found < 0 and not self.unterminated:
            raise DecodeError("unterminated", f"no terminator {self.text}", start)
        return limit if found < 0 else found

    def seek(self, data: bytes, start: int, limit: int) -> int:
        """Where the terminator is; -1 if it is missing."""
        if len(self.ends) > 1:
            return self._seek_any(data, start, limit)
        found = data.find(self.end, start, limit)
        while found >= 0 and (found - start) % self.unit:
            found = data.find(self.end, found + 1, limit)
        return found

    def _seek_any(self, data: bytes, start: int, limit: int) -> int:
        found = pattern(self.ends).search(data, start, limit)
        while found is not None and (found.start() - start) % self.unit:
            found = pattern(self.ends).search(data, found.start() + 1, limit)
        return -1 if found is None else found.start()

    def size_at(self, data: bytes, found: int) -> int:
        """How many bytes the terminator has that was found there."""
        return next((len(end) for end in self.ends if data.startswith(end, found)), 0)

    @property
    def text(self) -> str:
        """The terminators, as messages show them."""
        return " or ".join(end.hex() for end in self.ends)

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        start, limit = reader.pos, reader.limit
        try:
            end = self.find(reader.buffer, start, limit)
        except DecodeError as error:
            raise reader.wanting(error, limit + 1) from None
        if self.terminator == "leave":
            return start, end, end
        if end == limit and self.terminator == "drop" and self.strict:
            raise DecodeError("unterminated", f"no terminator {self.text}, which is written", start)
        behind = min(end + self.size_at(reader.buffer, end), limit)
        return start, behind if self.terminator == "keep" else end, behind

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        is_ended = self.check(data, alone=self.terminator == "leave" and self.unterminated)
        writer.write(data + self.end if self.terminator == "drop" else data)
        self._end(writer, this, len(data), is_ended=is_ended)

    def keep(self, writer: Writer, this: Values, data: bytes) -> None:
        writer.write(data)
        self._end(writer, this, len(data), is_ended=self.seek(data, 0, len(data)) >= 0)

    def _end(self, writer: Writer, this: Values, size: int, *, is_ended: bool) -> None:
        """Assume what the end of a value of ``size`` bytes requires of the bytes after it."""
        if self.terminator == "leave":
            writer.precede(self.end, min(size, len(self.end) - self.unit), self.unit, may_end=self.unterminated)
        elif not is_ended:
            writer.follow(self, this, followed=False)

    def check(self, data: bytes, *, alone: bool = False) -> bool:
        """Whether it ends with the terminator that is kept, or keeps none. Raises ``EncodeError`` if it has another.

        Nothing follows a value that is ``alone``.
        """
        kept = max((len(end) for end in self.ends if data.endswith(end)), default=0)
        is_ended = self.terminator != "keep" or kept > 0
        whole = data if alone or self.terminator == "keep" else data + self.end
        most = len(data) - kept if self.terminator == "keep" else len(data)
        if 0 <= self.seek(whole, 0, len(whole)) < most:
            raise EncodeError(f"contains its terminator {self.text}")
        if not is_ended and not self.unterminated:
            raise EncodeError(f"does not end with its terminator {self.text}")
        return is_ended

    def refusal(self, this: Values, taken: object, found: object) -> EncodeError:
        return EncodeError(f"has no terminator {self.text}, but there are bytes behind it")

    def alone(self) -> "Until":
        found = copy(self)
        found.unterminated = self.unterminated or self.terminator == "leave"
        return found


class Padded(Extent):
    """In a region of a size: up to a terminator, or to where nothing but padding follows.

    That is so without a terminator, and where the one that is kept is missing.
    """

    def __init__(self, size: Formula, pad: bytes, until: Until | None = None) -> None:
        self.size: Size | Rest = Size(size)
        self.fixed = self.size.fixed
        self.pad = pad
        self.until = until

    def span(self, reader: Reader, this: Values) -> tuple[int, int, int]:
        start, stop, after = self.size.span(reader, this)
        data = reader.buffer
        if self.until is None:
            return start, self._unpadded(data, start, stop), after
        end = self.until.find(data, start, stop)
        if end == stop and self.until.terminator == "keep":
            return start, self._unpadded(data, start, stop), after
        behind = min(end + len(self.until.end), stop)
        if self.strict and data[behind:stop] != self._padding(stop - behind):
            raise DecodeError("padding", f"{self.pad.hex()} expected behind it, found others", behind)
        return start, behind if self.until.terminator == "keep" else end, after

    def _unpadded(self, data: bytes, start: int, stop: int) -> int:
        """Where the padding begins."""
        if len(self.pad) == 1:
            return start + len(data[start:stop].rstrip(self.pad))
        while stop - start >= len(self.pad) and data.endswith(self.pad, start, stop):
            stop -= len(self.pad)
        return stop

    def _padding(self, size: int) -> bytes:
        return (self.pad * -(-size // len(self.pad)))[:size]

    def write(self, writer: Writer, this: Values, data: bytes) -> None:
        size = self._given(writer, this)
        whole = self._whole(data, size)
        room = max(0, size - len(whole)) if size is not None else 0
        if not self._is_ended(whole):
            self._check_bare(whole, room)
        if isinstance(self.size, Size) and isinstance(self.size.size, int) and len(whole) > self.size.size:
            raise EncodeError(f"{counted(self.size.size, 'byte')} cannot hold it: it takes {len(whole)}")
        self.size.write(writer, this, whole + self._padding(room))

    def _given(self, writer: Writer, this: Values) -> int | None:
        """The size of the region, if it is known before the value is written."""
        if isinstance(self.size, Rest) or self.size.asks_left:
            return None
        size = self.size.state(this, writer.record, writer.frame)
        return size if isinstance(size, int) and 0 <= size <= MAX_RECORD_BYTES else None

    def _whole(self, data: bytes, size: int | None) -> bytes:
        """The value with the terminator that it needs."""
        if self.until is None:
            return data
        is_full = self.until.unterminated and len(data) == size
        self.until.check(data, alone=is_full)
        return data if is_full or self.until.terminator == "keep" else data + self.until.end

    def _is_ended(self, whole: bytes) -> bool:
        """Whether a value as it is written does not end where padding begins."""
        return self.until is not None and (self.until.terminator == "drop" or whole.endswith(self.until.end))

    def _check_bare(self, data: bytes, room: int) -> None:
        """Raises ``EncodeError`` if a value without a terminator would not end where its padding begins."""
        if data.endswith(self.pad):
            raise EncodeError(f"ends with its padding {self.pad.hex()}")
        if room % len(self.pad):
            raise EncodeError(f"{counted(room, 'byte')} behind it cannot be filled with {self.pad.hex()}")
        region = data + self._padding(room)
        if self.until is not None and self.until.seek(region, 0, len(region)) >= 0:
            raise EncodeError(f"does not end with its terminator {self.until.end.hex()}")

    def keep(self, writer: Writer, this: Values, data: bytes) -> None:
        self.size.write(writer, this, data)

    def alone(self) -> "Padded":
        found = copy(self)
        found.size = self.size if isinstance(self.size, Size) and isinstance(self.size.size, int) else Rest()
        return found
