"""From segments of TCP to the bytes of a direction of a connection, in order, with gaps for bytes never captured."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from wireloom.buffers import Array

NUMBERS = 1 << 32
"""Sequence numbers wrap around after so many."""
_FEW, _MANY = 4, 1024
"""So many segments are taken one by one where they are out of order, and more and more as long as they stay so; so many
are looked at together.
"""

_FAR = 16 * 1024 * 1024
"""In bytes; captures reorder packets over much less."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Segments of one direction of a connection, in the order in which they were captured.

    ``sequence`` are the numbers of their first bytes, which are from ``start`` to ``stop`` in ``data``; ``packets`` are
    the rows of their packets.
    """

    sequence: Array
    start: Array
    stop: Array
    packets: Array
    data: memoryview

    def __len__(self) -> int:
        return len(self.sequence)


class Chunk(NamedTuple):
    """The bytes of one packet, and its row."""

    data: memoryview
    packet: list[int]


@dataclass(slots=True)
class Delivered:
    """Consecutive bytes of a stream, the places where those of each packet begin, and the rows of these packets."""

    data: list[memoryview] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    packets: list[list[int]] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Where they end."""
        return self.begins[0] + sum(map(len, self.data))

    def pieces(self) -> Iterator[tuple[int, Chunk]]:
        """The bytes of each packet, with where they begin."""
        data, ends = memoryview(b"".join(self.data)), [*self.begins[1:], None]
        for begin, end, packet in zip(self.begins, ends, self.packets, strict=False):
            yield begin, Chunk(data[begin - self.begins[0] : end and end - self.begins[0]], packet)

    def add(self, begin: int, piece: Chunk) -> None:
        """Have the bytes of one more packet."""
        self.data.append(piece.data)
        self.begins.append(begin)
        self.packets.append(piece.packet)

    def add_all(self, segments: Segments, which: slice, begins: Array) -> None:
        """Add the bytes of several segments, which begin at these places. Bytes adjacent in memory stay together."""
        start, stop = segments.start[which], segments.stop[which]
        if not len(start):
            return
        apart = np.flatnonzero(start[1:] != stop[:-1])
        firsts, lasts = start[np.append(0, apart + 1)], stop[np.append(apart, len(stop) - 1)]
        self.data += (segments.data[first:last] for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True))
        self.begins += begins.tolist()
        self.packets += segments.packets[which].tolist()


class Stream:
    """One direction of a connection. ``position`` is the number of bytes before the next one.

    ``expected`` is the sequence number of the next byte, and ``first`` was that of the first one; both are None before
    there is one.
    """

    __slots__ = ("_begins", "_waiting", "differing", "expected", "first", "held", "position")

    def __init__(self) -> None:
        self.expected: int | None = None
        self.first: int | None = None
        self.position = 0
        self.held = 0
        """How many bytes came too early, and wait for missing ones."""
        self.differing = 0
        """How many bytes came again with other values while the first ones were waiting."""
        self._begins: list[int] = []
        self._waiting: list[Chunk] = []

    def begin(self, sequence: int) -> None:
        """The first byte has this sequence number."""
        self.expected = self.first = sequence % NUMBERS

    def meet(self, segments: Segments) -> None:
        """Begin with these segments, unless something came before them."""
        if self.expected is None:
            self.begin(_least(segments.sequence))

    def take(self, segments: Segments) -> Delivered:
        """The bytes that follow the ones before, now that these segments came."""
        self.meet(segments)
        found = Delivered()
        at, step = 0, _FEW
        while at < len(segments):
            near = slice(at, at + _MANY)
            begins, sizes = self._places(segments.sequence[near]), segments.stop[near] - segments.start[near]
            fits = 0 if self._waiting else _in_order(begins, sizes, self.position)
            found.add_all(segments, slice(at, at + fits), begins[:fits])
            self._move(int(sizes[:fits].sum()))
            at += fits
            singly = slice(at, min(at + step, near.start + len(begins)))
            each = (segments.start[singly].tolist(), segments.stop[singly].tolist(), segments.packets[singly].tolist())
            for begin, start, stop, packet in zip(begins[fits : fits + step].tolist(), *each, strict=True):
                self._put(begin, Chunk(segments.data[start:stop], packet))
                self._follow(found)
            at = singly.stop
            step = _FEW if fits > step else min(4 * step, _MANY)
        return found

    def skip(self) -> tuple[int, Delivered]:
        """Give up the missing bytes before those that wait: how many they are, and the bytes after them."""
        found, missing = Delivered(), 0
        if self._begins:
            missing = self._begins[0] - self.position
            self._move(missing)
            self._follow(found)
        return missing, found

    def keep(self) -> None:
        """Copy the waiting bytes, so that they outlive the memory in which they came; copies stay as they are."""
        self._waiting = [Chunk(_kept(data), packet) for data, packet in self._waiting]

    def _places(self, sequence: Array) -> Array:
        """The places in the stream where segments begin; before ``position`` if their bytes came before."""
        assert self.expected is not None
        return self.position + _away(sequence, self.expected)

    def _move(self, size: int) -> None:
        assert self.expected is not None
        self.position += size
        self.expected = (self.expected + size) % NUMBERS

    def _follow(self, found: Delivered) -> None:
        """Take the waiting bytes that follow now."""
        count = 0
        while count < len(self._begins) and self._begins[count] == self.position:
            piece = self._waiting[count]
            found.add(self.position, piece)
            self.held -= len(piece.data)
            self._move(len(piece.data))
            count += 1
        del self._begins[:count], self._waiting[:count]

    def _put(self, begin: int, piece: Chunk) -> None:
        """Have a piece wait, but for bytes of which others came first."""
        end = begin + len(piece.data)
        at = max(begin, self.position)
        number = max(0, bisect_right(self._begins, at) - 1)
        while at < end:
            if number == len(self._begins) or end <= self._begins[number]:
                self._wait(number, at, piece.data[at - begin :], piece.packet)
                return
            first, other = self._begins[number], self._waiting[number].data
            if at < first:
                self._wait(number, at, piece.data[at - begin : first - begin], piece.packet)
                number, at = number + 1, first
            last = min(end, first + len(other))
            if at < last:
                self._compare(piece.data[at - begin : last - begin], other[at - first : last - first])
                at = last
            number += 1

    def _wait(self, number: int, at: int, data: memoryview, packet: list[int]) -> None:
        self._begins.insert(number, at)
        self._waiting.insert(number, Chunk(data, packet))
        self.held += len(data)

    def _compare(self, later: memoryview, first: memoryview) -> None:
        if later != first:
            self.differing += sum(map(int.__ne__, later, first))


def _kept(data: memoryview) -> memoryview:
    """Bytes in memory of their own."""
    return data if data.nbytes == memoryview(data.obj).nbytes else memoryview(bytes(data))


def are_far(sequence: Array, number: int) -> bool:
    """Whether any segment is so far from this number that the two are not of the same connection: it would have to be
    that late, or that early.
    """
    return bool((np.abs(_away(sequence, number)) > _FAR).any())


def _away(sequence: Array, number: int) -> Array:
    """How far sequence numbers are after another, or before it."""
    return ((sequence - number) & (NUMBERS - 1)).astype(np.uint32).view(np.int32).astype(np.int64)


def _least(sequence: Array) -> int:
    """The earliest of all numbers."""
    first = int(sequence[0])
    return first + int(_away(sequence, first).min())


def _in_order(begins: Array, sizes: Array, position: int) -> int:
    """How many segments, from the first on, each begin where the one before ends."""
    right = begins == position + np.cumsum(sizes) - sizes
    return len(right) if right.all() else int(right.argmin())
