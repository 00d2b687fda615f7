"""Connections over TCP, from their beginning to their end, packet by packet."""

from collections.abc import Iterator
from dataclasses import dataclass

from wireloom.endpoints import Endpoint
from wireloom.recording.headers import ACK, FIN, PSH, SYN, WINDOW, Route

_APART = 1 << 26
"""Between the first sequence numbers of connections that use the same ports, one after the other."""


@dataclass(slots=True)
class Speaker:
    """An end of a connection. Its next byte is number ``at``, and the other end has acknowledged those before
    ``heard``.
    """

    route: Route
    at: int
    heard: int


class Connection:
    """A connection between two ends, which is the ``number``-th of them, counted from 0."""

    def __init__(self, client: Endpoint, server: Endpoint, number: int) -> None:
        first = number * _APART
        self.client = Speaker(Route(client, server), first, first)
        self.server = Speaker(Route(server, client), first, first)

    def begin(self) -> Iterator[bytes]:
        """The packets with which it begins."""
        yield self.client.route.segment(self.client.at, 0, SYN)
        self.client.at += 1
        yield self._packet(self.server, self.client, SYN | ACK)
        self.server.at += 1
        yield self._packet(self.client, self.server, ACK)

    def say(self, data: bytes, *, from_client: bool, gap: int) -> Iterator[bytes]:
        """The packets with what one end says, who said so many bytes before it that nobody recorded."""
        mine, other = (self.client, self.server) if from_client else (self.server, self.client)
        mine.at += gap
        size = mine.route.segment_size
        for start in range(0, len(data), size):
            piece = data[start : start + size] if len(data) > size else data
            if mine.at + len(piece) - mine.heard > WINDOW // 2:
                yield self._packet(other, mine, ACK)
            yield self._packet(mine, other, ACK if start + size < len(data) else PSH | ACK, piece)
            mine.at += len(piece)

    def end(self) -> Iterator[bytes]:
        """The packets with which both ends say that they are done."""
        for mine, other in ((self.client, self.server), (self.server, self.client)):
            yield self._packet(mine, other, FIN | ACK)
            mine.at += 1
        yield self._packet(self.client, self.server, ACK)

    @staticmethod
    def _packet(mine: Speaker, other: Speaker, flags: int, data: bytes = b"") -> bytes:
        """A packet of one end, which acknowledges all that the other one said."""
        other.heard = other.at
        return mine.route.segment(mine.at, other.at, flags, data)
