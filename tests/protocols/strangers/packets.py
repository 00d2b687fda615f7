"""Packets as Scapy makes them and takes them apart."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from struct import pack
from typing import Any, NamedTuple

from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert, IPOption_Timestamp
from scapy.layers.inet6 import (
    MIP6MH_BRR,
    ICMPv6EchoRequest,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    PadN,
    RouterAlert,
)
from scapy.layers.ipsec import AH
from scapy.layers.l2 import ARP, LLC, SNAP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Dot3, Ether
from scapy.packet import Packet, Padding, Raw

from protocols.strangers import Capture

SOURCE, DESTINATION = "02:00:00:00:00:01", "02:00:00:00:00:02"
TIMES = [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (1, 2)), ("NOP", None), ("WScale", 7)]
EXTENSIONS = (IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, IPv6ExtHdrFragment, IPv6ExtHdrDestOpt, AH, MIP6MH_BRR)


class Made(NamedTuple):
    """A packet of a link type: its bytes, and what Scapy reads in them."""

    name: str
    link_type: int
    data: bytes
    read: Packet


def captures() -> Iterator[Capture]:
    """Some of them, each with the columns that it must have."""
    for made in packets()[::5]:
        yield Capture(made.name, made.data, (row(made),), {"link_type": made.link_type})


@cache
def packets() -> tuple[Made, ...]:
    """Packets of all link types, of IPv4 and IPv6, whole and in fragments, with and without bytes behind them."""
    return (*_ethernet(), *_others())


def _ethernet() -> Iterator[Made]:
    head = Ether(src=SOURCE, dst=DESTINATION)
    tags = {
        "untagged": head,
        "802.1Q": head / Dot1Q(vlan=5, prio=3, dei=1),
        "802.1ad": head / Dot1AD(vlan=4095) / Dot1Q(vlan=0) / Dot1Q(vlan=77, prio=7),
    }
    for tagged, link in tags.items():
        for name, network in _networks().items():
            yield _made(f"{tagged} {name}", 1, bytes(link / network), Ether)
            if link is head:
                yield _made(f"padded {name}", 1, bytes(link / network) + bytes(7), Ether)
                yield _made(f"signed {name}", 1, bytes(link / network) + b"\1\2\3\4", Ether)
    yield _made("ARP", 1, bytes(head / ARP(psrc="1.2.3.4", pdst="5.6.7.8", hwsrc=SOURCE)) + bytes(18), Ether)
    yield _made("802.3", 1, bytes(Dot3(src=SOURCE, dst=DESTINATION) / LLC() / SNAP() / b"data"), Dot3)
    yield _made("no payload", 1, bytes(head), Ether)


def _others() -> Iterator[Made]:
    four, six = (IP(src="1.2.3.4", dst="5.6.7.8"), IPv6(src="2001:db8::1", dst="fe80::2"))
    tcp, udp = TCP(sport=1, dport=2) / b"ab", UDP(sport=3, dport=4) / b"cd"
    for network, version in ((four / tcp, 4), (six / udp, 6)):
        data, kind = bytes(network), type(network)
        ether_type = 0x0800 if version == 4 else 0x86DD
        for link in (12, 14, 101, 228 if version == 4 else 229):
            yield _made(f"raw {link} {version}", link, data, kind)
        for family in (2,) if version == 4 else (24, 28, 30):
            for link, order in ((0, "<"), (0, ">"), (108, ">")):
                loop = pack(f"{order}I", family)
                yield Made(f"loop {link} {order} {family}", link, loop + data, kind(data))
        cooked = {"pkttype": 4, "lladdrlen": 6, "src": bytes.fromhex("0200000000010000"), "proto": ether_type}
        yield _made(f"cooked {version}", 113, bytes(CookedLinux(**cooked, lladdrtype=1) / network), CookedLinux)
        newer = CookedLinuxV2(**cooked, lladdrtype=772, ifindex=3)
        yield _made(f"cooked 2 {version}", 276, bytes(newer / network), CookedLinuxV2)
    tagged = CookedLinux(pkttype=0, lladdrtype=1, lladdrlen=6, proto=0x8100) / Dot1Q(vlan=9) / four / udp
    yield _made("cooked tagged", 113, bytes(tagged), CookedLinux)
    yield Made("another link type", 147, b"\xff\x03\x00\x21", Raw(b"\xff\x03\x00\x21"))


def _networks() -> dict[str, Packet]:
    four = {"src": "1.2.3.4", "dst": "5.6.7.8", "id": 0x1234, "ttl": 63, "tos": 0xB9}
    six = {"src": "2001:db8::1", "dst": "fe80::2", "tc": 0xB9, "fl": 0xABCDE, "hlim": 9}
    tcp = TCP(sport=80, dport=40000, seq=2**32 - 1, ack=7, flags="SA", window=512, urgptr=3, chksum=1, options=TIMES)
    udp = UDP(sport=53, dport=5353) / b"question"
    router, stamp = IPOption_Router_Alert(), IPOption_Timestamp(timestamp=9)
    hop, last = IPv6ExtHdrHopByHop(options=[RouterAlert()]), IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(11))])
    way, sure = IPv6ExtHdrRouting(addresses=["::5", "::6"]), AH(nh=17, payloadlen=4, spi=5, seq=6, icv=bytes(12))
    return {
        "IPv4 TCP": IP(**four, flags="DF") / tcp / b"hello",
        "IPv4 TCP of all flags": IP(**four) / TCP(sport=1, dport=2, flags=0x1FF, reserved=7, chksum=0xFFFF),
        "IPv4 options TCP": IP(**four, options=[router, stamp]) / tcp / b"x",
        "IPv4 UDP": IP(**four) / udp,
        "IPv4 empty UDP": IP(**four) / UDP(sport=0, dport=65535, chksum=0),
        "IPv4 ICMP": IP(**four) / ICMP() / b"ping",
        "IPv4 first fragment": IP(**four, flags="MF", proto=17) / bytes(range(16)),
        "IPv4 fragment": IP(**four, flags="MF", frag=2, proto=17) / bytes(range(24)),
        "IPv4 last fragment": IP(**four, frag=8191, proto=6) / b"end",
        "IPv6 TCP": IPv6(**six) / tcp / b"hello",
        "IPv6 UDP": IPv6(**six) / udp,
        "IPv6 ICMP": IPv6(**six) / ICMPv6EchoRequest(data=b"ping"),
        "IPv6 chain TCP": IPv6(**six) / hop / way / last / tcp / b"abc",
        "IPv6 AH UDP": IPv6(**six) / last / sure / udp,
        "IPv6 mobility": IPv6(**six) / MIP6MH_BRR(nh=59),
        "IPv6 first fragment": IPv6(**six) / hop / IPv6ExtHdrFragment(m=1, id=99, nh=17) / bytes(range(16)),
        "IPv6 fragment": IPv6(**six) / IPv6ExtHdrFragment(m=1, offset=2, id=99, nh=60) / bytes(range(16)),
        "IPv6 last fragment": IPv6(**six) / hop / IPv6ExtHdrFragment(offset=8191, id=2**32 - 1, nh=17) / b"end",
        "IPv6 atomic fragment": IPv6(**six) / IPv6ExtHdrFragment(id=5) / last / udp,
    }


def _made(name: str, link_type: int, data: bytes, kind: type[Packet]) -> Made:
    return Made(name, link_type, data, kind(data))


def row(made: Made) -> Mapping[str, Any]:
    """The columns of a packet, as Scapy reads it."""
    read = made.read
    network = read.getlayer(IP) or read.getlayer(IPv6)
    return {**_link(made), **(_unread(made) if network is None else _network(network, made))}


def _unread(made: Made) -> Mapping[str, Any]:
    return {
        "message": "unknown",
        **dict.fromkeys(("ipv4", "ipv6", "transport", "is_fragment", "identification")),
        "unknown": {"body": made.data[_before(made) :], "link_trailer": b""},
    }


def _before(made: Made) -> int:
    """How much stands in front of the headers of IP."""
    tags = sum(isinstance(layer, Dot1Q | Dot1AD) for layer in layers(made.read))
    snapped = 8 if SNAP in made.read else 0
    return {0: 4, 1: 14, 108: 4, 113: 16, 276: 20}.get(made.link_type, 0) + 4 * tags + snapped


def _link(made: Made) -> dict[str, Any]:
    read, found = made.read, dict.fromkeys(("ethernet", "linux_cooked", "linux_cooked_2", "family"))
    tags = [layer for layer in layers(read) if isinstance(layer, Dot1Q | Dot1AD)]
    told: dict[str, Any] = {"vlan_tags": [_tag(tag) for tag in tags] or None, "ether_type": None}
    match read:
        case Ether() | Dot3():
            kind = read.len if isinstance(read, Dot3) else read.type
            found["ethernet"] = {"destination": read.dst, "source": read.src, "type": kind}
        case CookedLinuxV2():
            kind = read.proto
            device = {"interface_index": read.ifindex, "address": read.original[12:20]}
            found["linux_cooked_2"] = {**_cooked(read), **device}
        case CookedLinux():
            kind = read.proto
            found["linux_cooked"] = {**_cooked(read), "address": read.original[6:14]}
        case _:
            if made.link_type in (0, 108):
                found["family"] = max(made.data[:4])
            return {**found, **told}
    last = None if SNAP in read else tags[-1].type if tags else kind
    return {**found, **told, "link_protocol": kind, "ether_type": last}


def _cooked(read: Packet) -> dict[str, Any]:
    return {
        "packet_type": read.pkttype,
        "arphrd_type": read.lladdrtype,
        "address_length": read.lladdrlen,
        "protocol": read.proto,
    }


def _tag(tag: Packet) -> Mapping[str, Any]:
    return {"priority": tag.prio, "drop_eligible": bool(tag.dei), "id": tag.vlan, "ether_type": tag.type}


def _network(network: Packet, made: Made) -> Mapping[str, Any]:
    headers = [layer for layer in layers(network) if isinstance(layer, EXTENSIONS)]
    fragment = next((layer for layer in headers if isinstance(layer, IPv6ExtHdrFragment)), None)
    headers = headers[: headers.index(fragment) + 1] if fragment and (fragment.m or fragment.offset) else headers
    begin = _before(made) + sum(map(_size, [network, *headers]))
    length = _said(network) - sum(map(_size, headers))
    body, trailer = made.data[begin : begin + length], made.data[begin + length :]
    if isinstance(network, IP):
        names = _four(network)
        transport, more, offset = network.proto, bool(network.flags.MF), 8 * network.frag
        identification: int | None = network.id
    else:
        names = {"ipv4": None, "ipv6": _six(network)}
        names["extensions"] = [_extension(layer, before) for before, layer in pairwise([network, *headers])] or None
        transport = [network, *headers][-1].nh
        more, offset = (bool(fragment.m), 8 * fragment.offset) if fragment else (False, 0)
        identification = fragment.id if fragment and (more or offset) else None
    told = {
        **names,
        "transport": transport,
        "more_fragments": more,
        "fragment_offset": offset,
        "is_fragment": more or offset > 0,
        "identification": identification,
        "transport_length": length,
    }
    return {**told, **_message(told, body, trailer)}


def _message(told: Mapping[str, Any], body: bytes, trailer: bytes) -> Mapping[str, Any]:
    if told["is_fragment"]:
        return {"message": "fragment", "fragment": {"data": body, "missing": 0, "trailer": trailer or None}}
    match told["transport"]:
        case 6:
            return {"message": "tcp", "tcp": {**tcp(TCP(body)), "missing": 0, "trailer": trailer or None}}
        case 17:
            return {"message": "udp", "udp": {**udp(UDP(body)), "missing": 0, "trailer": trailer or None}}
    return {"message": "unknown", "unknown": {"body": body, "link_trailer": trailer}}


def tcp(read: TCP) -> dict[str, Any]:
    """The columns of a segment."""
    names = ("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr")
    size = 4 * read.dataofs
    return {
        "source_port": read.sport,
        "destination_port": read.dport,
        "sequence": read.seq,
        "acknowledgment": read.ack,
        "data_offset": read.dataofs,
        "reserved": read.reserved,
        "ae": bool(read.flags.N),
        "flags": int(read.flags) & 0xFF,
        **{name: bool(int(read.flags) >> bit & 1) for bit, name in enumerate(names)},
        "window": read.window,
        "checksum": read.chksum,
        "urgent_pointer": read.urgptr,
        "options": read.original[20:size],
        "payload": read.original[size:],
    }


def udp(read: UDP) -> dict[str, Any]:
    """The columns of a datagram."""
    return {
        "source_port": read.sport,
        "destination_port": read.dport,
        "length": read.len,
        "checksum": read.chksum,
        "payload": read.original[8 : read.len],
        "surplus": read.original[read.len :],
    }


def _four(read: IP) -> dict[str, Any]:
    return {
        "ipv6": None,
        "ipv4": {
            "version": read.version,
            "header_words": read.ihl,
            "dscp": read.tos >> 2,
            "ecn": read.tos & 3,
            "total_length": read.len,
            "identification": read.id,
            "reserved": bool(read.flags.evil),
            "dont_fragment": bool(read.flags.DF),
            "more_fragments": bool(read.flags.MF),
            "fragment_offset": read.frag,
            "time_to_live": read.ttl,
            "protocol": read.proto,
            "checksum": read.chksum,
            "source": read.src,
            "destination": read.dst,
            "options": read.original[20 : 4 * read.ihl],
        },
    }


def _six(read: IPv6) -> dict[str, Any]:
    return {
        "version": read.version,
        "dscp": read.tc >> 2,
        "ecn": read.tc & 3,
        "flow_label": read.fl,
        "payload_length": read.plen,
        "next_header": read.nh,
        "hop_limit": read.hlim,
        "source": read.src,
        "destination": read.dst,
    }


def _extension(read: Packet, before: Packet) -> Mapping[str, Any]:
    own: dict[str, Any] = {"header": before.nh, "next_header": read.nh}
    if isinstance(read, IPv6ExtHdrFragment):
        names = {"fragment_offset": read.offset, "more_fragments": bool(read.m), "identification": read.id}
        return own | names | {"data": None}
    return own | {"data": read.original[2 : _size(read)], "fragment_offset": None, "identification": None}


def _size(read: Packet) -> int:
    """How long a header of IP is."""
    match read:
        case IP():
            return int(4 * read.ihl)
        case IPv6():
            return 40
        case AH():
            return int(4 * read.payloadlen + 8)
        case IPv6ExtHdrFragment():
            return 8
    return int(8 * read.len + 8)


def _said(network: Packet) -> int:
    """How long all is behind the first header of IP, as that says."""
    return int(network.len - 4 * network.ihl if isinstance(network, IP) else network.plen)


def layers(read: Packet) -> Iterator[Packet]:
    """A packet and what is in it, from outside in, but for bytes without a layer."""
    while read and not isinstance(read, Raw | Padding):
        yield read
        read = read.payload
