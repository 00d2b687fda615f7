"""Conversations over TCP: both directions of each connection, and connections that use the same ports again."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from wireloom.columnar.buffers import Array
from wireloom.columnar.traffic.carried import Carried
from wireloom.columnar.traffic.connections import Exchange, full, heard
from wireloom.columnar.traffic.courses import Course, Plain, Scanners, Sent
from wireloom.columnar.traffic.ledgers import Ledger
from wireloom.columnar.traffic.reassembly import NUMBERS, Delivered, Segments, Stream
from wireloom.columnar.traffic.wrapped import course_of
from wireloom.endpoints import Endpoints, Ports, is_client
from wireloom.options import Sender


class Said(NamedTuple):
    """Records that were sent in one direction of a connection."""

    found: Sent
    connection: str
    from_client: bool


class OneWay:
    """One direction of a connection: its stream, and the records in that. ``told`` is what was told of both."""

    def __init__(self, name: str, scanners: Scanners, told: set[str], *, from_client: bool) -> None:
        self.name = name
        self.scanners = scanners
        self.told = told
        self.from_client = from_client
        self.stream = Stream()
        self.course: Course | None = None

    def take(self, segments: Segments) -> Iterator[Said]:
        """The records that are complete with some segments."""
        begun = self.stream.expected is not None
        delivered = self.stream.take(segments)
        yield from self._follow(delivered, begun=begun)

    def skip(self, ledger: Ledger) -> Iterator[Said]:
        """Give up what is missing in front of what is waiting: the records behind it."""
        missing, delivered = self.stream.skip()
        ledger.lost(missing)
        if self.course is None:
            self.course = Plain(self.scanners)
        yield from self._said(self.course.lose(missing))
        yield from self._follow(delivered)

    def end(self, ledger: Ledger) -> Iterator[Said]:
        """All records that are left."""
        while self.stream.held:
            yield from self.skip(ledger)
        ledger.differing += self.stream.differing
        if self.course is not None:
            yield from self._said(self.course.take(Delivered(), final=True))

    def _follow(self, delivered: Delivered, *, begun: bool = True) -> Iterator[Said]:
        if not delivered.begins:
            return
        if self.course is None:
            self.course = course_of(self.scanners, delivered, self.told)
            if not begun:
                yield from self._said(self.course.lose(None))
        yield from self._said(self.course.take(delivered))

    def _said(self, records: Iterable[Sent]) -> Iterator[Said]:
        return (Said(each, self.name, self.from_client) for each in records)


class Dialogue:
    """What is said between two ends, connection after connection, as far as the ``sender`` says it. ``ports`` tell
    which end is the server where no SYN does; without them, that of the lower port is.
    """

    def __init__(self, endpoints: Endpoints, scanners: Scanners, ports: Ports, sender: Sender) -> None:
        self.endpoints = endpoints
        self.scanners = scanners
        self.sender = sender
        self.count = 0
        """How many connections there were before."""
        self.low_is_client = is_client(endpoints, ports)
        self.directions: dict[bool, OneWay] = {}
        self.told: set[str] = set()
        """What was told of the connection."""

    @property
    def held(self) -> int:
        """How many bytes wait for what is missing."""
        return sum(each.stream.held for each in self.directions.values())

    def take(self, exchange: Exchange, carried: Carried, ledger: Ledger) -> Iterator[Said]:
        """The records that are complete with more packets."""
        rows, at = exchange.rows, 0
        for number in np.flatnonzero(carried.syn[rows]).tolist():
            upward, opens = bool(exchange.upward[number]), not carried.ack[rows[number]]
            sequence = (int(carried.sequence[rows[number]]) + 1) % NUMBERS
            known = self.directions.get(upward)
            if known is not None and known.stream.first not in (None, sequence):
                yield from self._data(exchange.part(slice(at, number)), carried, ledger)
                yield from self.end(ledger)
                self.count += 1
                at = number
            if not self.directions:
                self.low_is_client = upward == opens
            stream = self._direction(upward).stream
            if stream.first is None:
                stream.begin(sequence)
        yield from self._data(exchange.part(slice(at, None)), carried, ledger)

    def end(self, ledger: Ledger) -> Iterator[Said]:
        """All records that are left."""
        for direction in self.directions.values():
            yield from direction.end(ledger)
        self.directions, self.told = {}, set()

    def skip(self, ledger: Ledger) -> Iterator[Said]:
        """Give up what is missing."""
        for direction in self.directions.values():
            while direction.stream.held:
                yield from direction.skip(ledger)

    def keep(self) -> None:
        """Keep what waits beyond the memory that it came in."""
        for direction in self.directions.values():
            direction.stream.keep()

    def _data(self, exchange: Exchange, carried: Carried, ledger: Ledger) -> Iterator[Said]:
        wanted = heard(exchange, carried, self.sender, ledger, low_is_client=self.low_is_client)
        every = full(exchange, carried)
        for way in (True, False):
            mine, others = (each.rows[each.upward == way] for each in (wanted, every))
            if len(mine):
                yield from self._direction(way).take(_segments(mine, carried))
            elif len(others):  # where they begin tells the next connection from this one
                self._direction(way).stream.meet(_segments(others, carried))

    def _direction(self, upward: bool) -> OneWay:
        if upward not in self.directions:
            name = f"{self.endpoints}#{self.count + 1}" if self.count else str(self.endpoints)
            client = upward == self.low_is_client
            self.directions[upward] = OneWay(name, self.scanners, self.told, from_client=client)
        return self.directions[upward]


def _segments(rows: Array, carried: Carried) -> Segments:
    """The segments in these rows; the SYN of a segment stands in front of its bytes."""
    sequence = carried.sequence[rows] + carried.syn[rows]
    return Segments(sequence, carried.start[rows], carried.stop[rows], carried.packets[rows], carried.data)
