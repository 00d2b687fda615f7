"""Captures cut window by window: sound records many at a time, and doubtful ones one by one.

A record is accepted here only if the codec's framing would accept it in the same byte order. Everything in doubt is
left to ``wireloom.codec.cutting.Cutter``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from wireloom.buffers import Array
from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter
from wireloom.columnar.framing import Framing
from wireloom.columnar.framing_errors import FramingErrors
from wireloom.columnar.hopping import Hop, Walk, hop_of
from wireloom.columnar.provenance import Provenance
from wireloom.columnar.search import BulkSearch

_NO_ROWS = np.zeros(0, np.int64)


class Pass(Protocol):
    """Finds and validates records in one pass, and may also decode them."""

    def run(self, buffer: Any, at: int, end: int, limit: int, bound: int, hop: Hop) -> tuple[Array, Array, Any] | None:
        """Where the records that begin from ``at`` to before ``limit`` start and stop, and their contents; None if they
        are few.

        None of them ends after ``end``, or has more than ``bound`` bytes.
        """
        ...


class Prover(Pass, Protocol):
    """Decodes no records, but also validates those that were found."""

    def __call__(self, buffer: Array, start: Array, stop: Array) -> Array:
        """As ``framing.Proof``."""
        ...


FindPass = Callable[[Mapping[str, Any], bool, Array, int, Hop], Pass | None]
"""Finds the pass for records of captures with some parameters and in a byte order, little-endian if true. The next ones
begin at a place in a buffer, and are followed by a hop.
"""


@dataclass(slots=True, eq=False)
class Window:
    """A piece of a capture in memory: its bytes from ``base`` on, up to the capture's end if ``final``."""

    buffer: Any
    base: int = 0
    final: bool = True


@dataclass(slots=True, eq=False)
class Cuts:
    """Records and malformed ranges in a window, with the errors that are known, by row.

    ``gaps`` are the rows of further malformed ranges, each between the end of a record and the next valid one.
    Positions count from the window's start. ``parameters`` are those of their capture. If it is the ``preamble``, the
    first row is the header of the capture. ``passed`` are their contents, if a ``Pass`` has found them. Those that were
    recorded in packets have a ``provenance``, and are in the window in any order.
    """

    window: Window
    start: Array
    stop: Array
    little: bool | Array
    parameters: Mapping[str, Any]
    errors: dict[int, DecodeError] = field(default_factory=dict)
    gaps: Array = field(default_factory=lambda: _NO_ROWS)
    preamble: bool = False
    passed: Any = None
    provenance: Provenance | None = None

    def end_with(self, error: DecodeError, *, whole: bool) -> bool:
        """Report in the last row that the capture is damaged after it, if that is possible, and return whether it is.

        It is if that row is malformed, or if a capture is one record as a ``whole``.
        """
        last = len(self.start) - 1
        if not whole and last not in self.errors:
            return False
        error.offset = self.window.base + int(self.start[last])
        self.errors[last] = error
        return True

    def malformed(self, row: int) -> bool:
        """Whether the row is known to be malformed before it is decoded."""
        return row in self.errors or bool((self.gaps == row).any())


_FIRST_ROOM = 64
"""How many records are followed at once after one in doubt; the number grows as long as all are sound.

If few are, valid records and the ranges between them are searched for together. If none are, the codec's framing cuts
more and more records alone, up to as many, until this is tried again.
"""


