"""Makes a small file of recorded packets, and knows what must come out of it: a consumer and a node that talk DCP.

    python examples/recorded_session.py FILE

The consumer asks several things at once, and the answers come in another order. One packet is recorded too early, one
twice, and one is missing, in which an answer begins. The same bytes every time.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import dcp_frames as frames
from dcp_frames import Frame, Stream, Write

from wireloom_protocols import packets, pcap

BEGINNING = 1_735_732_800
"""When the first packet is recorded, in seconds since 1970."""
FIN, SYN, PSH, ACK = 1, 2, 8, 16
SEGMENT = 400
"""How many bytes a segment has at most."""
ANSWERED = {101: 310, 100: 450, 103: 800, 102: 1640}
"""How many microseconds failover logs take, by the opaque of their requests, in the order of the answers."""
LOST = 103
"""The answer to this one has two packets, of which the first is not recorded."""
STREAM, NOOP = 200, 1
"""Opaques of a stream, and of a question by the node."""


@dataclass(slots=True)
class End:
    """One end of the connection. ``sequence`` is the number of the next byte that it sends."""

    address: str
    port: int
    mac: str
    sequence: int


class Packet(NamedTuple):
    """A packet, and how many microseconds after the first one it is recorded."""

    at: int
    data: bytes

    def recorded(self) -> bytes:
        """The packet as the file has it."""
        seconds, fraction = divmod(self.at, 1_000_000)
        times = {"seconds": BEGINNING + seconds, "fraction": fraction}
        row = {"message": "packet", **times, "original_length": len(self.data), "packet": {"data": self.data}}
        return pcap.build(row, **OPENED)


OPENED = {"magic_number": 0xA1B2C3D4, "snap_len": 262_144, "is_nano": False}
"""What the header of the file says of its packets."""


@dataclass(slots=True)
class Connection:
    """Two ends, and the packets between them in the order in which they are sent."""

    client: End = field(default_factory=lambda: End("10.0.0.7", 50_000, "02:00:00:00:00:07", 1_000))
    server: End = field(default_factory=lambda: End("10.0.0.1", 11_210, "02:00:00:00:00:01", 4_294_967_000))
    packets: list[Packet] = field(default_factory=list)

    def send(self, at: int, source: End, payload: bytes = b"", flags: int = PSH | ACK) -> None:
        """Segments with these bytes, one every ten microseconds."""
        for number, begin in enumerate(range(0, max(1, len(payload)), SEGMENT)):
            part = payload[begin : begin + SEGMENT]
            self.packets.append(Packet(at + 10 * number, self._packet(source, part, flags)))
            source.sequence = (source.sequence + len(part) + bool(flags & (SYN | FIN))) % (1 << 32)

    def _packet(self, source: End, payload: bytes, flags: int) -> bytes:
        target = self.server if source is self.client else self.client
        tcp = {
            "source_port": source.port,
            "destination_port": target.port,
            "sequence": source.sequence,
            "acknowledgment": target.sequence if flags & ACK else 0,
            "flags": flags,
            "window": 512,
            "checksum": 0,
            "options": b"",
            "payload": payload,
        }
        ipv4 = {
            "total_length": 40 + len(payload),
            "time_to_live": 64,
            "protocol": packets.IpProtocol.TCP,
            "checksum": 0,
            "source": source.address,
            "destination": target.address,
            "options": b"",
        }
        ethernet = {"destination": target.mac, "source": source.mac, "type": packets.EtherType.IPv4}
        return packets.build({"message": "tcp", "ethernet": ethernet, "ipv4": ipv4, "tcp": tcp})


class Recording(NamedTuple):
    """A file, and how many microseconds each request waited for its answer, by its opaque."""

    data: bytes
    latencies: dict[int, int]


def make() -> Recording:
    """The file."""
    connection = Connection()
    _talk(connection)
    header = {
        "magic_number": OPENED["magic_number"],
        "snap_len": OPENED["snap_len"],
        "link_type": pcap.LinkType.ETHERNET,
    }
    opening = pcap.build({"message": "capture", "capture": header})
    latencies = {opaque: time for opaque, time in ANSWERED.items() if opaque != LOST}
    recorded = b"".join(packet.recorded() for packet in _as_recorded(connection.packets))
    return Recording(opening + recorded, latencies | {STREAM: 1200, NOOP: 90})


def _talk(connection: Connection) -> None:
    """The consumer requests the histories of four vbuckets, and streams one; the node checks that it is alive."""
    client, server, send = connection.client, connection.server, connection.send
    send(0, client, flags=SYN)
    send(150, server, flags=SYN | ACK)
    send(200, client, flags=ACK)
    asked = [frames.request("failover_log_request", 0x54, Stream(opaque - 100, opaque)) for opaque in sorted(ANSWERED)]
    send(1000, client, _joined(asked))
    for opaque, time in ANSWERED.items():
        branches = 25 if opaque == LOST else 2
        log = frames.failover_log((0xA1B2C3 + age, 1000 - 10 * age) for age in range(branches))
        send(1000 + time, server, frames.response("failover_log_response", 0x54, opaque, log).data)
    stream = Stream(0, STREAM)
    send(3000, client, frames.stream_req(stream, 0, 0, (0, 0)).data)
    send(4200, server, _joined(_streamed(stream)))
    send(6000, server, frames.request("dcp_noop", 0x5C, Stream(0, NOOP)).data)
    send(6090, client, frames.response("response", 0x5C, NOOP).data)
    send(9000, client, flags=FIN | ACK)


def _streamed(stream: Stream) -> Iterator[Frame]:
    """A stream begins, with a snapshot of some documents."""
    log = frames.failover_log([(0xA1B2C3, 0)])
    yield frames.response("stream_req_response", 0x53, stream.opaque, log)
    yield frames.marker_v1(stream, 1, 12, frames.MEMORY)
    for seqno in range(1, 13):
        value = f'{{"order": {seqno}, "paid": true}}'.encode()
        write = Write(seqno, 1, 10**18 + seqno, b"\x00order:%d" % seqno, value, frames.JSON)
        yield frames.mutation(stream, write)


def _joined(found: Iterable[Frame]) -> bytes:
    return b"".join(frame.data for frame in found)


def _as_recorded(sent: list[Packet]) -> Iterator[Packet]:
    """The packets as they are recorded: one is missing, two have changed places, and one came twice."""
    lost = next(number for number, packet in enumerate(sent) if packet.at == 1000 + ANSWERED[LOST])
    first = next(number for number, packet in enumerate(sent) if packet.at == 4200)
    times = [packet.at for packet in sent]
    order = [*range(first + 1), first + 2, first + 1, *range(first + 3, len(sent))]
    for place, number in enumerate(order):
        if number != lost:
            yield Packet(times[place], sent[number].data)
        if number == first + 3:
            yield Packet(times[place] + 80, sent[number].data)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(make().data)
