"""Recorded traffic: rows of packets, and the records in them, beside what others make of the same file.

A file is a connection for each block of records, written as segments of TCP over IPv4 and Ethernet. Blocks are equal
but for the address of the client, so that a part of a file is a file, too.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv4Address

import apart
import captures
from apart import Rate, Task
from captures import Block, Capture
from in_process import Effort
from report import Measured, Report, named, of_rates
from rivals import ACCELERATOR, RIVALS

PORT = 11210
SEGMENT = 1460
"""Bytes that a segment has at most."""
DOCUMENTS = 400
"""In each connection."""
SHARE = 8
"""There is a packet for so many records of other captures, as packets are large."""
LONG = 1.0
"""Seconds that a round of tshark takes at least, which is slow to start."""
_FILE = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
_ETHERNET = bytes.fromhex("020000000002 020000000001 0800")
_RECORD, _IP, _TCP = struct.Struct("<IIII"), struct.Struct(">BBHHHBBH4s4s"), struct.Struct(">HHIIBBHHH")
_CLIENTS, _SERVER = int(IPv4Address("10.0.0.0")), IPv4Address("192.0.2.1").packed
_CLIENT_PORT = 40_000
_SYN, _ACK, _FIN_ACK = 0x02, 0x10, 0x11


def _connection(segments: Iterable[bytes], client: bytes) -> Iterator[bytes]:
    """The packets of a connection in which the server sends all, with their headers in the file."""
    sequence = 1
    yield _packet(b"", client, sequence - 1, _SYN, 0)
    for number, data in enumerate(segments):
        yield _packet(data, client, sequence, _ACK, number)
        sequence += len(data)
    yield _packet(b"", client, sequence, _FIN_ACK, 0)


def _packet(data: bytes, client: bytes, sequence: int, flags: int, number: int) -> bytes:
    tcp = _TCP.pack(PORT, _CLIENT_PORT, sequence, 0, 0x50, flags, 65535, 0, 0) + data
    ip = _IP.pack(0x45, 0, 20 + len(tcp), number & 0xFFFF, 0x4000, 64, 6, 0, _SERVER, client) + tcp
    size = len(_ETHERNET) + len(ip)
    return _RECORD.pack(1_700_000_000 + number // 10**6, number % 10**6, size, size) + _ETHERNET + ip


def _segments(block: Block) -> list[bytes]:
    data = b"".join(block.frames)
    return [data[at : at + SEGMENT] for at in range(0, len(data), SEGMENT)]


def _recorded(block: Block, name: str, blocks: int) -> Capture:
    """A file with so many connections, whose records are those of the block."""
    segments, path = _segments(block), captures.BUILD / name
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("wb") as file:
        file.write(_FILE)
        for number in range(blocks):
            data = b"".join(_connection(segments, (_CLIENTS + number).to_bytes(4)))
            size = file.write(data)
    return Capture(str(path), block.protocol, size, len(block.frames), blocks, block.totals, head=len(_FILE))


def _as_packets(capture: Capture, block: Block) -> Capture:
    """The same file, each packet of which is a record."""
    sizes = [0, *map(len, _segments(block)), 0]
    first, data = [0, *(1 + sum(sizes[:number]) for number in range(1, len(sizes)))], sum(sizes)
    known = {"*": len(sizes), "source_port": PORT * len(sizes), "destination_port": _CLIENT_PORT * len(sizes)}
    known |= {"sequence": sum(first), "payload": data}
    return replace(capture, protocol="packets", block_records=len(sizes), totals=known)


def traffic(effort: Effort) -> Iterator[Report]:
    """Packets to rows, and records out of packets."""
    block = captures.session(DOCUMENTS)
    blocks = max(1, effort.records // SHARE // len(_segments(block)))
    file = _recorded(block, "session.pcap", blocks)
    yield _packets(_as_packets(file, block), effort)
    yield _records(file, block.capture("recorded.bin", records=file.records), effort)


def _task(file: Capture, rival: str, effort: Effort) -> Task:
    least = LONG * (effort.least >= 0.1) if rival.startswith("tshark") else effort.least
    return Task(file, rival, effort.rounds, least)


_PACKETS = ("columnar", "columnar_accelerated", "five", "five_accelerated", "dpkt", "scapy", "tshark")


def _packets(file: Capture, effort: Effort) -> Report:
    able = [name for name in _PACKETS if RIVALS[name].may_run()]
    found = apart.measured(*(_task(file, name, effort) for name in able))
    reached = (
        Measured(f"packets_{rival}", way, named(found, RIVALS[ours].title).over(named(found, RIVALS[rival].title)))
        for ours, way in (("columnar", False), ("columnar_accelerated", True))
        for rival in ("dpkt", "scapy", "tshark")
        if ours in able and rival in able
    )
    caption = (
        "Each from a file, as much of it as is soon done. dpkt and Scapy make objects of whole packets, tshark gives "
        "lines of the five columns; it takes a while to start. Tables have the payloads, and are kept whole."
    )
    title = f"Packets to rows: segments of {SEGMENT:,} bytes over IPv4 and Ethernet"
    return of_rates(title, found, RIVALS["dpkt"].title, caption, "packets", tuple(reached))


_ENDS = {"columnar": "end to end", "columnar_accelerated": "end to end, accelerated"}
_IN_PACKETS = {
    "columnar": "in packets",
    "columnar_accelerated": "in packets, accelerated",
    "tshark_couchbase": "in packets, tshark",
}


def _records(file: Capture, plain: Capture, effort: Effort) -> Report:
    tasks = {
        name: _task(capture, rival, effort)
        for capture, names in ((plain, _ENDS), (file, _IN_PACKETS))
        for rival, name in names.items()
        if RIVALS[rival].may_run()
    }
    found = _renamed(apart.measured(*tasks.values()), list(tasks))
    reached = (
        Measured(target, _is_accelerated(ours), named(found, name).over(named(found, other)))
        for ours, name in _IN_PACKETS.items()
        for target, other in (("records_tshark", _IN_PACKETS["tshark_couchbase"]), ("records_raw", _ENDS.get(ours, "")))
        if ours in _ENDS and name in tasks and other in tasks
    )
    caption = (
        f"DCP with documents, a connection for each {file.block_records:,} records. tshark gives opcodes and keys of "
        "the records that it tells apart."
    )
    title = "Records in recorded packets, beside the same bytes end to end"
    return of_rates(title, found, _ENDS["columnar"], caption, "records", tuple(reached))


def _is_accelerated(rival: str) -> bool:
    return RIVALS[rival].needs == ACCELERATOR


def _renamed(rates: Sequence[Rate], names: Sequence[str]) -> list[Rate]:
    return [replace(rate, name=name) for rate, name in zip(rates, names, strict=True)]
