"""Records, and how they were sent → the bytes of a file of packets."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from wireloom.codec import EncodeError, Protocol
from wireloom.endpoints import Endpoint, Endpoints, is_client
from wireloom.options import CaptureKind
from wireloom.recording.connections import Connection
from wireloom.recording.formats import ENCLOSING, HEADS
from wireloom.recording.headers import Route
from wireloom.units import NANOSECONDS

_BEGIN, _LATER = 946_684_800 * NANOSECONDS["s"], 1000
"""The first packet is recorded then, in nanoseconds since 1970, if nobody says when: as the year 2000 begins; and the
next one so much later.
"""
_LOCAL, _CLIENT, _SERVER = "127.0.0.1", 50000, 1
"""The address and the ports of records of which nobody knows who sent them."""
_LARGEST_GAP = (1 << 31) - 1


class Sending(NamedTuple):
    """How a record was sent, as far as that is known; see ``PROVENANCE``. ``time`` is in nanoseconds since 1970."""

    time: int | None = None
    connection: str | None = None
    from_client: bool | None = None
    gap: int | None = None


@dataclass(slots=True)
class _Talk:
    """The connection between two ends that was open last, by its ``name``, and the ``count`` of those before."""

    name: str
    connection: Connection
    count: int = 0


class Recorder:
    """Writes records of a protocol into a file of this ``kind``: as datagrams of UDP if its records end with what they
    are in, else over TCP.

    Records of no known connection are sent by a client on this machine to the protocol's first port. The end whose port
    the protocol has is the server, else that of the lower port. A record without a time is recorded a microsecond after
    the one before it. Every record begins a packet of its own.
    """

    def __init__(self, protocol: Protocol, kind: CaptureKind) -> None:
        self.ports = frozenset(protocol.ports)
        server = next(iter(protocol.ports), _SERVER)
        client = next(port for port in count(_CLIENT) if port != server and port not in self.ports)
        self.is_udp = protocol.framing.to_the_end
        self.transport = "udp" if self.is_udp else "tcp"
        self.begin = HEADS[kind]
        """What the file begins with."""
        self._unknown = f"{_LOCAL}:{client}-{_LOCAL}:{server}"
        self._enclosed = ENCLOSING[kind]
        self._now = _BEGIN - _LATER
        self._ends: dict[str, Endpoints] = {}
        self._routes: dict[tuple[str, bool], Route] = {}
        self._talks: dict[Endpoints, _Talk] = {}

    def record(self, data: bytes, sent: Sending) -> bytes:
        """The packets of a record. Raises ``EncodeError``."""
        name = self._unknown if sent.connection is None else sent.connection
        self._now = self._now + _LATER if sent.time is None else sent.time
        from_client = sent.from_client is not False
        if self.is_udp:
            return self._enclosed(self._now, self._route(name, from_client).datagram(data))
        if not 0 <= (gap := sent.gap or 0) <= _LARGEST_GAP:
            raise EncodeError(f"from 0 to {_LARGEST_GAP} bytes, not {gap}", "_gap_before")
        opened, talk = self._talk(name)
        return self._file([*opened, *talk.connection.say(data, from_client=from_client, gap=gap)])

    def end(self) -> Iterator[bytes]:
        """The bytes that are left when there are no more records."""
        for talk in self._talks.values():
            yield self._file(talk.connection.end())

    def _file(self, packets: Iterable[bytes]) -> bytes:
        return b"".join(self._enclosed(self._now, packet) for packet in packets)

    def _talk(self, name: str) -> tuple[Iterable[bytes], _Talk]:
        """The conversation on a connection, and the packets that open it, if it is not yet open."""
        endpoints = self._endpoints(name)
        talk = self._talks.get(endpoints)
        if talk is not None and talk.name == name:
            return (), talk
        client, server = self._roles(endpoints)
        number = 0 if talk is None else talk.count + 1
        opened = _Talk(name, Connection(client, server, number), number)
        self._talks[endpoints] = opened
        ended = () if talk is None else talk.connection.end()
        return [*ended, *opened.connection.begin()], opened

    def _route(self, name: str, from_client: bool) -> Route:
        found = self._routes.get((name, from_client))
        if found is None:
            client, server = self._roles(self._endpoints(name))
            ends = (client, server) if from_client else (server, client)
            found = self._routes[name, from_client] = Route(*ends)
        return found

    def _roles(self, endpoints: Endpoints) -> tuple[Endpoint, Endpoint]:
        """The client and the server."""
        low, high = endpoints.ends
        return (low, high) if is_client(endpoints, self.ports) else (high, low)

    def _endpoints(self, name: str) -> Endpoints:
        found = self._ends.get(name)
        if found is None:
            try:
                found = self._ends[name] = Endpoints.named(self.transport, name)
            except ValueError:
                what = f"expected two ends, such as 10.0.0.1:11210-10.0.0.7:50000, not {name!r}"
                raise EncodeError(what, "_connection") from None
        return found
