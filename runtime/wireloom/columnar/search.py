"""The search for the next record at many positions at once, with the result of the codec's ``Search``.

Positions whose header fields allow a record are proven together, and kept for the next search in the same window. What
is in doubt is left to the codec.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wireloom.buffers import Array, every
from wireloom.codec.checksums import Crc
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing as CodecFraming
from wireloom.codec.search import Found, Search
from wireloom.columnar import matching
from wireloom.columnar.batch import Batch
from wireloom.columnar.framing import Checksums, Framing, Lengths
from wireloom.columnar.prefix_checksums import PrefixChecksums
from wireloom.columnar.rows import Rows

FEW = 128
"""So many positions or fewer, up to the end of a window, are left to the codec."""
FEWEST, MOST = 512, 64 * 1024
"""Positions that are looked at together: more and more of them, as long as one search follows the other."""
MANY, SPREAD = 512, 6
"""Checksums are compared at every position if this many may be right, and ranges have few enough shapes."""


class Chain(NamedTuple):
    """Consecutive records, and ``gaps`` between them: malformed ranges, in the byte order of the record before."""

    start: Array
    stop: Array
    little: Array
    gaps: Array


class BulkSearch(Search):
    """The codec's search, for many records at once."""

    def __init__(self, framing: CodecFraming, bulk: Framing, parameters: Values, bound: int) -> None:
        super().__init__(framing, parameters, bound)
        self.bulk = bulk
        self.orders = framing.orders(parameters)
        self.reach = bulk.reach
        self._of: tuple[Any, int, int, bool] | None = None
        self._seen = _NOTHING
        self._count = FEWEST
        self._running = PrefixChecksums()

    def next(
        self,
        buffer: Any,
        start: int,
        end: int,
        *,
        base: int,
        final: bool,
        order: bool | None,
        whole: bool = False,
    ) -> Found:
        """As ``Search.next``."""
        self._enter(buffer, end, base, final=final)
        stop, at = end - self.reach + 1, start
        while stop - at > FEW:
            if not self._seen.start <= at < self._seen.stop:
                self._look(buffer, at, stop, end, final=final)
            for position, certain in self._seen.behind(at, end if whole else None):
                if certain:
                    return Found(position, True)
                found = self.at(buffer, position, end, base=base, final=final, order=order, whole=whole)
                if found is not None:
                    return found
            at = self._seen.stop
        return super().next(buffer, at, end, base=base, final=final, order=order, whole=whole)

    def chain(self, buffer: Any, at: int, end: int, *, base: int, final: bool, order: bool) -> Chain:
        """The records from ``at`` on, as far as all are certain and were looked at together; maybe none.

        ``order`` is that of the record before it.
        """
        self._enter(buffer, end, base, final=final)
        stop = end - self.reach + 1
        if at < stop and not (self._seen.start <= at and self._seen.reaches(at)):
            self._look(buffer, at, stop, end, final=final)
        found = self._seen.chain(at, end, order)
        return self._believed(found, buffer, end, base) if self.framing.sums_up else found

    def _believed(self, found: Chain, buffer: Any, end: int, base: int) -> Chain:
        """The records before the first one in doubt, which no other one follows."""
        alone = np.append(found.gaps - 1, len(found.start) - 1)
        for row in alone[(alone >= 0) & ~np.isin(alone, found.gaps)].tolist():
            first, order = int(found.start[row]), bool(found.little[row])
            if self.framing.doubted(buffer, first, end, self.parameters, little=order, sums=self.sums, base=base):
                start, stop, little, gaps = found
                return Chain(start[:row], stop[:row], little[:row], gaps[gaps < row])
        return found

    def _enter(self, buffer: Any, end: int, base: int, *, final: bool) -> None:
        """Forget the results of another window."""
        of = self._of
        if of is None or of[0] is not buffer or of[1:] != (end, base, final):
            self._of, self._seen, self._count, self._running = (
                (buffer, end, base, final),
                _NOTHING,
                FEWEST,
                PrefixChecksums(),
            )

    def _look(self, buffer: Any, start: int, stop: int, end: int, *, final: bool) -> None:
        """See what there is from ``start`` on, up to ``stop`` at most."""
        near = self._seen.start <= start < self._seen.stop + self._count
        self._count = min(self._count * 4, MOST) if near else FEWEST
        stop = min(start + self._count, stop)
        array = np.frombuffer(buffer, np.uint8)
        parts = [
            self._records(lengths, array, start, stop, end, little=little, final=final)
            for lengths in self.bulk.lengths
            for little in self.orders
        ]
        found = (np.concatenate(each) for each in zip(*parts, strict=True))
        position, length, little, certain = found
        order = np.argsort(position, kind="stable")
        position, length, little, certain = position[order], length[order], little[order], certain[order]
        if self.framing.doubts:
            likely = ~certain | self._followed(array, position + length, end, final=final)
            position, length, little, certain = position[likely], length[likely], little[likely], certain[likely]
        twice = np.flatnonzero(position[1:] == position[:-1])
        certain[twice] = certain[twice + 1] = False  # valid in both byte orders: the codec decides which
        if self.framing.doubts:
            certain[:] = False  # the codec finds what confirms it
        self._seen = _Seen(start, stop, position, length, little, certain)

    def _followed(self, array: Array, stop: Array, end: int, *, final: bool) -> Array:
        """Whether another record may begin where these stop. The codec decides on those too near to ``end``."""
        found = ~(final & (stop > end))
        rows = np.flatnonzero(stop + self.reach <= end)
        ends = np.full(len(rows), end)
        found[rows] = ~self.bulk.refuted(array, stop[rows], ends, self.parameters, orders=self.orders)
        return found

    def _records(
        self, lengths: Lengths, array: Array, start: int, stop: int, end: int, *, little: bool, final: bool
    ) -> tuple[Array, Array, Array, Array]:
        """(position, length, byte order, whether it is certain) of what may be such a record in this order."""
        selected = self._selected(lengths, array, start, stop, little=little)
        at, raw = np.arange(start, stop), None
        if selected is None or 2 * np.count_nonzero(selected) > len(at):
            raw = every(array, max(lengths.size, 1))[start:stop]
        else:
            at, selected = np.flatnonzero(selected) + start, None
        batch = Batch(array, at, np.full(len(at), end), self.parameters, little)
        rows = Rows.all(batch)
        length, refuted = lengths.tell(rows, raw)
        refuted |= lengths.doubted(rows)  # such a record is not searched for
        sure = ~(refuted | batch.doubtful) & (length > 0) & (length <= self.bound)
        if selected is not None:
            sure &= selected
            batch.doubtful &= selected
        if lengths.checksum is not None:
            if 4 * np.count_nonzero(sure) < len(at):
                likely = np.flatnonzero(sure)
                sure[likely] = self._proven(lengths, rows.only(likely), sure[likely], end, final=final)
            else:
                sure = self._proven(lengths, rows, sure, end, final=final)
        found = np.flatnonzero(sure | batch.doubtful)
        return at[found], length[found], np.full(len(found), little), ~batch.doubtful[found]

    def _proven(self, lengths: Lengths, at: Rows, sure: Array, end: int, *, final: bool) -> Array:
        """Which of the rows that are ``sure`` so far have the checksum that they should.

        Those that only more bytes can prove are in doubt.
        """
        if not sure.any():
            return sure
        sums, start = lengths.checksums(at), at.start
        open_ = sure & ~at.doubtful
        open_ &= np.logical_not(sums.impossible)
        needed = sums.needed
        if (most := int(np.max(needed))) > self.bound:
            open_ &= needed <= self.bound
        if most > end - start[-1]:
            reached = needed <= end - start
            if not final:
                at.doubt(open_ & ~reached)
            open_ &= reached
        rows = self._likely(sums, at, open_)
        if rows is None:
            rows = np.flatnonzero(open_)
        found = np.zeros(len(at), bool)
        found[rows[~sums.wrong(at.batch.buffer, start, rows, at.little, self._running.of)]] = True
        return found

    def _likely(self, sums: Checksums, at: Rows, open_: Array) -> Array | None:
        """The ``open_`` rows with a checksum that some row should have there, if that shows quicker for all of them.

        That is if ranges have few shapes: then checksums are compared at every position.
        """
        if not isinstance(sums.algorithm, Crc) or np.count_nonzero(open_) < MANY:
            return None
        low, span = int(at.start[0]), int(at.start[-1] - at.start[0]) + 1
        shapes: list[tuple[int, ...]] = []
        rest, most = open_.copy(), SPREAD * np.count_nonzero(open_) // span
        while rest[row := int(rest.argmax())]:
            if len(shapes) == most:
                return None
            shapes.append(tuple(each if isinstance(each, int) else int(each[row]) for each in sums.range))
            alike = [each == value for each, value in zip(sums.range, shapes[-1], strict=True) if each is not value]
            rest &= np.logical_not(np.logical_and.reduce(alike)) if alike else False
        hits = [self._hits(sums, at, low, span, *shape) for shape in shapes]
        places = np.unique(np.concatenate([np.zeros(0, np.int64), *hits]))
        rows = places if span == len(at) else _among(at.start - low, places)
        found: Array = rows[open_[rows]]
        return found

    def _hits(self, sums: Checksums, at: Rows, low: int, span: int, first: int, last: int, place: int) -> Array:
        """The places, from ``low`` on, with a checksum of this shape."""
        buffer = at.batch.buffer
        assert isinstance(sums.algorithm, Crc)
        count = min(span, len(buffer) - low - max(last, place + sums.kind.size) + 1)
        expected = self._running.everywhere(sums.algorithm, buffer, low + first, count, last - first)
        stored = every(buffer, sums.kind.size)[low + place : low + place + count]
        return np.flatnonzero(expected == sums.kind.of(stored, at.little))

    def _selected(self, lengths: Lengths, array: Array, start: int, stop: int, *, little: bool) -> Array | None:
        """The positions whose header fields select these lengths; None for all of them."""
        found: Array | None = None
        for name, offset, kind in self.bulk.match:
            if name in lengths.match:
                data = kind.of(every(array, kind.size)[start + offset : stop + offset], little)
                holds = matching.numbers(data, lengths.match[name])
                found = holds if found is None else found & holds
        return found


