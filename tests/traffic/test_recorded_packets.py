"""What written packets say: to Scapy, to our own protocols, and to Wireshark, which finds nothing wrong."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from protocols import strangers
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet
from scapy.utils import rdpcap
from support.paths import ROOT
from support.traffic import NUMBERS
from support.tshark import opened
from wireshark.dissectors import emitted

from traffic.recorded_frames import FRAMES, PLAIN
from traffic.written_packets import (
    ENDS,
    KINDS,
    RECORDS,
    SENT,
    dns,
    events,
    of_dns,
    protocol_and_records,
    recorded,
    sent,
    table_of,
)
from wireloom.options import CaptureKind
from wireloom.recording.recorder import Recorder, Sending
from wireloom_protocols import couchbase_dcp, databus, packets, pcap, pcapng


def test_who_only_listens_acknowledges_before_the_window_is_full(tmp_path: Path) -> None:
    table = sent(table_of(databus, events(150)), Random(1), ENDS[:1])
    table = table.set_column(table.schema.get_field_index(SENT[2]), SENT[2], pa.array([True] * len(table)))
    acknowledged, most = 0, 0
    for packet in rdpcap(str(recorded(tmp_path / "one.pcap", databus, table))):
        if packet[TCP].payload:
            acknowledged = acknowledged or packet[TCP].seq
            most = max(most, packet[TCP].seq + len(packet[TCP].payload) - acknowledged)
        elif most:
            acknowledged = max(acknowledged, packet[TCP].ack)
    assert 1_000 < most <= 2**16 - 1


def segments(path: Path) -> list[Packet]:
    """The packets of a file, as Scapy reads them."""
    return list(rdpcap(str(path)))


@pytest.mark.parametrize("kind", KINDS)
def test_scapy_reads_ends_payloads_and_times(kind: str, tmp_path: Path) -> None:
    table = sent(PLAIN, Random(1), ENDS[:2])
    found = segments(recorded(tmp_path / f"trace.{kind}", couchbase_dcp, table))
    sound: dict[tuple[str, int], bytes] = {}
    for packet in found:
        tcp = packet[TCP]
        sender = f"{packet[IP].src}:{tcp.sport}>{packet[IP].dst}:{tcp.dport}"
        sound[sender] = sound.get(sender, b"") + bytes(tcp.payload)
    for name in ENDS[:2]:
        low, high = name.split("-")
        for way, from_client in ((f"{low}>{high}", False), (f"{high}>{low}", True)):
            rows = zip(table["_connection"].to_pylist(), table["_from_client"].to_pylist(), FRAMES, strict=True)
            assert sound[way] == b"".join(frame for *row, frame in rows if row == [name, from_client])
    times = [int(packet.time * 10**9) for packet in found if packet[TCP].payload]
    assert times == table["_time"].cast(pa.int64()).to_pylist()


COMPUTED = ((IP, "len"), (IP, "chksum"), (IPv6, "plen"), (TCP, "chksum"), (UDP, "len"), (UDP, "chksum"))


def test_checksums_are_those_that_scapy_computes(tmp_path: Path) -> None:
    long = databus.decode_columnar(b"".join(events(60)))
    files = [
        recorded(tmp_path / "tcp.pcap", databus, sent(long, Random(2))),
        recorded(tmp_path / "udp.pcap", dns(), sent(table_of(dns(), of_dns()), Random(3))),
    ]
    for packet in (each for file in files for each in segments(file)):
        again = packet.copy()
        for layer, name in COMPUTED:
            if again.haslayer(layer):
                again[layer].delfieldval(name)
        assert bytes(again) == bytes(packet)


def test_a_checksum_of_zero_says_so(tmp_path: Path) -> None:
    recorder = Recorder(dns().PROTOCOL, CaptureKind.PCAP)
    data = [recorder.record(number.to_bytes(2, "big"), Sending()) for number in range(1 << 16)]
    sums = {packet[16 + 26 : 16 + 28] for packet in data}
    assert (b"\0\0" in sums, b"\xff\xff" in sums) == (False, True)
    (tmp_path / "sums.pcap").write_bytes(recorder.begin + next(p for p in data if p[42:44] == b"\xff\xff"))
    (packet,) = segments(tmp_path / "sums.pcap")
    del packet[UDP].chksum
    assert bytes(packet)[26:28] == b"\xff\xff"


@pytest.mark.parametrize(("kind", "file"), [("pcap", pcap), ("pcapng", pcapng)])
def test_our_own_protocols_write_the_same_packets(kind: str, file: Any, tmp_path: Path) -> None:
    tables = ((couchbase_dcp, sent(PLAIN, Random(4))), (dns(), sent(table_of(dns(), of_dns()), Random(5))))
    for module, table in tables:
        path = recorded(tmp_path / f"trace.{kind}", module, table)
        rows = file.decode_columnar(path, mode="FAILFAST", capture="raw")
        assert file.encode_columnar(rows).to_pybytes() == path.read_bytes()
        for frame in frames(rows):
            row = packets.parse(frame, link_type=101)
            assert row["message"] in ("tcp", "udp")
            assert packets.build(row, link_type=101) == frame


def frames(rows: pa.Table) -> Iterator[bytes]:
    """The packets in the rows of a file of packets."""
    for row in rows.to_pylist():
        if held := row.get("packet") or row.get("enhanced_packet"):
            yield held["data"]


def test_connections_are_begun_acknowledged_and_ended(tmp_path: Path) -> None:
    long = databus.decode_columnar(b"".join(events(300)))
    table = sent(long, Random(6), ENDS[:1])
    found = segments(recorded(tmp_path / "trace.pcap", databus, table))
    flags = [str(packet[TCP].flags) for packet in found]
    assert flags[:3] == ["S", "SA", "A"]
    assert flags[-3:] == ["FA", "FA", "A"]
    said: dict[int, int] = {}
    heard: dict[int, int] = {}
    for packet in found:
        tcp = packet[TCP]
        assert tcp.seq == said.get(tcp.sport, tcp.seq)
        assert tcp.ack == said.get(tcp.dport, 0)
        assert len(packet) <= 1500
        said[tcp.sport] = (tcp.seq + len(tcp.payload) + ("S" in tcp.flags) + ("F" in tcp.flags)) % NUMBERS
        heard[tcp.dport] = tcp.ack
        assert (said[tcp.sport] - heard.get(tcp.sport, tcp.seq)) % NUMBERS <= tcp.window


# Wireshark

VERIFIED = [f"-o{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
WARNING = 0x600000


@pytest.mark.wireshark
@pytest.mark.parametrize("name", RECORDS)
def test_wireshark_shows_each_row_and_nothing_wrong(name: str, tmp_path: Path) -> None:
    module, records = protocol_and_records(name)
    shown, ports = name if name != "dns" else "example_dns", (1, 11210)
    script = ROOT / "generated" / "wireshark" / f"{name}.lua"
    if name == "dns":
        script = emitted(strangers.protocol("dns"), tmp_path, shown)
    transport = "udp" if name == "dns" else "tcp"
    told = [f"-d{transport}.port=={port},{shown}" for port in ports if name != "couchbase_dcp"]
    for kind, known in zip(KINDS, (False, True), strict=True):
        table = table_of(module, records)
        table = sent(table, Random(11), (ENDS[0], ENDS[2])) if known else table
        path = recorded(tmp_path / f"trace.{kind}", module, table)
        found = opened(path, tmp_path, "-X", f"lua_script:{script}", *told, *VERIFIED)
        trees = [tree for packet in found for tree in packet.iter("proto") if tree.get("name") == shown]
        assert len(trees) == table.num_rows
        fields = [field for packet in found for field in packet.iter("field")]
        severities = [field for field in fields if field.get("name") == "_ws.expert.severity"]
        assert severities or name == "dns"
        assert [each.get("showname") for each in severities if int(each.get("show", "0")) >= WARNING] == []
        assert {each.get("show") for each in fields if each.get("name", "").endswith(".checksum.status")} == {"1"}
