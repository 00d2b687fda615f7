"""Datagrams with the frame header of memcached: messages that several of them carry, put in order.

The header has 8 bytes: the number of the request, that of the datagram, how many datagrams there are, and two zeros
(memcached, doc/protocol.txt, "UDP protocol").
"""

import struct
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.reassembly import Chunk, Delivered
from wireloom.columnar.traffic.stream_readers import Plain, Sent
from wireloom.endpoints import Endpoints

FRAMED = ("memcached",)
"""The protocols whose datagrams begin with this header."""
_HEADER = struct.Struct(">4H")
_PART = 1024
"""About how many bytes of memory a waiting datagram takes beside its data."""
_WAITING = 4096
"""So many messages wait for datagrams at once; the one that began to wait first is given up for another."""


class FrameHeader(NamedTuple):
    """The header of a datagram, which is number ``number`` of ``total``."""

    request: int
    number: int
    total: int


def _header(data: memoryview) -> FrameHeader | None:
    """The header that a datagram begins with, if it does."""
    if len(data) < _HEADER.size:
        return None
    *numbers, reserved = _HEADER.unpack_from(data)
    header = FrameHeader(*numbers)
    return None if header.number >= header.total or reserved else header


class MessageKey(NamedTuple):
    """What the datagrams of a message have in common: their ends, the direction, and the number of the request."""

    endpoints: Endpoints
    upward: bool
    request: int


@dataclass(slots=True)
class FramedMessage:
    """The parts of a message of ``count`` datagrams that have arrived, by number."""

    count: int
    parts: dict[int, Chunk] = field(default_factory=dict)

    @property
    def held(self) -> int:
        """How many bytes of memory it takes."""
        return sum(_PART + len(part.data) for part in self.parts.values())

    def records(self, decoder: Decoder, stats: PacketStats) -> Iterator[Sent]:
        """The records in it. Nobody knows how much is missing where a datagram is."""
        course, at, begin = Plain(decoder), 0, 0
        for number in sorted(self.parts):
            if number != at:
                stats.lost(0)
                yield from course.lose(None)
            part = self.parts[number]
            yield from course.take(Delivered([part.data], [begin], [part.packet]))
            at, begin = number + 1, begin + len(part.data)
        if at != self.count:
            stats.lost(0)
            yield from course.lose(None)
        yield from course.take(Delivered(), final=True)


KeyedMessage = tuple[MessageKey, FramedMessage]
"""A message that is whole, or given up."""


class Datagrams:
    """Messages that are not whole yet."""

    def __init__(self) -> None:
        self.waiting: OrderedDict[MessageKey, FramedMessage] = OrderedDict()
        self.held = 0
        """How many bytes of memory they take."""

    def turn(self, endpoints: Endpoints, data: memoryview, *, upward: bool) -> Iterator[KeyedMessage]:
        """The message that is given up for a datagram of the other direction with the same number: a request and its
        answer take turns, so that what else comes under the number belongs to another one.
        """
        header = _header(data)
        if header is not None:
            key = MessageKey(endpoints, not upward, header.request)
            if key in self.waiting:
                yield self._out(key)

    def take(
        self, endpoints: Endpoints, data: memoryview, packet: list[int], *, upward: bool
    ) -> Iterator[KeyedMessage] | None:
        """The messages that are whole with a datagram, or are given up for it. None if it has no such header."""
        header = _header(data)
        if header is None:
            return None
        part = Chunk(memoryview(bytes(data[_HEADER.size :])), packet)
        return self._take(MessageKey(endpoints, upward, header.request), header.number, header.total, part)

    def _take(self, key: MessageKey, number: int, count: int, part: Chunk) -> Iterator[KeyedMessage]:
        before = self.waiting.get(key)
        if before is not None and (before.count != count or before.parts.get(number, part).data != part.data):
            yield self._out(key)  # the number of the request is used again
        message = self.waiting.setdefault(key, FramedMessage(count))
        if number not in message.parts:
            message.parts[number] = part
            self.held += _PART + len(part.data)
        if len(message.parts) == count:
            yield self._out(key)
        if len(self.waiting) > _WAITING:
            yield self._out(next(iter(self.waiting)))

    def give_up(self, most: int) -> Iterator[KeyedMessage]:
        """Those that began to wait first, until the others take ``most`` bytes at most."""
        while self.held > most:
            yield self._out(next(iter(self.waiting)))

    def _out(self, key: MessageKey) -> KeyedMessage:
        message = self.waiting.pop(key)
        self.held -= message.held
        return key, message
