"""Which stretches of a buffer are records: lengths followed one after the other, and proven many at a time.

A record is taken for one here only if the codec's own framing would take it for one, in the same byte order. Whatever
is in doubt is left to ``wireloom.codec.framing.Cutter``, record by record.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wireloom.codec import DecodeError
from wireloom.codec.framing import Cutter
from wireloom.codec.framing import Framing as CodecFraming
from wireloom.columnar import accel, checksums
from wireloom.columnar.arrays import Numbers
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.fields import Checksum, Expression, Number, number
from wireloom.columnar.rows import Batch, Rows
from wireloom.columnar.vectors import true

Probe = tuple[str, int, str]
"""A number that is read before its record is: name, offset, code (see ``Number``)."""


class Lengths:
    """The length of the records that ``match`` selects, and when it can be believed, as in the codec.

    ``linear`` is the length as a number and what each probe adds to it, times a factor; None if it is no such sum.
    """

    def __init__(
        self,
        *probes: Probe,
        length: Expression,
        linear: tuple[int, Mapping[str, int]] | None = None,
        match: Mapping[str, tuple[int, ...]] | None = None,
        valid: Expression | None = None,
        checksum: tuple[str, Checksum] | None = None,
    ) -> None:
        self.probes = [(name, offset, Number(code)) for name, offset, code in probes]
        self.length = length
        self.linear = linear
        self.match = match or {}
        self.valid = valid
        self.checksum = checksum
        self.size = max((offset + number.size for _, offset, number in self.probes), default=0)

    def measure(self, at: Rows) -> tuple[Array, Array]:
        """The length of each record, and which are refuted; of rows in doubt nothing is known."""
        this = at.record
        at.need(self.size)
        raw = windows(at.batch.buffer, at.at, max(self.size, 1))
        for name, offset, kind in self.probes:
            this.put(name, Numbers(kind.check(at, kind.of(raw, at.little, offset))))
        refuted = np.zeros(len(at), bool)
        if self.valid is not None:
            refuted |= np.logical_not(true(self.valid(this, this, at.frame)))
        if self.checksum is not None:
            name, checksum = self.checksum
            sound = np.flatnonzero(~at.batch.doubtful[at.index] & ~refuted)
            refuted[checksums.wrong(checksum, at, this, sound, this[name].data)] = True
        length, valid = number(self.length(this, this, at.frame), at)
        if valid is not None and not valid.all():
            at.doubt(~valid)
        return length, refuted


class Framing:
    """How a protocol's captures fall into records; ``match`` are the probes that tell which of ``lengths`` holds."""

    def __init__(self, *lengths: Lengths, match: tuple[Probe, ...] = ()) -> None:
        self.lengths = lengths
        self.match = [(name, offset, Number(code)) for name, offset, code in match]

    def proven(
        self, buffer: Array, start: Array, stop: Array, parameters: Mapping[str, Any], *, little: bool
    ) -> tuple[Array, Array]:
        """The length of the record at each ``start``, were it of that byte order, and which cannot be one.

        The length is -1 where it is not proven; then it may be in doubt. No proof looks behind ``stop``.
        """
        batch = Batch(buffer, start, stop, parameters, little)
        every = Rows.all(batch)
        found = np.zeros(len(start), np.int64)
        refuted = np.ones(len(start), bool)
        free = refuted.copy()
        for lengths in self.lengths:
            mine = free & self._selects(every, lengths) if self.match else free
            free = free & ~mine
            if mine.all():
                found, refuted = lengths.measure(every)
            elif mine.any():
                inner, _ = every.only(np.flatnonzero(mine), every.record)
                found[mine], refuted[mine] = lengths.measure(inner)
        refuted &= ~batch.doubtful
        return np.where(batch.doubtful | refuted, -1, found), refuted

    def _selects(self, at: Rows, lengths: Lengths) -> Array:
        holds = np.ones(len(at), bool)
        for name, offset, kind in self.match:
            at.need(offset + kind.size)
            data = kind.of(windows(at.batch.buffer, at.at + offset, kind.size), at.little)
            holds &= np.isin(data, lengths.match[name]) if name in lengths.match else True
        return holds


