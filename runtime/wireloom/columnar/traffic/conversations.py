"""Conversations over TCP: both directions of each connection, and connections that use the same ports again."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from wireloom.buffers import Array
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.connections import Exchange, full, heard
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.payloads import Carried
from wireloom.columnar.traffic.reassembly import NUMBERS, Delivered, Segments, Stream, are_far
from wireloom.columnar.traffic.stream_readers import Sent, StreamReader
from wireloom.columnar.traffic.wrapped_streams import course_of
from wireloom.endpoints import Endpoints, Ports, is_client
from wireloom.options import Sender


class Said(NamedTuple):
    """Records that were sent in one direction of a connection."""

    found: Sent
    connection: str
    from_client: bool


class OneWay:
    """One direction of a connection: its stream, and the records in that."""

    __slots__ = ("course", "decoder", "stream")

    def __init__(self, decoder: Decoder) -> None:
        self.decoder = decoder
        self.stream = Stream()
        self.course: StreamReader | None = None

    def take(self, segments: Segments, other: StreamReader | None) -> Iterator[Sent]:
        """The records that are complete with some segments. ``other`` is what became of the other direction."""
        begun = self.stream.expected is not None
        delivered = self.stream.take(segments)
        if not delivered.begins:
            return
        if self.course is None:
            self.course = course_of(self.decoder, delivered, other, midway=not begun)
            if not begun:
                yield from self.course.lose(None)
        yield from self.course.take(delivered)

    def skip(self, stats: PacketStats, other: StreamReader | None) -> Iterator[Sent]:
        """Give up the missing bytes before those that wait, and read the records after them. ``other`` is as
        in ``take``.
        """
        missing, delivered = self.stream.skip()
        stats.lost(missing)
        if self.course is None:
            self.course = course_of(self.decoder, delivered, other, midway=True)
        yield from self.course.lose(missing)
        yield from self.course.take(delivered)

    def end(self, stats: PacketStats, other: StreamReader | None) -> Iterator[Sent]:
        """All records that are left. ``other`` is as in ``take``."""
        while self.stream.held:
            yield from self.skip(stats, other)
        stats.differing += self.stream.differing
        if self.course is not None:
            yield from self.course.take(Delivered(), final=True)


class Dialogue:
    """The connections between two ends, one after another, as far as the ``sender`` sent them.

    If there is no SYN, ``ports`` determine which end is the server; without them, it is the one with the lower port.
    """

    __slots__ = ("count", "decoder", "directions", "endpoints", "low_is_client", "sender")

    def __init__(self, endpoints: Endpoints, decoder: Decoder, ports: Ports, sender: Sender) -> None:
        self.endpoints = endpoints
        self.decoder = decoder
        self.sender = sender
        self.count = 0
        """How many connections there were before."""
        self.low_is_client = is_client(endpoints, ports)
        self.directions: dict[bool, OneWay] = {}

    @property
    def held(self) -> int:
        """How many bytes wait for missing ones."""
        return sum(each.stream.held for each in self.directions.values())

    def take(self, exchange: Exchange, carried: Carried, stats: PacketStats) -> Iterator[Said]:
        """The records that are complete with more packets."""
        rows, at = exchange.rows, 0
        for number in np.flatnonzero(carried.syn[rows]).tolist():
            upward, opens = bool(exchange.upward[number]), not carried.ack[rows[number]]
            sequence = (int(carried.sequence[rows[number]]) + 1) % NUMBERS
            before = exchange.part(slice(at, number))
            if self._is_another(before, carried, sequence, upward=upward):
                yield from self._data(before, carried, stats)
                yield from self.end(stats)
                self.count += 1
                at = number
            if not self.directions:
                self.low_is_client = upward == opens
            stream = self._direction(upward).stream
            if stream.first is None:
                stream.begin(sequence)
        yield from self._data(exchange.part(slice(at, None)), carried, stats)

    def end(self, stats: PacketStats) -> Iterator[Said]:
        """All records that are left."""
        for upward, direction in self.directions.items():
            yield from self._said(direction.end(stats, self._course(not upward)), upward)
        self.directions = {}

    def skip(self, stats: PacketStats) -> Iterator[Said]:
        """Give up missing bytes."""
        for upward, direction in self.directions.items():
            while direction.stream.held:
                yield from self._said(direction.skip(stats, self._course(not upward)), upward)

    def keep(self) -> None:
        """Keep what waits beyond the memory that it came in."""
        for direction in self.directions.values():
            direction.stream.keep()

    def _data(self, exchange: Exchange, carried: Carried, stats: PacketStats) -> Iterator[Said]:
        wanted = heard(exchange, carried, self.sender, stats, low_is_client=self.low_is_client)
        every = wanted if self.sender is Sender.BOTH else full(exchange, carried)
        # The client first: its requests determine how the responses are read.
        for way in (self.low_is_client, not self.low_is_client):
            mine, others = (each.rows[each.upward == way] for each in (wanted, every))
            if len(mine):
                direction, other = self._direction(way), self._course(not way)
                yield from self._said(direction.take(_segments(mine, carried), other), way)
            elif len(others):  # their start distinguishes the next connection from this one
                self._direction(way).stream.meet(_segments(others, carried))

    def _is_another(self, exchange: Exchange, carried: Carried, sequence: int, *, upward: bool) -> bool:
        """Whether the SYN after these packets begins another connection, whose first byte has this number."""
        known = self.directions.get(upward)
        if known is not None and known.stream.first is not None:
            return known.stream.first != sequence
        rows = full(exchange.part(exchange.upward == upward), carried).rows
        return are_far(carried.sequence[rows], sequence)

    def _course(self, upward: bool) -> StreamReader | None:
        """What became of a direction, if that is known."""
        direction = self.directions.get(upward)
        return None if direction is None else direction.course

    def _direction(self, upward: bool) -> OneWay:
        if upward not in self.directions:
            self.directions[upward] = OneWay(self.decoder)
        return self.directions[upward]

    def _said(self, records: Iterable[Sent], upward: bool) -> Iterator[Said]:
        for each in records:
            name = f"{self.endpoints}#{self.count + 1}" if self.count else str(self.endpoints)
            yield Said(each, name, upward == self.low_is_client)


def _segments(rows: Array, carried: Carried) -> Segments:
    """The segments in these rows; the SYN of a segment is before its bytes."""
    sequence = carried.sequence[rows] + carried.syn[rows]
    return Segments(sequence, carried.start[rows], carried.stop[rows], carried.packets[rows], carried.data)
