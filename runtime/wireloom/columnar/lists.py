"""``Repeat``: lists of many rows at once, which end by a count, by their last item or with their section.

The position of an item is known only after all items before it. So items are read in turns. Each turn reads a stretch
of items of each row: those expected to have the size of the last one. If one has another size, the items after it are
read again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wireloom.columnar.arrays import Begun, Column, Lists, Structs, join
from wireloom.columnar.ascii import Ascii
from wireloom.columnar.buffers import Array, ragged
from wireloom.columnar.expressions import Vectorised
from wireloom.columnar.fields import Number, number
from wireloom.columnar.frames import Values
from wireloom.columnar.places import Scattered
from wireloom.columnar.refusals import Unit
from wireloom.columnar.rows import Rows
from wireloom.columnar.values import Blob, Nested, Size, Text, ValueReader
from wireloom.columnar.vectors import true

TILE = 128 * 1024
"""About how many items are read at once, so that they fit the processor's cache."""
GROWTH = 4
"""How much longer each stretch is than the one before, as long as items have the expected size."""
OFTEN = 1 / 4
"""The part of the rows in which items must be alike for long stretches to pay off: dropping items copies the others."""
FEW = 64
TURNS = 64
ALL_TURNS = 4096
"""A turn of few rows costs more than it is worth.

After so many of them for a list, unless it took as many turns before, rows are left to the codec; and after so many for
a batch, lists in lists included.
"""


