"""What packets carry: segments of TCP and datagrams of UDP."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.buffers import Array, as_arrow, octets_of
from wireloom.columnar import cells
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.fragments import Fragments
from wireloom.columnar.traffic.packet_stats import Fate, PacketStats
from wireloom.columnar.traffic.packets import Packets
from wireloom.columnar.traffic.rows import PacketRows, decoder_of, taken
from wireloom.kinds import PACKETS

_ADDRESSES = ("ipv4.source", "ipv4.destination", "ipv6.source", "ipv6.destination")
_SHARED = ("source_port", "destination_port", "payload", "missing")
_TCP = ("sequence", "syn", "ack", "rst")
COLUMNS = (
    "message",
    *_ADDRESSES,
    *(f"tcp.{name}" for name in (*_SHARED, *_TCP)),
    *(f"udp.{name}" for name in _SHARED),
    "transport",
    "identification",
    "fragment_offset",
    "more_fragments",
    "fragment.data",
)
"""The columns of packets that are read."""
_OTHERS = "unknown.body"
"""The column with what packets hold that are neither of TCP nor of UDP."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The contents of packets of one ``transport``: the bytes from ``start`` to ``stop`` in ``data``.

    ``missing`` are how many bytes after these were cut off in recording. ``sources`` and ``destinations`` are indices
    in ``addresses``. A row of ``packets`` has the number of the packet, its time and its offset. ``sequence`` and the
    flags ``syn`` and ``ack`` are zero for UDP.
    """

    transport: str
    addresses: list[str]
    sources: Array
    destinations: Array
    source_ports: Array
    destination_ports: Array
    sequence: Array
    syn: Array
    ack: Array
    start: Array
    stop: Array
    missing: Array
    data: memoryview
    packets: Array


def in_order(carried: Iterable[Carried]) -> Iterator[Carried]:
    """What packets carry, all of one transport in the order in which they were captured."""
    found: dict[str, list[Carried]] = {}
    for each in carried:
        found.setdefault(each.transport, []).append(each)
    return (_joined(several) if len(several) > 1 else several[0] for several in found.values())


def _joined(several: list[Carried]) -> Carried:
    """What packets of one transport carry, as one."""
    known = dict.fromkeys(address for each in several for address in each.addresses)
    addresses = {address: number for number, address in enumerate(known)}
    packets = np.concatenate([each.packets for each in several])
    order = np.argsort(packets[:, 0], kind="stable")
    moved = np.cumsum([0, *(len(each.data) for each in several)]).tolist()

    def ordered(values: Iterable[Array]) -> Any:
        return np.concatenate([*values])[order]

    def numbered(name: str) -> Any:
        return ordered(np.array([addresses[end] for end in each.addresses])[getattr(each, name)] for each in several)

    return replace(
        several[0],
        addresses=[*addresses],
        data=memoryview(b"".join([each.data for each in several])),
        packets=packets[order],
        sources=numbered("sources"),
        destinations=numbered("destinations"),
        start=ordered(each.start + at for each, at in zip(several, moved, strict=False)),
        stop=ordered(each.stop + at for each, at in zip(several, moved, strict=False)),
        **{
            name: ordered(getattr(each, name) for each in several)
            for name in ("source_ports", "destination_ports", "sequence", "syn", "ack", "missing")
        },
    )


RAW = 101
"""The link type of packets that begin with the header of IP."""
_IP_TUNNELS = {4: 228, 41: 229, 47: 65583}
"""The link types after headers of IP with these protocols: IPv4, IPv6 and GRE."""
_UDP_TUNNELS = {port: 131072 + port for port in (2152, 4789, 6081)}
"""The link types of what datagrams to these ports carry: GTP-U, VXLAN and GENEVE."""
TUNNELS_INSIDE = 4
"""So many tunnels are read inside each other."""
_LARGEST_LINK_TYPE = 65535
_LLC = 1500
"""Numbers up to this one are not EtherTypes but lengths, of frames that begin with an LLC header."""


@lru_cache(maxsize=16)
def _decoder(link_type: int, columns: tuple[str, ...] = COLUMNS) -> Decoder:
    return decoder_of(PACKETS, columns, link_type=link_type)


def _rows(packets: Packets, columns: tuple[str, ...] = COLUMNS) -> PacketRows:
    """Columns of packets."""
    decoder = _decoder(packets.link_type, columns)
    return PacketRows(cells.one_between(decoder, packets.buffer, packets.start, packets.stop))


def carried(packets: Packets, fragments: Fragments, stats: PacketStats, tunnels: int = 0) -> Iterator[Carried]:
    """What packets carry; see ``carried_by``. So many ``tunnels`` inside each other are read."""
    rows = _rows(packets, (*COLUMNS, _OTHERS) if tunnels else COLUMNS)
    others = np.flatnonzero(pc.equal(rows.column("message"), "unknown").fill_null(False))
    left = np.ones(len(packets.known), bool)
    for inner, which in tunnel_packets(rows, packets.known) if tunnels else ():
        left[which] = False
        yield from carried(inner, fragments, stats, tunnels - 1)
    others = others[left[others]]
    if len(others):
        stats.others += _contents(packets.part(others))
    yield from carried_by(rows, packets.known, fragments, stats, left, tunnels)


def tunnel_packets(rows: PacketRows, known: Array) -> Iterator[tuple[Packets, Array]]:
    """The packets in tunnels, those that begin with the same header together, and in which rows these are."""
    for column, numbers, payloads in (
        ("udp.destination_port", _UDP_TUNNELS, "udp.payload"),
        ("transport", _IP_TUNNELS, _OTHERS),
    ):
        there = rows.there(payloads)
        values = rows.numbers(column, there)
        for number, link_type in numbers.items():
            which = there[values == number]
            if len(which):
                yield Packets.of(link_type, taken(rows.column(payloads), which), known[which]), which


def _contents(packets: Packets) -> Counter[str]:
    """The contents of packets with neither TCP nor UDP: how many are of each IP protocol, of each EtherType, after each
    header that has no such numbers, and of link types that are not supported.
    """
    rows = _rows(packets, ("transport", "ether_type", "link_protocol"))
    kinds = tuple(rows.column(name) for name in ("transport", "ether_type", "link_protocol"))
    return Counter(
        _content(packets.link_type, *each) for each in zip(*(kind.to_pylist() for kind in kinds), strict=True)
    )


@lru_cache(maxsize=1024)
def _content(link_type: int, transport: int | None, ether_type: int | None, link_protocol: int | None) -> str:
    enums = import_module(f"wireloom_protocols.{PACKETS}.enums")
    if transport is not None:
        return _numbered("IP protocol", str(transport), enums.IpProtocol.label(transport))
    if ether_type is not None:
        return _numbered("EtherType", f"0x{ether_type:04x}", enums.EtherType.label(ether_type))
    if link_protocol is None:
        if link_type > _LARGEST_LINK_TYPE:
            return f"tunnel header {enums.Tunnel.label(link_type)}"
        return _numbered("link type", str(link_type), enums.LinkType.label(link_type))
    label = enums.EtherType.label(link_protocol)
    return f"behind {_numbered('EtherType', f'0x{link_protocol:04x}', label)}" if link_protocol > _LLC else "behind LLC"


def _numbered(kind: str, number: str, label: str | None) -> str:
    return f"{kind} {number} {label}" if label else f"{kind} {number}"


def carried_by(
    rows: PacketRows,
    known: Array,
    fragments: Fragments,
    stats: PacketStats,
    left: Array | None = None,
    tunnels: int = 0,
) -> Iterator[Carried]:
    """The contents of decoded packets, and of the ``fragments`` that they complete.

    ``stats`` counts the others. ``known`` is as in ``Packets``. ``left`` selects some of the packets; by default, all.
    """
    messages = rows.column("message")
    for each in (messages if left is None else messages.filter(as_arrow(left))).value_counts().to_pylist():
        match each["values"]:
            case "tcp" | "udp" as transport:
                which = rows.there(f"{transport}.source_port")
                which = which if left is None else which[left[which]]
                stats.packets[Fate.DAMAGED] += each["counts"] - len(which)
                if len(which):
                    yield _of(transport, which, rows, known)
            case "fragment":
                whole = _whole(rows, known, fragments)
                stats.packets[Fate.FRAGMENTS] += each["counts"] - len(whole.known)
                if len(whole.known):
                    yield from carried(whole, fragments, stats, tunnels)
            case other:
                stats.packets[Fate.NOT_TCP_OR_UDP if other else Fate.DAMAGED] += each["counts"]


def _whole(rows: PacketRows, known: Array, fragments: Fragments) -> Packets:
    """The packets that are whole with the fragments among others."""
    which = rows.there("fragment.data")
    ends = zip(*(_addresses(rows, end, which).to_pylist() for end in ("source", "destination")), strict=True)
    names = ("transport", "identification", "fragment_offset", "more_fragments")
    numbers = zip(*(rows.numbers(name, which).tolist() for name in names), strict=True)
    data = taken(rows.column("fragment.data"), which).to_pylist()
    made: dict[int, bytes] = {}
    for row, (source, target), (transport, number, at, more), part in zip(
        which.tolist(), ends, numbers, data, strict=True
    ):
        packet = fragments.take((source, target, transport, number), at, part, more=bool(more))
        if packet is not None:
            made[row] = packet
    return Packets.of(RAW, pa.array(made.values(), pa.binary()), known[list(made)])


def _addresses(found: PacketRows, end: str, rows: Array) -> pa.Array:
    """The addresses of one end, of either version of IP."""
    return pc.coalesce(*(taken(found.column(f"{version}.{end}"), rows) for version in ("ipv4", "ipv6")))


def _of(transport: str, which: Array, found: PacketRows, known: Array) -> Carried:
    texts = [_addresses(found, end, which) for end in ("source", "destination")]
    encoded = pa.chunked_array(texts).combine_chunks().dictionary_encode()
    ends = encoded.indices.to_numpy()

    def numbers(name: str) -> Array:
        there = transport == "tcp" or name in _SHARED
        return found.numbers(f"{transport}.{name}", which) if there else np.zeros(len(which), np.int64)

    data, start, stop = octets_of(taken(found.column(f"{transport}.payload"), which))
    has_data = numbers("rst") == 0  # else it may be a text that says why (RFC 9293, 3.5.3)
    return Carried(
        transport,
        encoded.dictionary.to_pylist(),
        ends[: len(which)],
        ends[len(which) :],
        numbers("source_port"),
        numbers("destination_port"),
        numbers("sequence"),
        numbers("syn"),
        numbers("ack"),
        start,
        np.where(has_data, stop, start),
        numbers("missing") * has_data,
        memoryview(data.data),
        known[which],
    )
