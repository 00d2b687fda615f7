"""Conversations over TCP as packets, damage that recording does to them, and what Wireshark's programs make of them."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from scapy.layers.inet import IP, TCP
from scapy.packet import Packet
from scapy.utils import rdpcap

from support.traffic import NUMBERS, PORT, Flow
from support.tshark import program
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import Recording, detect, into
from wireloom.options import CaptureKind, ReadOptions, resolve

Gap = int
"""So many bytes were not captured."""
Part = bytes | Gap
Direction = tuple[str, bool]
"""A connection, and whether its client sends."""
Delivery = dict[Direction, list[Part]]


@dataclass(frozen=True, slots=True)
class Said:
    """What an end of a connection sends at once."""

    from_client: bool
    data: bytes


@dataclass(slots=True)
class Conversation:
    """A connection from its handshake to its end. ``sent`` is what was sent by the client and by the server."""

    client: Flow
    server: Flow
    packets: list[Packet] = field(default_factory=list)
    sent: dict[bool, bytes] = field(default_factory=lambda: {True: b"", False: b""})

    @property
    def name(self) -> str:
        """As rows have it."""
        return named((self.client.source, self.client.source_port), (self.server.source, self.server.source_port))

    def add(self, *, from_client: bool, data: bytes = b"", flags: str = "A", place: int | None = None) -> None:
        """One more packet; ``place`` is where its bytes stand if they are not the next ones."""
        flow = self.client if from_client else self.server
        place = len(self.sent[from_client]) if place is None else place
        packet = flow.segment(place, data, flags, len(self.packets))
        other = self.server if from_client else self.client
        packet[TCP].ack = 0 if flags == "S" else (other.first + 1 + len(self.sent[not from_client])) % NUMBERS
        self.packets.append(packet)
        if place == len(self.sent[from_client]):
            self.sent[from_client] += data


def named(*ends: tuple[str, int]) -> str:
    """The name of a connection between two ends, whichever comes first."""
    low, high = sorted(ends, key=lambda end: (int(ip_address(end[0])), end[1]))
    return f"{low[0]}:{low[1]}-{high[0]}:{high[1]}"


def conversation(says: Sequence[Said], client: Flow, first: int = 77) -> Conversation:
    """What is said, in segments that the other end acknowledges, each on its own."""
    back = client.back
    server = Flow(back.source, back.destination, back.source_port, back.destination_port, first, back.size, back.at)
    found = Conversation(client, server)
    found.add(from_client=True, flags="S", place=-1)
    found.add(from_client=False, flags="SA", place=-1)
    found.add(from_client=True)
    for said in says:
        for at in range(0, len(said.data), client.size):
            found.add(from_client=said.from_client, data=said.data[at : at + client.size], flags="PA")
            found.add(from_client=not said.from_client)
    found.add(from_client=True, flags="FA")
    found.add(from_client=False, flags="FA")
    return found


def delivered(path: Path, protocol: ModuleType, **options: Any) -> tuple[Delivery, PacketStats]:
    """What is read of a file in each direction: the bytes of all rows end to end, and gaps between them."""
    found: Delivery = {}
    places: dict[Direction, int] = {}
    stats = PacketStats()
    for cuts in all_cuts(path, protocol, stats, **options):
        sent = cuts.provenance
        assert sent is not None
        for row, (start, stop) in enumerate(zip(cuts.start.tolist(), cuts.stop.tolist(), strict=True)):
            way = sent.names[sent.connections[row]], bool(sent.from_client[row])
            place, gap = start + int(sent.origins[row]), int(sent.gaps[row])
            parts = found.setdefault(way, [])
            assert place == places.get(way, 0) + max(gap, 0)
            if gap > 0:
                parts.append(gap)
            if not parts or isinstance(parts[-1], int):
                parts.append(b"")
            parts[-1] += bytes(cuts.window.buffer[start:stop])
            places[way] = place + stop - start
    return found, stats


def all_cuts(path: Path, protocol: ModuleType, stats: PacketStats, **options: Any) -> Iterator[Cuts]:
    """The records of a file; the stats is told what became of its packets."""
    told, known = protocol.PROTOCOL, resolve(protocol.PROTOCOL.parameters, {})
    traffic = Traffic(Decoder(told, ReadOptions(connections=True, parameters=known, **options), pa.schema([])))
    traffic.stats = stats
    with path.open("rb") as file:
        kind, ahead = detect(CaptureKind.AUTO, told.name, file.read)
        yield from traffic.cuts([Recording(str(path), kind, into(ahead, file.readinto))])


_MISSING = re.compile(rb"\[([0-9]+) bytes missing in capture file\]\0")
"""What tshark says instead of bytes, on a line of its own."""


def followed(path: Path, streams: int, port: int = PORT) -> Delivery:
    """What tshark finds in the first ``streams`` connections of a file. Their servers are at the ``port``."""
    told = [option for number in range(streams) for option in ("-z", f"follow,tcp,raw,{number}")]
    done = subprocess.run([program(), "-n", "-q", "-r", str(path), *told], capture_output=True, check=True)
    found: Delivery = {}
    count: Counter[str] = Counter()
    streams_of = done.stdout.decode().split("Follow: tcp,raw\n")[1:]
    for stream in sorted(streams_of, key=lambda stream: int(re.search(r"stream eq ([0-9]+)", stream)[1])):
        ends = [(address, int(number)) for address, number in re.findall(r"Node [01]: (\S+):([0-9]+)\n", stream)]
        name = named(*ends)
        count[name] += 1
        name = f"{name}#{count[name]}" if count[name] > 1 else name
        for tab, digits in re.findall(r"^(\t?)((?:[0-9a-f]{2})+)$", stream, re.MULTILINE):
            parts, data = found.setdefault((name, (ends[0][1] != port) != bool(tab)), []), bytes.fromhex(digits)
            missing = _MISSING.fullmatch(data)
            if missing:
                parts.append(int(missing[1]))
            elif parts and isinstance(parts[-1], bytes):
                parts[-1] += data
            else:
                parts.append(data)
    return found


def tool(name: str, *told: object) -> None:
    """Have one of Wireshark's programs write a file."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not on PATH; install it with: sh scripts/setup.sh tshark")
    subprocess.run([name, *map(str, told)], capture_output=True, check=True)


