"""Packets of IP behind all links and encapsulations that are read, as Scapy makes them."""

from collections.abc import Iterator
from struct import pack
from typing import NamedTuple

from scapy.contrib.macsec import MACsec
from scapy.contrib.mpls import MPLS
from scapy.layers.dot11 import Dot11, Dot11QoS, RadioTap
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import AH
from scapy.layers.l2 import LLC, SNAP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Dot3, Ether
from scapy.layers.ppp import HDLC, PPP, PPPoE
from scapy.packet import Packet, Raw

ENDS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}
ETHERNET, SNAPPED = Ether(**ENDS), LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP()
AIR = {"addr1": ENDS["dst"], "addr2": ENDS["src"], "addr3": ENDS["dst"], "type": 2}


class Linked(NamedTuple):
    """A packet of IP behind what its link puts in front of it."""

    name: str
    link_type: int
    data: bytes


def linked(text: bytes) -> Iterator[Linked]:
    """Datagrams from port 53 to port 5353 with a text, of both versions of IP, behind everything."""
    for network in (IP(src="1.2.3.4", dst="5.6.7.8"), IPv6(src="2001:db8::1", dst="fe80::2")):
        inner = network / UDP(sport=53, dport=5353) / Raw(text)
        version = 6 if isinstance(network, IPv6) else 4
        for name, (link_type, data) in _wrapped(inner, 0x86DD if version == 6 else 0x0800).items():
            yield Linked(f"{name} IPv{version}", link_type, data)
    sure = AH(nh=17, payloadlen=4, spi=5, seq=6, icv=bytes(12))
    signed = IP(src="1.2.3.4", dst="5.6.7.8") / sure / UDP(sport=53, dport=5353) / Raw(text)
    yield Linked("AH IPv4", 1, bytes(ETHERNET / signed))
    yield Linked("LLC without SNAP IPv4", 1, _framed(b"\6\6\3" + bytes(signed)))


def _wrapped(inner: Packet, kind: int) -> dict[str, tuple[int, bytes]]:
    """The packet in each encapsulation, with its link type."""
    labels, secured = MPLS(label=16, s=0, ttl=9) / MPLS(label=2**20 - 1, s=1), {"SCI": b"\1" * 8, "SC": 1, "PN": 7}
    ppp, data = {0x0800: 0x21, 0x86DD: 0x57}[kind], bytes(inner)
    packets: dict[str, tuple[int, Packet]] = {
        "Ethernet": (1, ETHERNET / inner),
        "LLC": (1, Dot3(**ENDS) / SNAPPED / inner),
        "LLC in a VLAN": (1, ETHERNET / Dot1Q(vlan=5, type=len(data) + 8) / SNAPPED / inner),
        "VLAN behind LLC": (1, Dot3(**ENDS) / SNAPPED / Dot1Q(vlan=5) / inner),
        "LLC, cooked": (113, CookedLinux(proto=4) / SNAPPED / inner),
        "PPPoE": (1, ETHERNET / PPPoE(sessionid=5) / PPP(proto=ppp) / inner),
        "PPPoE in two VLANs": (1, ETHERNET / Dot1AD(vlan=1) / Dot1Q(vlan=2) / PPPoE() / PPP(proto=ppp) / inner),
        "PPPoE, cooked": (276, CookedLinuxV2(proto=0x8864) / PPPoE() / PPP(proto=ppp) / inner),
        "PPPoE alone": (51, PPPoE() / PPP(proto=ppp) / inner),
        "PPP": (9, PPP(proto=ppp) / inner),
        "PPP framed": (9, HDLC() / PPP(proto=ppp) / inner),
        "PPP in HDLC": (50, HDLC() / PPP(proto=ppp) / inner),
        "PPP of one byte": (9, Raw(bytes([ppp])) / inner),
        "PPP framed of one byte": (9, Raw(bytes([0xFF, 3, ppp])) / inner),
        "MPLS": (1, Ether(**ENDS, type=0x8847) / labels / inner),
        "MPLS of multicast": (1, Ether(**ENDS, type=0x8848) / MPLS(s=1) / inner),
        "MPLS in PPP": (9, PPP(proto=0x0281) / labels / inner),
        "MPLS alone": (219, labels / inner),
        "MACsec": (1, ETHERNET / MACsec(**secured, type=kind) / inner),
        "MACsec without a channel": (1, ETHERNET / MACsec(SC=0, PN=7, type=kind) / inner),
        "VLAN in MACsec": (1, ETHERNET / MACsec(**secured, type=0x8100) / Dot1Q(vlan=3) / inner),
        "HDLC of Cisco": (104, Raw(pack(">BBH", 0x0F, 0, kind)) / inner),
        "wireless": (105, Dot11(**AIR, FCfield=2) / SNAPPED / inner),
        "wireless with quality": (105, Dot11(**AIR, subtype=8, FCfield=1) / Dot11QoS() / SNAPPED / inner),
        "wireless of four addresses": (
            105,
            Dot11(**AIR, FCfield=3, addr4=ENDS["src"]) / SNAPPED / inner,
        ),
    }
    found = {
        name: (link, bytes(packet) + (bytes(16) if "MACsec" in name else b""))
        for name, (link, packet) in packets.items()
    }
    for name, present in {"": "", " timed": "TSFT+Flags", " flagged": "Flags+Channel"}.items():
        radio = RadioTap(present=present, ChannelFrequency=2412) if present else RadioTap(present=0)
        frame = Dot11(**AIR, subtype=8, FCfield=2) / Dot11QoS() / SNAPPED / inner
        found[f"radiotap{name}"] = 127, bytes(radio / frame)
    padded = bytes(Dot11(**AIR, subtype=8, FCfield=2) / Dot11QoS()) + bytes(2) + bytes(SNAPPED / inner)
    found["radiotap padded"] = 127, bytes(RadioTap(present="Flags", Flags="pad")) + padded
    for order in "<>":
        found[f"loopback of an EtherType {order}"] = 0, pack(f"{order}I", kind) + data
        found[f"NFLOG {order}"] = 239, _logged(order, 2 if kind == 0x0800 else 10, data)
    return found


def _framed(data: bytes) -> bytes:
    """A frame of IEEE 802.3."""
    return bytes(Ether(**ENDS, type=len(data))) + data


def _logged(order: str, family: int, data: bytes) -> bytes:
    """A packet in a message of netfilter: with its hook, a prefix of five bytes and their padding in front."""
    hook = pack(">HBB", 0x0800, 1, 0)
    attributes = {1: hook, 10: b"drop\0", 9: data}
    values = (
        pack(f"{order}HH", 4 + len(value), number) + value + bytes(-len(value) % 4)
        for number, value in attributes.items()
    )
    return pack(">BBH", family, 0, 5) + b"".join(values)
