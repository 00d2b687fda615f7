"""Connections: which packets are of one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wireloom.buffers import Array
from wireloom.columnar.traffic.packet_stats import Fate, PacketStats
from wireloom.columnar.traffic.payloads import Carried
from wireloom.endpoints import Endpoints, place
from wireloom.options import Sender

_PORTS = 1 << 16


@dataclass(frozen=True, slots=True)
class Exchange:
    """Packets between two ends, by their rows, in the order in which they were captured; ``upward`` are those from the
    low end to the high one.
    """

    endpoints: Endpoints
    rows: Array
    upward: Array

    def part(self, which: slice | Array) -> "Exchange":
        """Some of the packets."""
        return Exchange(self.endpoints, self.rows[which], self.upward[which])


def grouped(carried: Carried) -> Iterator[Exchange]:
    """What packets carry, by the ends that they are between."""
    order = sorted(range(len(carried.addresses)), key=lambda number: place(carried.addresses[number]))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    source = ranks[carried.sources] * _PORTS + carried.source_ports
    target = ranks[carried.destinations] * _PORTS + carried.destination_ports
    low, high, upward = np.minimum(source, target), np.maximum(source, target), source <= target
    rows = np.lexsort((high, low))
    firsts = np.flatnonzero(np.diff(low[rows], prepend=-1) | np.diff(high[rows], prepend=-1))
    for mine in np.split(rows, firsts[1:]):
        ends = [
            (carried.addresses[order[end // _PORTS]], end % _PORTS) for end in (int(low[mine[0]]), int(high[mine[0]]))
        ]
        yield Exchange(Endpoints(carried.transport, *ends), mine, upward[mine])


def full(exchange: Exchange, carried: Carried) -> Exchange:
    """The packets that carry data."""
    return exchange.part(carried.stop[exchange.rows] > carried.start[exchange.rows])


def heard(exchange: Exchange, carried: Carried, sender: Sender, stats: PacketStats, *, low_is_client: bool) -> Exchange:
    """The packets of the ``sender`` that carry data. ``stats`` counts all."""
    if sender is not Sender.BOTH:
        which = (exchange.upward == low_is_client) == (sender is Sender.CLIENT)
        stats.packets[Fate.OTHER_DIRECTION] += len(which) - int(np.count_nonzero(which))
        exchange = exchange.part(which)
    found = full(exchange, carried)
    stats.packets[Fate.READ] += len(found.rows)
    stats.packets[Fate.WITHOUT_DATA] += len(exchange.rows) - len(found.rows)
    stats.cut += int(np.count_nonzero(carried.missing[exchange.rows]))
    return found
