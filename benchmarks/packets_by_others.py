"""Files of recorded packets as dpkt, Scapy and tshark read them."""

import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PATIENCE = 60
"""Seconds that tshark may take for a file."""
_FIELDS = ("ip.src", "ip.dst", "tcp.srcport", "tcp.dstport", "tcp.seq_raw")
_RECORD_FIELDS = ("couchbase.opcode", "couchbase.key")
_NO_MORE = ("--disable-protocol", "couchbase", "-o", "tcp.analyze_sequence_numbers:FALSE")
"""Leaves out what nobody asks for. To turn off all other dissectors, too, takes longer than they do."""


def by_dpkt(path: Path) -> list[Any]:
    """All packets, as objects that have parsed themselves down to TCP."""
    import dpkt

    with path.open("rb") as file:
        return [dpkt.ethernet.Ethernet(data) for _, data in dpkt.pcap.Reader(file)]


def by_scapy(path: Path) -> list[Any]:
    """All packets, as Scapy reads files."""
    from scapy.layers import inet, l2  # noqa: F401 - which know what packets are
    from scapy.utils import PcapReader

    with PcapReader(str(path)) as packets:
        return list(packets)


def by_tshark(path: Path) -> list[bytes]:
    """A line of addresses, ports and the sequence number for each packet."""
    return _tshark(path, _FIELDS, *_NO_MORE)


def records_by_tshark(path: Path) -> list[bytes]:
    """A line of the opcodes and keys for each packet in which records end."""
    return _tshark(path, _RECORD_FIELDS, "-Y", "couchbase")


def _tshark(path: Path, fields: Iterable[str], *options: str) -> list[bytes]:
    shown = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", *shown, *options]
    return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout.splitlines()


def sums_of_dpkt(path: Path) -> dict[str, int]:
    """What ports, sequence numbers and payloads add up to."""
    segments = [packet.data.data for packet in by_dpkt(path)]
    return _sums((each.sport, each.dport, each.seq, len(each.data)) for each in segments)


def sums_of_scapy(path: Path) -> dict[str, int]:
    """The same, by Scapy."""
    segments = [packet["TCP"] for packet in by_scapy(path)]
    return _sums((each.sport, each.dport, each.seq, len(each.payload)) for each in segments)


def sums_of_tshark(path: Path) -> dict[str, int]:
    """The same without the payloads, by tshark."""
    return _sums(tuple(map(int, line.split(b"\t")[2:])) for line in by_tshark(path))


def records_of_tshark(path: Path) -> dict[str, int]:
    """How many records tshark tells apart."""
    return {"*": sum(len(line.split(b"\t")[0].split(b",")) for line in records_by_tshark(path))}


def _sums(rows: Iterable[tuple[int, ...]]) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals["*"] += 1
        totals.update(dict(zip(("source_port", "destination_port", "sequence", "payload"), row, strict=False)))
    return dict(totals)


READERS: dict[str, Callable[[Path], Any]] = {
    "dpkt": by_dpkt,
    "scapy": by_scapy,
    "tshark": by_tshark,
    "tshark_couchbase": records_by_tshark,
}
SUMS: dict[str, Callable[[Path], dict[str, int]]] = {
    "dpkt": sums_of_dpkt,
    "scapy": sums_of_scapy,
    "tshark": sums_of_tshark,
    "tshark_couchbase": records_of_tshark,
}
