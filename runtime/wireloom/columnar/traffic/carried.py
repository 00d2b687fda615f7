"""What packets carry: segments of TCP and datagrams of UDP."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.columnar import cells
from wireloom.columnar.buffers import Array, octets_of
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.ledgers import Ledger
from wireloom.columnar.traffic.packets import Packets
from wireloom.columnar.traffic.rows import PacketRows, decoder_of

_ADDRESSES = ("ipv4.source", "ipv4.destination", "ipv6.source", "ipv6.destination")
_PORTS = ("source_port", "destination_port", "payload")
_TCP = ("sequence", "syn", "ack")
_COLUMNS = (
    "message",
    *_ADDRESSES,
    *(f"tcp.{name}" for name in (*_PORTS, *_TCP)),
    *(f"udp.{name}" for name in _PORTS),
    "_corrupt_reason",
)
_OTHERS = {None: "damaged or cut", "fragment": "fragments"}


@dataclass(frozen=True, slots=True)
class Carried:
    """What packets of one ``transport`` carry: the bytes from ``start`` to ``stop`` in ``data``.

    ``sources`` and ``destinations`` are numbers of ``addresses``. A row of ``packets`` has the number of the packet,
    its time and its offset. ``sequence`` and the flags ``syn`` and ``ack`` are zeros for UDP.
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
    data: memoryview
    packets: Array


@cache
def _decoder(link_type: int) -> Decoder:
    return decoder_of("packets", _COLUMNS, link_type=link_type)


def carried(packets: Packets, ledger: Ledger) -> Iterator[Carried]:
    """What the packets carry. ``ledger`` is told of those that carry nothing."""
    found = PacketRows(cells.one(_decoder(packets.link_type), packets.frames))
    for each in found.column("message").value_counts().to_pylist():
        message, count = each["values"], each["counts"]
        if message in ("tcp", "udp"):
            which = found.there(f"{message}.source_port")
            ledger.packets[_OTHERS[None]] += count - len(which)
            if len(which):
                yield _of(message, which, found, packets)
        else:
            ledger.packets[_OTHERS.get(message, "not TCP or UDP")] += count


def _of(transport: str, which: Array, found: PacketRows, packets: Packets) -> Carried:
    rows = pa.array(which)
    texts = [
        pc.coalesce(*(found.column(f"{version}.{end}").take(rows) for version in ("ipv4", "ipv6")))
        for end in ("source", "destination")
    ]
    encoded = pa.chunked_array(texts).combine_chunks().dictionary_encode()
    ends = encoded.indices.to_numpy()

    def numbers(name: str) -> Array:
        there = transport == "tcp" or name in _PORTS
        return found.numbers(f"{transport}.{name}", which) if there else np.zeros(len(which), np.int64)

    data, start, stop = octets_of(found.column(f"{transport}.payload").take(rows))
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
        stop,
        memoryview(data.data),
        np.stack([packets.numbers, packets.times, packets.offsets], axis=1)[which],
    )