def _among(numbers: Array, wanted: Array) -> Array:
    """The places in ``numbers``, which ascend, of those ``wanted`` numbers that are among them."""
    places = np.minimum(numbers.searchsorted(wanted), len(numbers) - 1)
    found: Array = places[numbers[places] == wanted]
    return found


class _Seen:
    """What there is at the positions from ``start`` to ``stop``: records, and what the codec is to be asked about."""

    def __init__(self, start: int, stop: int, position: Array, length: Array, little: Array, certain: Array) -> None:
        self.start = start
        self.stop = stop
        self.position = position
        self.length = length
        self.little = little
        self.certain = certain

    def reaches(self, at: int) -> bool:
        """Whether there is one at ``at`` or later."""
        return bool(len(self.position)) and at <= int(self.position[-1])

    def behind(self, at: int, end: int | None) -> Iterator[tuple[int, bool]]:
        """(position, whether it is certain) from ``at`` on. Certain ones count only if they end before ``end``."""
        first = int(self.position.searchsorted(at))
        position, certain = self.position[first:], self.certain[first:]
        if end is not None:
            fits = ~certain | (position + self.length[first:] <= end)
            position, certain = position[fits], certain[fits]
        return zip(position.tolist(), certain.tolist(), strict=True)

    @cached_property
    def _following(self) -> list[int]:
        """For each, the number of the first one at its end or after it; -1 if it is not certain, or there is none."""
        following = self.position.searchsorted(self.position + self.length)
        return [*np.where(self.certain, following, -1).tolist(), -1]

    def chain(self, at: int, end: int, order: bool) -> Chain:
        """See ``BulkSearch.chain``."""
        following, number = self._following, int(self.position.searchsorted(at))
        numbers = []
        while following[number] >= 0:
            numbers.append(number)
            number = following[number]
        start, little = self.position[numbers], self.little[numbers]
        stop = start + self.length[numbers]
        whole = int(stop.searchsorted(end, "right"))
        start, stop, little = start[:whole], stop[:whole], little[:whole]
        before, order_before = np.append(at, stop)[:whole], np.append(order, little)[:whole]
        gaps = np.flatnonzero(start > before)
        return Chain(
            np.insert(start, gaps, before[gaps]),
            np.insert(stop, gaps, start[gaps]),
            np.insert(little, gaps, order_before[gaps]),
            gaps + np.arange(len(gaps)),
        )


_NO_ROWS = np.zeros(0, np.int64)
_NOTHING = _Seen(0, 0, _NO_ROWS, _NO_ROWS, _NO_ROWS.astype(bool), _NO_ROWS.astype(bool))
"""The results for no position at all."""
