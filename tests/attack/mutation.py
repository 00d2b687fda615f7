"""Records and captures that hurt: fields known by a trace, their numbers, sizes and order changed, and sums mended.

What mends a record is what the codec says is wrong with it. So a damaged payload gets past the checksums in front of
the code that is to be attacked, in whatever protocol.
"""

import re
from collections.abc import Callable, Sequence
from random import Random

from attack.targets import Parameters
from wireloom.codec import DecodeError, Protocol

SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 20, 24, 60, 61, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF)
HOSTILE = (*SIZES, 0x7FFFFFFF, 0x80000000, 0xFFFFFFE8, 0xFFFFFFFF, 1 << 63, (1 << 63) - 1, (1 << 64) - 1)
EXPECTED = re.compile(r"(?P<number>0x[0-9a-f]+|-?(?:0|[1-9]\d*)) expected")
LONGEST = 4096
"""Records do not grow beyond so many bytes, unless there are longer ones."""

Span = tuple[int, int]


class Mutator:
    """Makes hurt records of a protocol out of ``records``. All chance comes from ``random``."""

    def __init__(self, protocol: Protocol, records: Sequence[bytes], parameters: Parameters, random: Random) -> None:
        self.protocol = protocol
        self.records = records
        self.longest = max(LONGEST, *map(len, records))
        self.parameters = parameters
        self.random = random
        self.ways: tuple[Callable[[bytes], bytes], ...] = (
            self.renumbered,
            self.resized,
            self.repeated,
            self.spliced,
            self.pointed,
            self.flipped,
            self.cut,
        )

    def record(self) -> bytes:
        """A record that something was done to, its lengths and sums mended more often than not."""
        data = self.random.choice(self.records)
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
            data = self.random.choice(self.ways)(data)[: self.longest]
            if self.random.random() < 0.6:
                data = self.mended(data)
        return data

    def capture(self, most: int = 12) -> bytes:
        """Records one behind the other, garbage among them."""
        parts: list[bytes] = []
        for _ in range(self.random.randint(1, most)):
            kind = self.random.random()
            if kind < 0.5:
                parts.append(self.random.choice(self.records))
            elif kind < 0.9:
                parts.append(self.record())
            else:
                parts.append(self.garbage())
        return b"".join(parts)

    def garbage(self) -> bytes:
        """Bytes that no record was made of."""
        size = self.random.choice((1, 2, 5, 23, 60, 200))
        return self.random.choice(
            (
                bytes(size),
                self.random.randbytes(size),
                b"\0\xff" * size,
                bytes(self.random.choices((0, 1), k=size)),
                self.random.choice(self.records)[: self.random.randrange(64)] * 3,
            )
        )

    def spans(self, data: bytes) -> list[Span]:
        """Where the fields stand that could be read, or else every number's place that could be one."""
        _, traced = self.protocol.trace(data, **self.parameters)
        return [(span.start, span.end or 0) for _, span in traced if span.start < (span.end or 0)] or [
            (at, at + 1) for at in range(len(data))
        ]

    def span(self, data: bytes) -> Span:
        """One of them."""
        return self.random.choice(self.spans(data) or [(0, len(data))])

    def renumbered(self, data: bytes) -> bytes:
        """A field has a number that is never a good one, or one that is nearly."""
        start, end = self.span(data)
        size = min(end - start, 8)
        now = int.from_bytes(data[start : start + size], "big")
        number = self.random.choice((*HOSTILE, now + 1, now - 1, now ^ 0x80, len(data) - start, len(data) - end))
        order = self.random.choice(("big", "big", "little"))
        return data[:start] + (number % (1 << 8 * size)).to_bytes(size, order) + data[start + size :]

    def resized(self, data: bytes) -> bytes:
        """A field has lost bytes or got some."""
        start, end = self.span(data)
        if self.random.random() < 0.5:
            return data[:start] + data[self.random.randint(start, end) :]
        more = self.random.randbytes(self.random.choice((1, 1, 2, 4, 16)))
        return data[:end] + self.random.choice((more, bytes(len(more)), b"\xff" * len(more))) + data[end:]

    def repeated(self, data: bytes) -> bytes:
        """Some fields stand there several times."""
        start, end = self.span(data)
        last = self.random.choice([stop for _, stop in self.spans(data) if stop >= end] or [end])
        return data[:last] + data[start:last] * self.random.choice((1, 1, 2, 9, 40)) + data[last:]

    def spliced(self, data: bytes) -> bytes:
        """The record goes on as another one does."""
        other = self.random.choice(self.records)
        return data[: self.span(data)[0]] + other[self.span(other)[0] :]

    def pointed(self, data: bytes) -> bytes:
        """A number inside a field, such as an offset in a FlatBuffers table, points elsewhere."""
        start, end = self.span(data)
        width = self.random.choice((1, 2, 2, 4, 4))
        at = start + width * self.random.randint(0, max(0, (end - start) // width - 1))
        number = self.random.choice(HOSTILE) % (1 << 8 * width)
        return data[:at] + number.to_bytes(width, self.random.choice(("little", "big"))) + data[at + width :]

    def flipped(self, data: bytes) -> bytes:
        """Some bits are others."""
        found = bytearray(data)
        for _ in range(self.random.choice((1, 1, 3)) if data else 0):
            found[self.random.randrange(len(found))] ^= 1 << self.random.randrange(8)
        return bytes(found)

    def cut(self, data: bytes) -> bytes:
        """The record ends early."""
        return data[: self.random.randint(0, len(data))]

    def mended(self, data: bytes) -> bytes:
        """The record with its length, derived numbers and checksums as the codec says that they should be."""
        for _ in range(6):
            try:
                self.protocol.parse(data, **self.parameters)
                return data
            except DecodeError as error:
                repaired = self._length_told(data) if error.field == "" else self._expected(data, error)
            if repaired == data:
                return data
            data = repaired
        return data

    def _expected(self, data: bytes, error: DecodeError) -> bytes:
        """The record with the number that an error expects."""
        wanted = EXPECTED.match(error.detail)
        width = next((end - start for start, end in self.spans(data) if start == error.offset), 4)
        if wanted is None or error.offset + width > len(data):
            return data
        number = int(wanted["number"], 0) % (1 << 8 * width)
        tried = (self._put(data, error.offset, number, width, order) for order in ("big", "little"))
        return next((found for found in tried if self._error(found) != error.reason), data)

    def _length_told(self, data: bytes) -> bytes:
        """The record with the length it has, told by whichever number of its header does that."""
        told = self._told(data)
        if told is None or told == len(data):
            return data
        for start, end in self.spans(data)[:20]:
            if end - start > 8:
                continue
            for order in ("big", "little"):
                number = int.from_bytes(data[start:end], order) + len(data) - told  # type: ignore[arg-type]
                if 0 <= number < 1 << 8 * (end - start):
                    found = self._put(data, start, number, end - start, order)
                    if self._told(found) == len(data):
                        return found
        return data

    def _told(self, data: bytes) -> int | None:
        """How long the record says that it is, its sums not looked at."""
        parameters = {**{each.name: each.default for each in self.protocol.parameters}, **self.parameters}
        try:
            return self.protocol.framing.first(data, 0, len(data), parameters)[0]
        except DecodeError:
            return self.protocol.framing.likely(data, parameters)[0]

    def _error(self, data: bytes) -> str:
        try:
            self.protocol.parse(data, **self.parameters)
        except DecodeError as error:
            return error.reason
        return ""

    @staticmethod
    def _put(data: bytes, at: int, number: int, width: int, order: str) -> bytes:
        return data[:at] + number.to_bytes(width, order) + data[at + width :]  # type: ignore[arg-type]