class Hop:
    """Follows lengths from record to record, and believes them all; only sums of numbers can be followed.

    Which of several lengths holds has to show in one byte, or there is nothing to follow.
    """

    def __init__(self, framing: Framing, *, little: bool) -> None:
        self.possible = False
        self.reach = max((lengths.size for lengths in framing.lengths), default=0)
        self.selector = -1
        self.select = np.zeros(256, np.int64)
        if len(framing.lengths) > 1:
            names = {name for lengths in framing.lengths for name in lengths.match}
            probes = [probe for probe in framing.match if probe[0] in names]
            if len(probes) != 1 or probes[0][2].size != 1 or probes[0][2].kind != "u":
                return
            name, self.selector, _ = probes[0]
            self.reach = max(self.reach, self.selector + 1)
            self.select[:] = -1
            for index, lengths in reversed(list(enumerate(framing.lengths))):
                self.select[list(lengths.match[name])] = index
        if not framing.lengths:
            return
        self.constants: list[int] = []
        self.terms: list[list[tuple[int, Number, int]]] = []
        for lengths in framing.lengths:
            kinds = {name: (offset, kind) for name, offset, kind in lengths.probes}
            if lengths.linear is None or any(_strange(kinds[name][1]) for name in lengths.linear[1]):
                return
            self.constants.append(lengths.linear[0])
            self.terms.append([(*kinds[name], factor) for name, factor in lengths.linear[1].items()])
        self.possible = True
        self.readers = [self._reader(terms, little=little) for terms in self.terms]
        self.table = np.array(
            [
                (index, offset, kind.size, kind.kind == "i", kind.format(little=little)[0] == "<", factor)
                for index, terms in enumerate(self.terms)
                for offset, kind, factor in terms
            ],
            np.int64,
        ).reshape(-1, 6)

    @staticmethod
    def _reader(terms: list[tuple[int, Number, int]], *, little: bool) -> Callable[[Any, int], tuple[int, ...]]:
        """What reads the variable part of a length, as a tuple of one; a single plain number is the quick case."""
        codes = []
        for offset, kind, _ in terms:
            order, code = kind.format(little=little)[0], _CODES[f"{kind.kind}{kind.size}"]
            codes.append(struct.Struct(f"{order}{offset}x{code}").unpack_from)
        factors = [factor for _, _, factor in terms]

        def total(buffer: Any, at: int) -> int:
            return sum(factor * read(buffer, at)[0] for read, factor in zip(codes, factors, strict=True))

        return codes[0] if factors == [1] else lambda buffer, at: (total(buffer, at),)

    def follow(self, buffer: Any, at: int, end: int, room: int) -> tuple[Array, int]:
        """Where up to ``room`` records from ``at`` on start, and where the last would end, be it past ``end``."""
        last = end - self.reach
        if accel.ENABLED:
            return accel.follow(buffer, at, last, room, self)
        offsets = [0] * room
        count, at = (self._one if self.selector < 0 else self._several)(buffer, at, last, offsets)
        return np.array(offsets[:count], np.int64), min(at, end + 1)  # a length may be larger than numpy's numbers

    def _one(self, buffer: Any, at: int, last: int, offsets: list[int]) -> tuple[int, int]:
        """Every record's length is found alike. This loop is what a record costs without the accelerator."""
        read, constant, room, count = self.readers[0], self.constants[0], len(offsets), 0
        while at <= last and count < room:
            offsets[count] = at
            count += 1
            (length,) = read(buffer, at)
            length += constant
            if length <= 0:
                break
            at += length
        return count, at

    def _several(self, buffer: Any, at: int, last: int, offsets: list[int]) -> tuple[int, int]:
        select, selector, room, count = self.select.tolist(), self.selector, len(offsets), 0
        while at <= last and count < room:
            offsets[count] = at
            count += 1
            index = select[buffer[at + selector]]
            if index < 0:
                break
            (length,) = self.readers[index](buffer, at)
            length += self.constants[index]
            if length <= 0:
                break
            at += length
        return count, at


_CODES = {"u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q"}


def _strange(kind: Number) -> bool:
    """Whether it is a number that lengths are not followed by."""
    return kind.boolean or f"{kind.kind}{kind.size}" not in _CODES


@dataclass(slots=True)
class Window:
    """A piece of a capture in memory: its bytes from ``base`` on, up to the capture's end if ``final``."""

    buffer: Any
    base: int = 0
    final: bool = True


@dataclass(slots=True)
class Cuts:
    """Records, and malformed ranges with their errors by row, in a window. Positions count from its start."""

    window: Window
    start: Array
    stop: Array
    little: bool | Array
    errors: dict[int, DecodeError] = field(default_factory=dict)


_FIRST_ROOM = 64
"""Records that are followed at once behind one in doubt, and more and more as long as all are sound.

Where few are, the codec's framing gets more and more records to itself, up to as many, until it is tried again.
"""


