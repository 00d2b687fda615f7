"""Traffic that is recorded in tests: Scapy writes the packets, and damage is done to them by seeds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import wrpcap, wrpcapng

CLIENT, SERVER, PORT = "10.0.0.7", "10.0.0.1", 11210
NUMBERS = 1 << 32
"""Sequence numbers begin anew behind so many."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What one end of a connection sends: from an address and a port to others, with a first sequence number."""

    source: str = SERVER
    destination: str = CLIENT
    source_port: int = PORT
    destination_port: int = 50000
    first: int = 1000
    size: int = 1460
    """How many bytes a segment has at most."""
    at: float = 1_700_000_000.0
    """When the first packet is recorded, in seconds."""

    @property
    def back(self) -> "Flow":
        """What the other end sends."""
        ends = self.destination, self.source, self.destination_port, self.source_port
        return replace(self, source=ends[0], destination=ends[1], source_port=ends[2], destination_port=ends[3])

    def segment(self, place: int, data: bytes, flags: str = "PA", number: int = 0) -> Packet:
        """A packet with bytes that stand at this place of the stream; its SYN is in front of place 0."""
        packet, ip = Ether(), IP(src=self.source, dst=self.destination)
        sequence = (self.first + 1 + place) % NUMBERS
        tcp = TCP(sport=self.source_port, dport=self.destination_port, seq=sequence, ack=1, flags=flags)
        if data:
            tcp.add_payload(Raw(data))
        ip.add_payload(tcp)  # where "/" would copy them all
        packet.add_payload(ip)
        packet.time = self.at + number / 1000
        return packet

    def syn(self, *, answers: bool = False) -> Packet:
        """The packet that begins the stream."""
        return self.segment(-1, b"", "SA" if answers else "S")

    def sent(self, data: bytes, *, syn: bool = True) -> list[Packet]:
        """A stream in order."""
        pieces = range(0, len(data), self.size)
        segments = [self.segment(at, data[at : at + self.size], number=1 + at // self.size) for at in pieces]
        return [self.syn(), *segments] if syn else segments


def datagram(data: bytes, flow: Flow) -> Packet:
    """A packet of UDP."""
    udp = UDP(sport=flow.source_port, dport=flow.destination_port)
    packet = Ether() / IP(src=flow.source, dst=flow.destination) / udp / Raw(data)
    packet.time = flow.at
    return packet


def written(path: Path, packets: Iterable[Packet]) -> Path:
    """A file with packets, in the format that its name says."""
    (wrpcapng if path.suffix == ".pcapng" else wrpcap)(str(path), list(packets))
    return path


def disordered(packets: Sequence[Packet], random: Random, reach: int = 4) -> list[Packet]:
    """The packets, some later than they were sent, and some twice."""
    found = list(packets)
    for _ in range(len(found) // 10 + 1):
        at = random.randrange(len(found))
        found.insert(at + random.randint(0, reach), found.pop(at))
        found.insert(random.randrange(len(found) + 1), random.choice(packets))
    return found
