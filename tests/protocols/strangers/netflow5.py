"""NetFlow 5 as Scapy writes it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from random import Random
from typing import Any

from scapy.fields import Field, IPField
from scapy.layers.netflow import NetflowHeader, NetflowHeaderV5, NetflowRecordV5
from scapy.packet import Packet

from protocols.strangers import Capture

HEADER = {
    "sys_uptime": "sysUptime",
    "unix_secs": "unixSecs",
    "unix_nsecs": "unixNanoSeconds",
    "flow_sequence": "flowSequence",
    "engine_type": "engineType",
    "engine_id": "engineID",
}
"""What Scapy calls our columns of the header."""
FLOW = {
    "src_addr": "src",
    "dst_addr": "dst",
    "next_hop": "nexthop",
    "input": "input",
    "output": "output",
    "packets": "dpkts",
    "octets": "dOctets",
    "first": "first",
    "last": "last",
    "src_port": "srcport",
    "dst_port": "dstport",
    "tcp_flags": "tcpFlags",
    "prot": "prot",
    "tos": "tos",
    "src_as": "src_as",
    "dst_as": "dst_as",
    "src_mask": "src_mask",
    "dst_mask": "dst_mask",
}
"""What it calls those of a flow."""


def captures() -> Iterator[Capture]:
    """One datagram, and one of each number of flows."""
    random = Random(5)
    for name, counts in (("one", (2,)), ("many", range(1, 31))):
        packets = [_datagram(random, count) for count in counts]
        rows = tuple(
            {"version": 5, "export": {"flow_count": count, **_read(packet)}}
            for packet, count in zip(packets, counts, strict=True)
        )
        yield Capture(name, b"".join(map(bytes, packets)), rows)


def _datagram(random: Random, count: int) -> Packet:
    """A datagram with ``count`` flows and any numbers."""
    packet = NetflowHeader(version=5) / _any(NetflowHeaderV5, HEADER, random)
    packet[NetflowHeaderV5].count = count
    packet[NetflowHeaderV5].samplingInterval = random.getrandbits(16)
    for _ in range(count):
        packet /= _any(NetflowRecordV5, FLOW, random)
    return packet


def _any(layer: type[Packet], names: dict[str, str], random: Random) -> Packet:
    return layer(**{name: _number(layer().get_field(name), random) for name in names.values()})


def _number(field: Field[Any, Any], random: Random) -> int | str:
    number = random.getrandbits(int(8 * field.sz))
    return str(IPv4Address(number)) if isinstance(field, IPField) else number


def _read(packet: Packet) -> dict[str, Any]:
    """What Scapy reads in the bytes of a datagram."""
    header = NetflowHeader(bytes(packet))[NetflowHeaderV5]
    interval = header.samplingInterval
    flows = []
    layer = header.payload
    while isinstance(layer, NetflowRecordV5):
        flows.append({name: _plain(layer, scapy) for name, scapy in FLOW.items()})
        layer = layer.payload
    return {
        **{name: _plain(header, scapy) for name, scapy in HEADER.items()},
        "sampling_mode": interval >> 14,
        "sampling_interval": interval & 0x3FFF,
        "flows": flows,
    }


def _plain(layer: Packet, name: str) -> object:
    """A value of Scapy's as the kind of value that it stands for."""
    value = layer.getfieldval(name)
    if name in ("sysUptime", "first", "last"):
        return timedelta(milliseconds=value)
    if name == "unixSecs":
        return datetime.fromtimestamp(value, UTC)
    return value if isinstance(value, str) else int(value)


def varied(random: Random) -> Iterator[Capture]:
    """Datagrams with any numbers, in what is unused as well."""
    while True:
        packet = _datagram(random, random.randrange(1, 31))
        layer = packet[NetflowRecordV5]
        while isinstance(layer, NetflowRecordV5):
            layer.pad1, layer.pad2 = random.choice(((0, 0), (random.getrandbits(8), random.getrandbits(16))))
            layer = layer.payload
        yield Capture("any", bytes(packet), ({"version": 5, "export": _read(packet)},))