class Scanner:
    """Cuts windows of a capture into records, ``rows`` of them or ``size`` bytes together, and not many more."""

    def __init__(
        self,
        codec: CodecFraming,
        framing: Framing,
        parameters: Mapping[str, Any],
        *,
        max_record_bytes: int,
        rows: int,
        size: int,
    ) -> None:
        self.codec = codec
        self.framing = framing
        self.parameters = parameters
        self.bound = max_record_bytes
        self.rows = rows
        self.size = size
        self.orders = codec.orders(dict(parameters))
        self.little = self.orders[0]
        self.hops = {little: Hop(framing, little=little) for little in self.orders}
        self.cutter = Cutter(codec, dict(parameters), max_record_bytes)
        self.room = _FIRST_ROOM
        self.patience = self.apart = 0

    def scan(self, window: Window, start: int = 0, limit: int | None = None) -> Iterator[tuple[Cuts, int]]:
        """The records of a window that start before ``limit``, and where the next one starts, group by group.

        Of a window that is not final, the last bytes may be left: those from the last place told.
        """
        end = len(window.buffer)
        limit = end if limit is None else limit
        array = np.frombuffer(window.buffer, np.uint8)
        group = _Group(window)
        at = start
        while at < end and (at < limit or self.cutter.lost):
            stretch = self._stretch(window, array, at, limit, self.rows - group.count)
            if stretch is None:
                break
            at = group.add(stretch)
            if group.count >= self.rows or at - group.first >= self.size:
                yield group.cuts(), at
                group = _Group(window)
        if group.count:
            yield group.cuts(), at

    def _stretch(self, window: Window, array: Array, at: int, limit: int, rows: int) -> "_Stretch | None":
        """The next records that are sound, or else one as the codec sees it."""
        if self.cutter.range is None and not self.apart:
            found = self._sound(window, array, at, limit, min(rows, self.room))
            # Records to leave to the codec's framing when there is doubt again.
            self.patience = 0 if found is not None and len(found.start) >= _FIRST_ROOM else 2 * self.patience + 1
            if found is not None:
                return found
            self.apart = min(self.patience, _FIRST_ROOM)
        self.room, self.apart = _FIRST_ROOM, max(0, self.apart - 1)
        record = self.cutter.cut(window.buffer, at, len(window.buffer), base=window.base, final=window.final)
        if record is None:
            return None
        start, stop = np.array([record.offset]), np.array([record.offset + record.length])
        if record.error is None:
            self.little = record.little
        return _Stretch(start, stop, record.little, record.error)

    def _sound(self, window: Window, array: Array, at: int, limit: int, room: int) -> "_Stretch | None":
        hop = self.hops[self.little]
        if not hop.possible:
            return None
        end = len(window.buffer)
        start, after = hop.follow(window.buffer, at, end, room)
        start = start[: np.searchsorted(start, limit)]
        if not len(start):
            return None
        stop = np.append(start[1:], after)
        length = stop - start
        ends = np.full(len(start), end)
        sound, _ = self.framing.proven(array, start, ends, self.parameters, little=self.little)
        good = (sound == length) & (length > 0) & (length <= self.bound) & (stop <= end)
        for little in self.orders[: self.orders.index(self.little)]:
            # A record that proves itself in a byte order that is tried earlier is of that order.
            good &= self.framing.proven(array, start, ends, self.parameters, little=little)[1]
        count = len(good) if good.all() else int(np.argmin(good))
        if not count:
            return None
        self.room = self.room * 4 if count == len(good) else _FIRST_ROOM
        return _Stretch(start[:count], stop[:count], self.little, None)


@dataclass(slots=True)
class _Stretch:
    """Records one behind the other in one byte order, or one malformed range."""

    start: Array
    stop: Array
    little: bool
    error: DecodeError | None


class _Group:
    """Stretches that become one batch."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.stretches: list[_Stretch] = []
        self.errors: dict[int, DecodeError] = {}
        self.count = 0
        self.first = 0

    def add(self, stretch: _Stretch) -> int:
        """Where the next stretch begins."""
        if stretch.error is not None:
            self.errors[self.count] = stretch.error
        if not self.stretches:
            self.first = int(stretch.start[0])
        self.stretches.append(stretch)
        self.count += len(stretch.start)
        return int(stretch.stop[-1])

    def cuts(self) -> Cuts:
        """All of them."""
        start, stop = (np.concatenate([getattr(s, name) for s in self.stretches]) for name in ("start", "stop"))
        orders = {stretch.little for stretch in self.stretches}
        little: bool | Array = orders.pop() if len(orders) == 1 else self._orders()
        return Cuts(self.window, start, stop, little, self.errors)

    def _orders(self) -> Array:
        return np.concatenate([np.full(len(s.start), s.little) for s in self.stretches])


class Pieces:
    """Windows over a stream, about ``size`` bytes at a time.

    After each window its consumer says with ``keep`` from which position on it needs the bytes again. ``final`` is
    whether the capture ends where the stream ends.
    """

    def __init__(self, read: Callable[[int], bytes], size: int, base: int, final: bool) -> None:
        self.read = read
        self.size = size
        self.window = Window(b"", base, final=False)
        self.final = final

    def __iter__(self) -> Iterator[Window]:
        ended = False
        while not ended:
            size = self.size
            more, failure = self._filled(size)
            ended = len(more) < size
            final = ended and self.final and failure is None
            self.window = Window(self.window.buffer + more, self.window.base, final)
            yield self.window
            if failure is not None:
                raise failure

    def _filled(self, size: int) -> tuple[bytes, OSError | None]:
        """The next ``size`` bytes, or all up to the stream's end, or to where it cannot be read, with the error."""
        parts: list[bytes] = []
        left, failure = size, None
        try:
            while left and (part := self.read(left)):
                parts.append(part)
                left -= len(part)
        except OSError as error:
            failure = error
        return parts[0] if len(parts) == 1 else b"".join(parts), failure

    def keep(self, position: int) -> None:
        """Forget what stands in front of ``position``."""
        window = self.window
        self.window = Window(window.buffer[position:], window.base + position, window.final)
        if not position:
            self.size *= 2  # a record larger than a piece is not to be copied piece by piece
