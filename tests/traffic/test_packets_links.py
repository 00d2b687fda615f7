"""Links and encapsulations: packets of IP are found behind all of them, and what is left is named."""

import logging
import struct
import subprocess
from pathlib import Path
from random import Random

import pytest
from protocols.strangers.links import AIR, ENDS, ETHERNET, SNAPPED, Linked, linked
from scapy.contrib.macsec import MACsec
from scapy.layers.dot11 import Dot11, Dot11Beacon
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, LLC, STP, CookedLinux, Dot3
from scapy.layers.ppp import PPP, PPP_LCP, PPPoE
from scapy.packet import Packet, Raw
from support.lockstep import Pair, damaged, records_alike
from support.tshark import program

from wireloom_protocols import couchbase_dcp, packets
from wireloom_protocols.packets import columnar

PAIR = Pair.of(columnar)
TEXT = b"question"
LINKED = tuple(linked(TEXT))
LINKS = sorted({each.link_type for each in LINKED})


def written(path: Path, frames: list[Linked]) -> Path:
    """A pcapng file with an interface for each link type."""
    links = [*dict.fromkeys(each.link_type for each in frames)]
    blocks = [_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    blocks += [_block(1, struct.pack("<HHI", link, 0, 0)) for link in links]
    for each in frames:
        size = len(each.data)
        head = struct.pack("<IIIII", links.index(each.link_type), 0, 0, size, size)
        blocks.append(_block(6, head + each.data + bytes(-size % 4)))
    path.write_bytes(b"".join(blocks))
    return path


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


def test_a_datagram_is_found_behind_every_link(tmp_path: Path) -> None:
    table = packets.scan(written(tmp_path / "links.pcapng", list(LINKED)), positions=True).read_all()
    rows = {row["_offset"]: row for row in table.to_pylist()}
    for each, (_, row) in zip(LINKED, sorted(rows.items()), strict=True):
        assert row["message"] == "udp", each.name
        found = row["udp"]
        assert (found["source_port"], found["destination_port"], found["payload"]) == (53, 5353, TEXT), each.name
        parsed = packets.parse(each.data, link_type=each.link_type)
        assert (parsed["udp"]["payload"], parsed["ether_type"]) == (TEXT, row["ether_type"]), each.name


@pytest.mark.wireshark
def test_tshark_finds_the_same_datagrams(tmp_path: Path) -> None:
    # It does not know the link type of MPLS, and takes the attributes of NFLOG to be in the byte order of the file.
    judged = [each for each in LINKED if each.link_type != 219 and not each.name.startswith("NFLOG >")]
    path = written(tmp_path / "links.pcapng", judged)
    fields = [part for name in ("udp.srcport", "udp.dstport", "udp.payload") for part in ("-e", name)]
    done = subprocess.run(
        [program(), "-n", "-r", str(path), "-T", "fields", *fields], capture_output=True, check=True, text=True
    )
    for each, line in zip(judged, done.stdout.splitlines(), strict=True):
        assert line.split() == ["53", "5353", TEXT.hex()], each.name


def alike_when_damaged(link_type: int, seed: int, count: int) -> None:
    """See that both engines read some damaged packets of a link alike."""
    random = Random(f"{link_type} {seed}")
    frames = [each.data for each in LINKED if each.link_type == link_type]
    records = [each for data in random.sample(frames, min(6, len(frames))) for each in damaged(data, random, count)]
    records_alike(PAIR, [*frames, *records], link_type=str(link_type))


@pytest.mark.parametrize("link_type", LINKS)
def test_both_engines_read_damaged_links_alike(link_type: int) -> None:
    alike_when_damaged(link_type, 0, 10)


@pytest.mark.long
@pytest.mark.parametrize("link_type", LINKS)
def test_both_engines_read_many_damaged_links_alike(link_type: int) -> None:
    for seed in range(1, 100):
        alike_when_damaged(link_type, seed, 30)


def others() -> dict[str, list[tuple[int, Packet]]]:
    """What is left, by what the log calls it."""
    inner = IP() / ICMP()
    secured = MACsec(SC=1, SCI=bytes(8), PN=1, E=1, C=1)
    return {
        "IP protocol 1 ICMP": [(1, ETHERNET / inner), (9, PPP() / inner)],
        "EtherType 0x0806 ARP": [(1, ETHERNET / ARP()), (1, Dot3(**ENDS) / SNAPPED / ARP())],
        "behind EtherType 0x88e5 MACsec": [(1, ETHERNET / secured / Raw(bytes(40)))],
        "behind EtherType 0x8864 PPPoESession": [(1, ETHERNET / PPPoE() / PPP() / PPP_LCP())],
        "behind EtherType 0x880b PPP": [(9, PPP() / PPP_LCP())],
        "behind LLC": [(1, Dot3(**ENDS) / LLC(dsap=0x42, ssap=0x42, ctrl=3) / STP())],
        "link type 105 IEEE802_11": [
            (105, Dot11(**AIR | {"type": 0}) / Dot11Beacon()),
            (105, Dot11(**AIR, FCfield=0x40) / Raw(bytes(30))),
            (105, Dot11(**AIR, FCfield=0x04) / SNAPPED / inner),
            (105, Dot11(**AIR | {"type": 1}, subtype=13)),
        ],
        "EtherType 0x000c Length": [(113, CookedLinux(proto=12) / Raw(bytes(16)))],
        "link type 147": [(147, Raw(b"data"))],
    }


def test_what_is_left_is_counted_by_its_number(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    expected = others()
    frames = [Linked("", link, bytes(packet)) for each in expected.values() for link, packet in each]
    path = written(tmp_path / "others.pcapng", frames)
    with caplog.at_level(logging.INFO, "wireloom"):
        (row,) = couchbase_dcp.summary(path).to_pylist()
        assert (row["not_tcp_or_udp"], row["damaged"]) == (len(frames), 0)
        couchbase_dcp.scan(path).read_all()
    (told,) = caplog.messages
    counted = told.partition("not TCP or UDP (")[2].removesuffix(")").split(", ")
    assert sorted(counted) == sorted(f"{len(each)} {name}" for name, each in expected.items())
