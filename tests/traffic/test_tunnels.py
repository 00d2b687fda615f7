"""Tunnels: what they carry is read if it is asked for, however many are inside each other."""

import logging
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from protocols.strangers.links import ETHERNET
from scapy.contrib.geneve import GENEVE
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer
from scapy.layers.inet import ICMP, IP, UDP, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, GRE, GRE_PPTP, Dot1Q, Ether
from scapy.layers.ppp import PPP
from scapy.layers.vxlan import VXLAN
from scapy.packet import Packet, Raw
from support.dcp_sessions import mutation
from support.lockstep import Pair, damaged, records_alike
from support.traffic import Flow, written
from support.tshark import program

from wireloom.columnar.traffic.payloads import TUNNELS_INSIDE
from wireloom_protocols import couchbase_dcp
from wireloom_protocols.packets import columnar

PAIR = Pair.of(columnar)
OUTER, SIX = IP(src="192.0.2.1", dst="192.0.2.2"), IPv6(src="2001:db8::1", dst="2001:db8::2")
MOBILE = OUTER / UDP(sport=2152, dport=2152)
PAIRS = OUTER / GRE_PPTP(seqnum_present=1, sequence_number=4, acknum_present=1) / PPP(proto=0x21)

TUNNELS: dict[str, Callable[[Packet], Packet]] = {
    "IP in IP": lambda inner: OUTER / inner,
    "IP in IPv6": lambda inner: SIX / inner,
    "GRE": lambda inner: OUTER / GRE() / inner,
    "GRE with all fields": lambda inner: OUTER / GRE(chksum_present=1, key_present=1, seqnum_present=1) / inner,
    "GRE of Ethernet": lambda inner: SIX / GRE(proto=0x6558) / ETHERNET / inner,
    "GRE of PPTP": lambda inner: PAIRS / inner,
    "VXLAN": lambda inner: OUTER / UDP(sport=4000, dport=4789) / VXLAN(vni=7, flags=8) / ETHERNET / inner,
    "VXLAN with a tag": lambda inner: (
        SIX / UDP(sport=4000, dport=4789) / VXLAN(flags=8) / ETHERNET / Dot1Q(vlan=5) / inner
    ),
    "GENEVE": lambda inner: OUTER / UDP(sport=4000, dport=6081) / GENEVE(proto=0x6558, vni=7) / ETHERNET / inner,
    "GENEVE of IP": lambda inner: OUTER / UDP(sport=4000, dport=6081) / GENEVE(proto=0x0800) / inner,
    "GTP-U": lambda inner: MOBILE / GTP_U_Header(teid=9, gtp_type=255) / inner,
    "GTP-U in order": lambda inner: MOBILE / GTP_U_Header(gtp_type=255, S=1, seq=7) / inner,
    "GTP-U extended": lambda inner: MOBILE / GTP_U_Header(gtp_type=255) / GTPPDUSessionContainer(QFI=9) / inner,
    "VXLAN in GRE": lambda inner: (
        OUTER / GRE() / OUTER / UDP(sport=4000, dport=4789) / VXLAN(flags=8) / ETHERNET / inner
    ),
}
FRAMES = b"".join(couchbase_dcp.build(mutation(1, number, f"key{number}", "x" * 90)) for number in range(1, 20))
SENT = [packet[IP] for packet in Flow(size=300).sent(FRAMES)]


def read(path: Path, **options: object) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = couchbase_dcp.scan(
        path, ["message", "opaque", "mutation", "_connection"], mode="PERMISSIVE", connections=True, **options
    ).read_all().to_pylist()  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    rows = read(written(tmp_path_factory.mktemp("plain") / "plain.pcap", [ETHERNET / packet for packet in SENT]))
    assert len(rows) == 19
    return rows


@pytest.mark.parametrize("name", TUNNELS)
def test_a_connection_in_a_tunnel_is_read(tmp_path: Path, name: str, expected: list[dict[str, object]]) -> None:
    path = written(tmp_path / "tunnel.pcap", [ETHERNET / TUNNELS[name](packet) for packet in SENT])
    assert read(path, tunnels=True) == expected
    assert read(path) == []
    (row,) = couchbase_dcp.summary(path, tunnels=True).to_pylist()
    assert (row["packets"], row["read"], row["without_data"]) == (len(SENT), len(SENT) - 1, 1)


@pytest.mark.wireshark
def test_tshark_finds_what_is_in_tunnels(tmp_path: Path) -> None:
    inner = SENT[1]
    path = written(tmp_path / "tunnels.pcap", [ETHERNET / wrap(inner) for wrap in TUNNELS.values()])
    fields = ("-T", "fields", "-e", "tcp.payload", "-e", "frame.protocols")
    done = subprocess.run([program(), "-n", "-r", str(path), *fields], capture_output=True, check=True, text=True)
    for name, line in zip(TUNNELS, done.stdout.splitlines(), strict=True):
        assert line.split("\t")[0] == FRAMES[:300].hex(), (name, line)


def test_a_packet_that_a_tunnel_carries_in_fragments_is_whole(
    tmp_path: Path, expected: list[dict[str, object]]
) -> None:
    tunneled = [TUNNELS["VXLAN"](packet) for packet in SENT]
    parts = [ETHERNET / part for packet in tunneled for part in fragment(packet, 200)]
    assert len(parts) > len(SENT)
    assert read(written(tmp_path / "parts.pcap", parts), tunnels=True) == expected


def test_so_many_tunnels_inside_each_other_are_read(tmp_path: Path) -> None:
    for depth in (TUNNELS_INSIDE, TUNNELS_INSIDE + 1, 40):
        packets = SENT
        for _ in range(depth):
            packets = [OUTER / packet for packet in packets]
        path = written(tmp_path / f"{depth}.pcap", [ETHERNET / packet for packet in packets])
        assert len(read(path, tunnels=True)) == (19 if depth == TUNNELS_INSIDE else 0)


def test_what_a_tunnel_carries_that_is_not_read_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    vxlan = OUTER / UDP(sport=4000, dport=4789) / VXLAN(flags=8) / Ether()
    packets = [
        vxlan / ARP(),
        OUTER / GRE() / OUTER / ICMP(),
        MOBILE / GTP_U_Header(gtp_type=1),
        OUTER / GRE(proto=0x88BE) / Raw(bytes(60)),
        OUTER / UDP(sport=4000, dport=6081) / Raw(b"\1"),
    ]
    path = written(tmp_path / "others.pcap", [ETHERNET / packet for packet in packets])
    with caplog.at_level(logging.INFO, "wireloom"):
        assert read(path, tunnels=True) == []
    named = caplog.messages[0].partition("not TCP or UDP (")[2].partition(")")[0].split(", ")
    assert sorted(named) == [
        "1 EtherType 0x0806 ARP",
        "1 EtherType 0x88be",
        "1 IP protocol 1 ICMP",
        "1 tunnel header GTPU",
    ]
    assert "1 damaged or cut" in caplog.messages[0]


@pytest.mark.parametrize("name", ["GRE with all fields", "GRE of PPTP", "VXLAN", "GENEVE", "GTP-U extended"])
def test_both_engines_read_damaged_tunnels_alike(name: str) -> None:
    packet = TUNNELS[name](SENT[1])
    header = packet[UDP].payload if UDP in packet else packet[IP if IP in packet else IPv6].payload
    link_type = 131072 + packet[UDP].dport if UDP in packet else 65583
    records_alike(PAIR, list(damaged(bytes(header), Random(name), 40)), link_type=str(link_type))