class Repeat:
    """A list: ``count`` items, or up to and including the first for which ``until`` holds, or to the end of
    the section.

    ``hollow`` items may take no bytes. A list that has more of them than bytes are left is left to the codec. The
    expressions of ``numbered`` items depend on their numbers. If the list has a ``name``, items may use the one before
    them.
    """

    def __init__(
        self,
        item: ValueReader,
        *,
        weight: int,
        count: Vectorised | int | None = None,
        until: Vectorised | None = None,
        hollow: bool = False,
        numbered: bool = False,
        name: str | None = None,
    ) -> None:
        self.item = item
        self.weight = weight
        self.count = count
        self.until = until
        self.hollow = hollow
        self.numbered = numbered
        self.name = name
        self.size = _size(item, numbered=numbered) if until is None else None
        self.fixed = count * self.size if isinstance(count, int) and isinstance(self.size, int) else None

    def read(self, at: Rows, this: Values) -> Column:
        left = np.maximum(at.limit - at.at, 0)
        sizes = self._sizes(at, this, left)
        counts = self._counts(at, this, left, 1 if sizes is None else sizes)
        if counts is not None:
            if at.apart and sizes is not None and (over := at.count("apart", np.arange(len(at)), counts * sizes)).any():
                at.doubt(over)
                counts = np.where(over, 0, counts)
            at.batch.weigh(int(counts.sum()) * self.weight)
        lists = _Lists(self, at, this, counts, sizes)
        lists.read()
        at.move(lists.pos)
        return lists.column()

    def _sizes(self, at: Rows, this: Values, left: Array) -> Array | int | None:
        """The size of each row's items if all are the same; more than there are bytes if unknown."""
        if not callable(self.size):
            return self.size
        sizes, valid = number(self.size(this, at.record, at.frame), at)
        wrong = sizes <= 0
        return np.where(wrong if valid is None else wrong | ~valid, left + 1, sizes)

    def _counts(self, at: Rows, this: Values, left: Array, sizes: Array | int) -> Array | None:
        """How many items each row has, as far as that can be known before they are read."""
        if self.count is None:
            if self.size is None:
                return None
            counts: Array = left // sizes
            if (over := counts * sizes != left).any():
                if not isinstance(sizes, int):
                    at.doubt(over)
                    return counts
                counts = counts + over  # the last one is not whole, which shows when it is read
            return counts
        count = at.ask(self.count, this) if callable(self.count) else self.count
        counts, valid = number(count, at)
        wrong: Array = (counts < 0) | (counts > left // sizes)
        if valid is not None and not valid.all():
            at.doubt(~valid)
            wrong |= ~valid
        if wrong.any():
            self._refuse_count(at, wrong, counts, left)
            counts = np.where(wrong, 0, counts)
        return counts

    def _refuse_count(self, at: Rows, which: Array, counts: Array, left: Array) -> None:
        """Refuse rows with an impossible count; a count that is only too large for the items' size shows in an item."""
        smallest = self.item.size if isinstance(self.item, Number) else 1
        never = (counts < 0) | (False if self.hollow else counts > left // smallest)
        at.refuse(which & never, "count", at.at, counts, Unit("item"), " cannot stand in ", left, Unit("byte"))
        at.doubt(which & ~never)


def _size(item: ValueReader, *, numbered: bool) -> int | Vectorised | None:
    """The size of each row's items if all items of a row have the same size; None if they may differ."""
    if isinstance(item, Ascii | Blob | Nested | Text) and isinstance(item.extent, Size):
        return None if numbered else item.extent.size or None
    return item.fixed or None


@dataclass(slots=True, eq=False)
class _Turn:
    """The result of a turn for some ``rows``: ``count`` items of each, the ``first`` by its number in its list."""

    rows: Array
    first: Array
    count: Array
    items: Column

    def without(self, which: Array) -> "_Turn":
        """The items of the other rows."""
        kept = ~which[self.rows]
        if kept.all():
            return self
        items = self.items.take(np.flatnonzero(np.repeat(kept, self.count)))
        return _Turn(self.rows[kept], self.first[kept], self.count[kept], items)


class _Lists:
    """The lists of ``rows`` while they are read.

    Of each is known the ``count`` of items read, the place ``pos`` of the next one, the ``size`` that it is thought to
    have, and how long a ``stretch`` of such items may be; of all, how many bytes were ``left`` and are ``done``.
    """

    def __init__(self, kind: Repeat, rows: Rows, this: Values, counts: Array | None, sizes: Array | int | None) -> None:
        self.kind = kind
        self.rows = rows
        self.this = this
        self.counts = counts
        self.sized = sizes is not None
        self.pos = rows.at.copy()
        self.left = int((rows.limit - self.pos).sum())
        self.done = self.read_items = 0
        self.size = np.full(len(rows), -1 if sizes is None else sizes)
        self.stretch = np.full(len(rows), TILE if self.sized else 0)
        self.count = np.zeros(len(rows), np.int64)
        self.ended = rows.batch.doubtful[rows.index]
        self.turns: list[_Turn] = []

    def read(self) -> None:
        """Read all items, or as many as are not left to the codec."""
        turn = few = 0
        while len(going := np.flatnonzero(self._more())) or not self.turns:
            if (self.kind.name is not None or not self.sized) and 0 < len(going) < FEW:
                few += 1
                self.rows.batch.root.turns += 1
                if few > max(TURNS, turn - few) or self.rows.batch.root.turns > ALL_TURNS:
                    self.rows.doubt(going)
                    self.ended[going], going = True, going[:0]
            stretch, known = self._lengths(going), len(self.turns)
            for some in _tiles(stretch):
                self._turn(going[some], stretch[some])
            if self.kind.name is not None:
                self._show(self.turns[known:])
            turn += 1

    def _more(self) -> Array:
        """The rows that have one more item."""
        more: Array = ~self.ended
        if self.counts is not None:
            more &= self.count < self.counts
        elif self.kind.until is None:
            more &= self.pos < self.rows.limit
        return more

    def _lengths(self, going: Array) -> Array:
        """How many items of each row are read in the next turn."""
        stretch = np.clip(self.stretch[going], 1, TILE if self.kind.name is None else 1)
        if np.count_nonzero(stretch > 1) < OFTEN * len(stretch):
            return np.ones(len(going), np.int64)
        if self.counts is not None:
            stretch = np.minimum(stretch, self.counts[going] - self.count[going])
        if not self.sized:
            left = self.rows.limit[going] - self.pos[going]
            stretch = np.minimum(stretch, np.maximum(1, -(-left // np.maximum(self.size[going], 1))))
        found: Array = stretch
        return found

    def _turn(self, rows: Array, stretch: Array) -> None:
        """Read this many items of each row, and keep those up to the first of an unexpected size."""
        at = self.rows
        number = ragged(np.zeros(len(rows), np.int64), stretch)
        size = np.repeat(self.size[rows], stretch)
        start = np.repeat(self.pos[rows], stretch) + size * number
        inner = at.listed(start, rows, stretch)
        if self.kind.numbered:
            inner.frame.number(np.repeat(self.count[rows], stretch) + number)
        if (longest := int(size.max(initial=-1))) > 0:
            inner.ahead = min(longest, inner.ahead)
        inner.scattered = Scattered()
        items = self.kind.item.read(inner, Values(inner.selected, self.this))
        stop, until, doubtful = inner.at, self._until(inner, items), inner.batch.doubtful
        kept, last = stretch, np.arange(len(rows))
        if len(inner) > len(rows):
            ends = np.flatnonzero(doubtful | until | (stop - start != size))[::-1]
            kept = stretch.copy()
            kept[np.searchsorted(np.cumsum(stretch), ends, "right")] = number[ends] + 1
            last = np.cumsum(stretch) - stretch + kept - 1
            if (kept < stretch).any():
                items = items.take(np.flatnonzero(number < np.repeat(kept, stretch)))
        for taken, first, behind in inner.scattered:
            some = np.flatnonzero(number[taken] < np.repeat(kept, stretch)[taken])
            at.take(np.repeat(rows, stretch)[taken[some]], first[some], behind[some])
        self.turns.append(_Turn(rows, self.count[rows], kept, items))
        self._go_on(rows, kept, start[last], stop[last], doubtful[last] | until[last])
        if len(wrong := np.flatnonzero(doubtful[last])):
            at.adopt(inner.batch, last[wrong], rows[wrong], self.count[rows[wrong]] - 1)
        if not self.sized and (nothing := stop == start).any():
            self._bear(rows, nothing & (number < np.repeat(kept, stretch)), stretch)

    def _bear(self, rows: Array, empty: Array, stretch: Array) -> None:
        """Count items without bytes, and doubt lists that have too many of them, or any where they may have none."""
        count = np.bincount(np.repeat(np.arange(len(rows)), stretch)[empty], minlength=len(rows))
        doubtful = rows[self.rows.borrow(rows, count) if self.kind.hollow else count > 0]
        self.rows.doubt(doubtful)
        self.ended[doubtful] = True

    def _show(self, turns: Sequence[_Turn]) -> None:
        """Let the items that are read next use those that were read in these turns, one of each row."""
        assert self.kind.name is not None
        counts = np.zeros(len(self.rows), np.int64)
        for turn in turns:
            counts[turn.rows] = turn.count
        self.this.put(self.kind.name, Begun(counts, join(turn.items for turn in turns)))

    def _until(self, inner: Rows, items: Column) -> Array:
        """Which items are the last ones of their lists."""
        if self.kind.until is None:
            return np.zeros(len(inner), bool)
        assert isinstance(items, Structs)
        values = Values(inner.selected)
        values.columns = items.columns
        inner.frame = inner.inner  # it is asked as the expressions of items are
        found: Array = np.broadcast_to(true(inner.ask(self.kind.until, values)), len(inner))
        return found

    def _go_on(self, rows: Array, kept: Array, start: Array, stop: Array, ended: Array) -> None:
        """Move the rows past the last items that were kept."""
        size, items = stop - start, int(kept.sum())
        taken = stop - self.pos[rows]
        self.done += int(taken.sum())
        if self.rows.apart and not self.sized and (over := self.rows.count("apart", rows, taken)).any():
            self.rows.doubt(rows[over])
            ended = ended | over
        self.read_items += items
        self.ended[rows] = ended
        known = np.where(self.size[rows] < 0, size[:1], self.size[rows])
        self.stretch[rows] = np.where(size == known, np.maximum(1, GROWTH * self.stretch[rows]), 0)
        self.size[rows], self.pos[rows] = size, stop
        self.count[rows] += kept
        if self.counts is None:
            ahead = self.read_items * self.kind.weight * (self.left - self.done) / max(self.done, 1)
            self.rows.batch.weigh(items * self.kind.weight, ahead)

    def column(self) -> Column:
        """Everything read, as one list per row; empty in doubtful rows."""
        doubtful = self.rows.batch.doubtful[self.rows.index]
        counts = np.where(doubtful, 0, self.count)
        begin = np.cumsum(counts) - counts
        sound = [turn.without(doubtful) for turn in self.turns]
        items = join(turn.items for turn in sound)
        first = np.concatenate([begin[turn.rows] + turn.first for turn in sound])
        if (first[1:] < first[:-1]).any():
            count, order = np.concatenate([turn.count for turn in sound]), np.argsort(first)
            items = items.take(ragged((np.cumsum(count) - count)[order], count[order]))
        return Lists(counts, items)


def _tiles(stretch: Array) -> Iterator[slice]:
    """Numbers of rows that together have about as many items as are read at once."""
    tile = np.cumsum(stretch) // TILE
    ends = [*(np.flatnonzero(tile[1:] > tile[:-1]) + 1).tolist(), len(stretch)]
    return (slice(start, end) for start, end in zip([0, *ends], ends, strict=False))