class Scanner:
    """Cuts windows of a capture into records, in groups of ``rows`` records or ``size`` bytes, and not many more.

    It begins at the place of the ``cutter`` in the capture. ``one_pass`` gives a ``Pass`` before each group.
    """

    def __init__(
        self,
        cutter: Cutter,
        framing: Framing,
        gaps: Callable[[Mapping[str, Any]], FramingErrors],
        proof: Callable[[Mapping[str, Any], bool], Prover | None],
        *,
        rows: int,
        size: int,
    ) -> None:
        self.cutter = cutter
        self.codec = cutter.framing
        self.bound = cutter.bound
        self.framing = framing
        self.rows = rows
        self.size = size
        self.gaps_of = gaps
        self.proof = proof
        self.one_pass: FindPass | None = None
        if not cutter.awaits:
            self._begin(cutter.parameters)
        self.room = _FIRST_ROOM
        self.patience = self.apart = 0
        self.broken = False

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the capture, with those in its header, and those found in its records, once these
        are read.
        """
        return self.cutter.parameters

    def _begin(self, parameters: Mapping[str, Any]) -> None:
        """Get ready for records of a capture with these parameters."""
        codec, known = self.codec, dict(parameters)
        self.orders = codec.orders(known)
        self.hops = {little: self._way(known, little=little) for little in self.orders}
        self.gaps = self.gaps_of(parameters)
        possible = codec.resync and self.framing.lengths
        self.search = BulkSearch(codec, self.framing, known, self.bound) if possible else None
        self.cutter.search = self.search or self.cutter.search

    def _way(self, parameters: dict[str, Any], *, little: bool) -> Hop | Walk:
        """How records in that byte order are followed."""
        hop = hop_of(self.framing, parameters, little=little)
        return hop if hop.possible else Walk(self.codec, parameters, little=little)

    def scan(
        self, window: Window, start: int = 0, limit: int | None = None, *, singly: bool = False
    ) -> Iterator[tuple[Cuts, int]]:
        """The records of a window that start before ``limit``, and where the next one starts, group by group.

        If the window is not final, bytes from the last such start on may be left. Records are cut ``singly`` where that
        is quicker, as in a small window.
        """
        end = len(window.buffer)
        limit = end if limit is None else limit
        array = np.frombuffer(window.buffer, np.uint8)
        self.cutter.find(window.buffer, start, end, base=window.base, final=window.final)
        group = _Group(window, self.parameters)
        at = start
        while at < end and (at < limit or self.cutter.lost):
            awaited = self.cutter.awaits
            rows = self.rows - group.count
            alone = singly and not awaited
            stretch = self._cut(window, at, limit, rows) if alone else self._stretch(window, array, at, limit, rows)
            if stretch is None:
                break
            at = group.add(stretch)
            if awaited or stretch.passed or group.count >= self.rows or at - group.first >= self.size:
                yield group.cuts(preamble=awaited and window.base + group.first == 0), at
                if awaited and not self.cutter.awaits:
                    self._begin(self.parameters)
                group = _Group(window, self.parameters)
        if group.count:
            yield group.cuts(), at

    def begins(self, cuts: Cuts, row: int) -> bool:
        """Whether a part of a capture may begin with a record: a valid one that depends on none before it."""
        if cuts.malformed(row) or cuts.preamble:
            return False
        buffer, start, final, known = cuts.window.buffer, int(cuts.start[row]), cuts.window.final, dict(cuts.parameters)
        return self.codec.decided(buffer, start, len(buffer), known, final=final, bound=self.bound)

    def _stretch(self, window: Window, array: Array, at: int, limit: int, rows: int) -> "_Stretch | None":
        """The next certain records, or else a single one as the codec cuts it; many if it alone can cut."""
        if self.cutter.awaits:
            return self._cut(window, at, limit, 1)
        if not self.framing.lengths:
            return self._cut(window, at, limit, rows)
        if not self.cutter.lost and not self.apart:
            ways = (self._searched, self._sound) if self.broken else (self._sound, self._searched)
            found = ways[0](window, array, at, limit, rows) or ways[1](window, array, at, limit, rows)
            calm = found is not None and len(found.start) >= _FIRST_ROOM * max(1, len(found.gaps))
            # Records to leave to the codec's framing when there is doubt again.
            self.patience = 0 if calm else 2 * self.patience + 1
            self.broken = found is not None and not calm and len(found.gaps) > 0
            if found is not None:
                return found
            self.apart = min(self.patience, _FIRST_ROOM)
        found = self._cut(window, at, limit, 1)
        if found is None:  # bytes after the window are cut off, which does not mean an error
            self.patience = self.apart = 0
        else:
            self.room, self.apart = _FIRST_ROOM, max(0, self.apart - 1)
        return found

    def _cut(self, window: Window, at: int, limit: int, rows: int) -> "_Stretch | None":
        """Records as the codec cuts them, up to the first malformed range."""
        first, error = at, None
        records: list[tuple[int, int, bool]] = []
        buffer, end = window.buffer, len(window.buffer)
        while not records or (len(records) < rows and at < min(limit, end) and at - first < self.size):
            record = self.cutter.cut(buffer, at, end, base=window.base, final=window.final)
            if record is None:
                break
            at += record.length
            records.append((record.offset, at, record.little))
            if (error := record.error) is not None:
                break
        if not records:
            return None
        start, stop, little = (np.array(each) for each in zip(*records, strict=True))
        alike = bool(little[0]) if len(records) == 1 else little
        return _Stretch(start, stop, alike, error)

    def _searched(self, window: Window, array: Array, at: int, limit: int, rows: int) -> "_Stretch | None":
        """The records that the search has validated, and the ranges between them."""
        order = self.cutter.order
        if self.search is None or not self.patience or order is None:
            return None
        found = self.search.chain(
            window.buffer, at, len(window.buffer), base=window.base, final=window.final, order=order
        )
        gaps, count = found.gaps, min(int(found.start.searchsorted(limit)), rows)
        if not window.final and not (settled := self.gaps.settled(array, found.start[gaps])).all():
            count = min(count, int(gaps[settled.argmin()]))
        if not count:
            return None
        gaps = gaps[: gaps.searchsorted(count)]
        self.cutter.order = bool(found.little[count - 1])
        return _Stretch(found.start[:count], found.stop[:count], found.little[:count], gaps=gaps)

    def _sound(self, window: Window, array: Array, at: int, limit: int, rows: int) -> "_Stretch | None":
        """The records that are found by their lengths from the first on, up to one in doubt."""
        order = self.cutter.order
        little = self.orders[0] if order is None else order
        hop = self.hops[little]
        if not hop.possible:
            return None
        end = len(window.buffer)
        near = end if not self.framing.ends else min(end, at + max(self.bound, self.size))
        known, proof = self.parameters, self.proof(self.parameters, little)
        if (order is not None or len(self.orders) == 1) and isinstance(hop, Hop) and not hop.ends:
            asked = self.one_pass if rows == self.rows else None
            for way in (asked and asked(known, little, array, at, hop), proof):
                found = None if way is None else self._passed(way, hop, window, at, limit, rows, little)
                if found is not None:
                    return found
        start, after = hop.follow(window.buffer, at, near, min(rows, self.room))
        stop, before = np.append(start[1:], after), int(start.searchsorted(limit))
        start, stop = start[:before], stop[:before]
        if not len(start):
            return None
        ends = np.full(len(start), end)
        good = self.framing.sound(array, start, stop, ends, known, bound=self.bound, little=little, proof=proof)
        count = len(good) if good.all() else int(np.argmin(good))
        if count and self.codec.sums_up and self._torn(window, int(start[count - 1]), little=little):
            count -= 1
        others = tuple(other for other in self.orders if other is not little)
        if not count or (order is None and not self._refuted(array, start[:1], ends[:1], others)):
            return None
        self.room = self.room * 4 if count == len(good) or stop[count] > end else _FIRST_ROOM
        self.cutter.order = little
        return _Stretch(start[:count], stop[:count], little)

    def _passed(
        self, one_pass: Pass, hop: Hop, window: Window, at: int, limit: int, rows: int, little: bool
    ) -> "_Stretch | None":
        """Records that are found in one pass, up to the last one that is certain without one after it. If they are
        decoded, that must be all of them.
        """
        end = min(len(window.buffer), at + self.size)
        found = one_pass.run(window.buffer, at, end, limit, self.bound, hop)
        if found is None:
            return None
        start, stop, passed = found
        count = len(start) if passed is not None else min(rows, len(start))
        if (self.codec.doubts or self.codec.sums_up) and self._torn(window, int(start[count - 1]), little=little):
            count -= 1
        if not count or (passed is not None and count < len(start)):
            return None
        self.cutter.order = little
        return _Stretch(start[:count], stop[:count], little, passed=passed)

    def _torn(self, window: Window, start: int, *, little: bool) -> bool:
        """Whether the length of a record is in doubt, should no other one follow it."""
        buffer, known, sums = window.buffer, self.cutter.parameters, self.cutter.search.sums
        doubt = self.codec.doubted(buffer, start, len(buffer), known, little=little, sums=sums, base=window.base)
        return bool(doubt)

    def _refuted(self, array: Array, start: Array, ends: Array, orders: tuple[bool, ...]) -> bool:
        """Whether the first record, with no other before it, cannot be a record in another byte order."""
        return bool(self.framing.refuted(array, start, ends, self.parameters, orders=orders).all())


@dataclass(slots=True, eq=False)
class _Stretch:
    """Consecutive records with ``gaps``, and perhaps a malformed range as the last one."""

    start: Array
    stop: Array
    little: bool | Array
    error: DecodeError | None = None
    gaps: Array = field(default_factory=lambda: _NO_ROWS)
    passed: Any = None


class _Group:
    """Stretches that become one batch."""

    def __init__(self, window: Window, parameters: Mapping[str, Any]) -> None:
        self.window = window
        self.parameters = parameters
        self.stretches: list[_Stretch] = []
        self.errors: dict[int, DecodeError] = {}
        self.gaps: list[Array] = []
        self.count = 0
        self.first = 0

    def add(self, stretch: _Stretch) -> int:
        """Where the next stretch begins."""
        if stretch.error is not None:
            self.errors[self.count + len(stretch.start) - 1] = stretch.error
        self.gaps.append(self.count + stretch.gaps)
        if not self.stretches:
            self.first = int(stretch.start[0])
        self.stretches.append(stretch)
        self.count += len(stretch.start)
        return int(stretch.stop[-1])

    def cuts(self, *, preamble: bool = False) -> Cuts:
        """The stretches as one."""
        known, errors = self.parameters, self.errors
        if len(self.stretches) == 1:
            (one,) = self.stretches
            return Cuts(self.window, one.start, one.stop, one.little, known, errors, one.gaps, preamble, one.passed)
        start, stop = (np.concatenate([getattr(s, name) for s in self.stretches]) for name in ("start", "stop"))
        orders = np.concatenate([np.broadcast_to(s.little, len(s.start)) for s in self.stretches])
        little = bool(orders[0]) if (orders == orders[0]).all() else orders
        return Cuts(self.window, start, stop, little, known, errors, np.concatenate(self.gaps), preamble)
