"""Many records being read: a cursor and a limit per row, and the treatment of rows that look wrong.

Rows whose bytes look wrong, or cannot be handled here, are ``doubtful`` and continue with harmless values. In the end
the codec decodes them again, except those that are refused, because it is known what the codec would say.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from wireloom.codec.reader import Reader
from wireloom.columnar.batch import Batch, Often
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.frames import Frame, Selected, Values
from wireloom.columnar.places import Scattered
from wireloom.columnar.refusals import Path, Refusal, Unit, Words, path_of

AHEAD = 32
"""How many bytes of each row are fetched together at least, since each fetch costs numpy the same."""


class Rows:
    """Rows that are read in the same way from here on.

    ``index`` are their records in the batch, ``pos + shift`` is the cursor and ``limit`` the end of the innermost
    section, in positions of the buffer. ``path`` is the codec's path of the field being read, ``inner`` has the places
    in the struct that was read last.
    """

    def __init__(
        self,
        batch: Batch,
        index: Array,
        pos: Array,
        limit: Array,
        *,
        shift: int = 0,
        chosen: Array | None = None,
        outer: "Rows | None" = None,
    ) -> None:
        self.selected = Selected(batch, index, chosen)
        self.batch = batch
        self.index = index
        self.pos = pos
        self.limit = limit
        self.shift = shift
        self.little: bool | Array = _each(batch.little, index)
        """The byte order of each row."""
        self.frame = self.inner = Frame(self.selected)
        self.record: Values = Values(self.selected, None if outer is None else outer.record)
        self.outer = outer
        self.scattered: Scattered | None = None if outer is not None else Scattered()
        """The parts read out of sequence in the innermost region, if that was entered in these rows."""
        self.path: Path = ()
        self.apart: bool = outer is not None and outer.apart
        """Whether the rows are at offsets, where several may read the same bytes."""
        self.kept: Array | None = None
        """The rows with bytes for the ``raw`` column of the value that is read next, if it has one."""
        self.ahead = AHEAD
        self._fetched: tuple[Array, Array | None, int] = np.zeros(0, "V1"), None, 0
        """The bytes that were fetched together, and where the cursors were: ``pos`` and ``shift``."""

    @classmethod
    def all(cls, batch: Batch) -> "Rows":
        """All records of a batch, from their start to their end."""
        return cls(batch, np.arange(len(batch.start)), batch.start, batch.limit)

    def __len__(self) -> int:
        return len(self.pos)

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.selected.doubt(which)

    def keep(self, which: Array) -> None:
        """Keep the bytes of values that are written otherwise, or doubt the rows if no column is for them."""
        if self.kept is None:
            self.doubt(which)
        else:
            self.kept |= which

    @property
    def start(self) -> Array:
        """Where each row's record starts."""
        return self.selected.start

    @property
    def at(self) -> Array:
        """The cursors."""
        return self.pos + self.shift if self.shift else self.pos

    @contextmanager
    def within(self, step: str | Array) -> Iterator[None]:
        """Rows refused meanwhile have ``step`` in their path: a name, or an item number for each row."""
        outer = self.path
        self.path = (*outer, step)
        yield
        self.path = outer

    def refuse(self, which: Array, code: str, place: Array, *detail: Words) -> None:
        """Refuse the rows in the mask ``which`` with the codec's reason.

        Different texts in ``detail`` are those of the selected rows; numbers are those of all rows.
        """
        batch = self.batch
        if batch.untold is not None:
            self.doubt(which & batch.untold[self.index])
        rows = np.flatnonzero(which)
        among = np.flatnonzero(~batch.doubtful[self.index[rows]])
        if not len(among):
            return
        rows = rows[among]
        records = self.index[rows]
        said = tuple(_words_of(words, rows, among) for words in detail)
        batch.doubtful[records] = True
        batch.refusals.add(Refusal(records, code, path_of(self.path, rows), place[rows], said))

    def adopt(self, items: Batch, wrong: Array, rows: Array, numbers: Array) -> None:
        """Refuse ``rows`` because of ``wrong`` items, one for each row: the first that the codec would report.

        ``numbers`` are those of the items in their lists.
        """
        for refusal, mine in items.refusals.of_records(wrong):
            records, path = self.index[rows[mine]], path_of(self.path, rows[mine])
            self.batch.doubtful[records] = True
            self.batch.refusals.add(refusal._replace(records=records, path=(*path, numbers[mine], *refusal.path)))
        self.doubt(rows[~items.refusals.of(wrong)])

    def ask(self, expression: Callable[[Values, Values, Frame], Any], this: Values) -> Any:
        """The value of an expression at this place."""
        self.frame.here = self.pos, self.shift, self.limit
        return expression(this, self.record, self.frame)

    def need(self, count: int | Array) -> None:
        """Refuse rows with fewer than ``count`` bytes left."""
        if (short := self.pos + (self.shift + count) > self.limit).any():
            self.short(short, np.broadcast_to(count, len(self)), self.at)

    def short(self, which: Array, count: Array, place: Array) -> None:
        """Refuse rows in which ``count`` bytes were wanted at ``place`` and are not there."""
        negative = which & (count < 0)
        if negative.any():
            self.refuse(negative, "invalid-size", place, "a size of ", count, Unit("byte"))
        which = which & ~negative
        whole = self.limit == self.batch.limit[self.index]
        for code, mine, behind in (("truncated", which & whole, ""), ("overrun", which & ~whole, " in its section")):
            if mine.any():
                self.refuse(
                    mine, code, place, "needs ", count, Unit("byte"), ", ", self.limit - place, f" left{behind}"
                )

    def gather(self, count: int, *, sure: bool = False) -> tuple[Array, int]:
        """The next ``count`` bytes of each row: one opaque item per row, and their offset in it.

        Items have more bytes than requested, so that the next ones are already there. The cursors advance. Rows with
        fewer bytes are refused, unless the caller is ``sure`` that there are none.
        """
        if not sure:
            self.need(count)
        raw, pos, shift = self._fetched
        offset = self.shift - shift if pos is self.pos else -1
        if offset < 0 or offset + count > raw.itemsize:
            raw, offset = windows(self.batch.buffer, self.at, max(count, self.ahead)), 0
            self._fetched = raw, self.pos, self.shift
        self.shift += count
        return raw, offset

    def move(self, to: Array) -> None:
        """Put the cursors elsewhere."""
        self.pos = to
        self.shift = 0

    def skip(self, sizes: Array) -> tuple[Array, Array]:
        """Move the cursors by so many bytes; from where to where. By as many in all rows is a shift."""
        start = self.at
        if len(sizes) and (sizes == sizes[0]).all():
            self.shift += int(sizes[0])
            return start, self.at
        self.move(start + sizes)
        return start, self.pos

    def take(self, rows: Array, start: Array, stop: Array) -> None:
        """Take bytes of the innermost region, out of sequence, in some rows."""
        if self.scattered is not None:
            self.scattered.take(rows, start, stop)
        elif self.outer is not None:
            self.outer.take(self._outwards(rows), start, stop)

    def borrow(self, rows: Array, count: Array) -> Array:
        """Count bytes that belong to others; which of the rows are of records with too many of them.

        In how many steps the codec reads them is not known, so that each byte counts as one.
        """
        self.batch.weigh(int(count.sum()))
        return self.count("shared", rows, Reader.STEP * count)

    def count(self, why: Often, rows: Array, sizes: Array) -> Array:
        """Count bytes that are read for such a reason; which of the rows are of records with too many of them."""
        if self.outer is not None:
            return self.outer.count(why, self._outwards(rows), sizes)
        return self.batch.count(why, self.index[rows], sizes)

    def _outwards(self, rows: Array) -> Array:
        """The numbers of rows among those around them."""
        return rows if self.selected.chosen is None else self.selected.chosen[rows]

    def only(self, chosen: Array, this: Values) -> "tuple[Rows, Values]":
        """Some of the rows, by number, with their values; ``merge`` takes them back."""
        pos, limit = self.pos[chosen], self.limit[chosen]
        inner = Rows(self.batch, self.index[chosen], pos, limit, shift=self.shift, chosen=chosen, outer=self)
        inner.path = path_of(self.path, chosen)
        inner.little = _each(self.little, chosen)
        inner.frame = Frame(inner.selected, self.frame)
        return inner, inner.record if this is self.record else Values(inner.selected, this)

    def merge(self, inner: "Rows", this: Values, inner_this: Values) -> None:
        """Take over the values of ``inner``."""
        pos = self.at.copy()
        pos[inner.selected.chosen] = inner.at
        self.move(pos)
        this.merge(inner_this)
        if this is not self.record:
            self.record.merge(inner.record)
        self.frame.merge(inner.frame)

    def nested(self) -> "Rows":
        """Rows of a nested struct that begins here, one in each of these."""
        inner = Rows(self.batch, self.index, self.pos, self.limit, shift=self.shift, outer=self)
        inner.path, inner.ahead, inner.little, inner._fetched = self.path, self.ahead, self.little, self._fetched
        return inner

    def leave(self, inner: "Rows") -> None:
        """Continue where the nested struct ends that was read last."""
        self.pos, self.shift, self._fetched, self.inner = inner.pos, inner.shift, inner._fetched, inner.frame

    def listed(self, pos: Array, rows: Array, run: Array) -> "Rows":
        """Rows of items at ``pos`` as a batch of their own, this many of each of ``rows``."""
        batch, chosen = self.batch.items(self.index[rows], run), np.repeat(rows, run)
        inner = Rows(batch, np.arange(len(pos)), pos, self.limit[chosen], chosen=chosen, outer=self)
        inner.frame = Frame(inner.selected, self.frame)
        inner.little = _each(self.little, chosen)
        return inner


def _each(little: bool | Array, rows: Array) -> bool | Array:
    """The byte order of some rows."""
    return little if isinstance(little, bool) else little[rows]


def _words_of(words: Words, rows: Array, among: Array) -> Words:
    """The words for some ``rows``, which are ``among`` the ones that were refused."""
    if isinstance(words, np.ndarray):
        return words[rows]
    return words if isinstance(words, str) else [words[number] for number in among.tolist()]