def captured(path: Path) -> tuple[Delivery, int]:
    """What Scapy finds in a file, as its segments say where their bytes stand, and how many packets there are. Of bytes
    that come again the first ones count. Without a SYN the least number is the first.
    """
    streams: dict[Direction, list[tuple[int, bytes, bool]]] = {}
    opened: Counter[str] = Counter()
    packets = rdpcap(str(path))
    for packet in packets:
        if TCP not in packet:
            continue
        ends = [(packet[IP].src, packet[TCP].sport), (packet[IP].dst, packet[TCP].dport)]
        name, from_client = named(*ends), ends[1][1] == PORT
        syn = "S" in packet[TCP].flags
        opened[name] += syn and "A" not in packet[TCP].flags
        name = f"{name}#{opened[name]}" if opened[name] > 1 else name
        data = bytes(packet[TCP].payload)[: packet[IP].len - 4 * packet[IP].ihl - 4 * packet[TCP].dataofs]
        if data or syn:
            streams.setdefault((name, from_client), []).append((packet[TCP].seq + syn, data, syn))
    found = {way: _parts(segments) for way, segments in streams.items()}
    return {way: parts for way, parts in found.items() if parts}, len(packets)


def _parts(segments: Sequence[tuple[int, bytes, bool]]) -> list[Part]:
    near = segments[0][0]
    first = next((number for number, _, syn in segments if syn), None)
    first = first if first is not None else near + min(_away(number, near) for number, _, _ in segments)
    there: dict[int, int] = {}
    for number, data, _ in segments:
        at = _away(number, first)
        for place, byte in enumerate(data, at):
            there.setdefault(place, byte)
    parts: list[Part] = []
    at, run = 0, bytearray()
    for place in sorted(place for place in there if place >= 0):
        if place > at:
            parts += [bytes(run), place - at] if run else [place - at]
            run = bytearray()
        run.append(there[place])
        at = place + 1
    return [*parts, bytes(run)] if run else parts


def _away(number: int, other: int) -> int:
    """How far a sequence number is behind another, or in front of it."""
    return (number - other + NUMBERS // 2) % NUMBERS - NUMBERS // 2


def patient(talk: Conversation) -> list[Packet]:
    """The packets of a conversation, in which all is acknowledged at the end alone, so that nobody gives up before."""
    packets = [packet.copy() for packet in talk.packets]
    for packet, whole in zip(packets, talk.packets, strict=True):
        packet.time = whole.time
    for packet in packets[2:-2]:
        packet[TCP].ack = (talk.server if packet[TCP].dport == PORT else talk.client).first + 1
    return packets
