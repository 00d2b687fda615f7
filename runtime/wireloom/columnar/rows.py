"""Many records being read: a cursor and a limit per row, and the values read so far.

Rows whose bytes look wrong, or cannot be handled here, are ``doubtful`` and continue with harmless values. In the end
the codec decodes them again, except those that are refused, because it is known what the codec would say.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace as replaced
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Column, Lists, Made, Numbers, Spans, Structs, replace
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array, integers, octets_of, windows
from wireloom.columnar.places import Scattered
from wireloom.columnar.refusals import Refusal, Unit, Words
from wireloom.columnar.vectors import Texts, Vector, taken


class Selected:
    """Which rows are read: the numbers of their records in the batch, and which rows they were taken from."""

    __slots__ = ("batch", "chosen", "index")

    def __init__(self, batch: Batch, index: Array, chosen: Array | None) -> None:
        self.batch = batch
        self.index = index
        self.chosen = chosen

    def __len__(self) -> int:
        return len(self.index)

    @property
    def start(self) -> Array:
        """Where each row's record starts."""
        found: Array = self.batch.start[self.index]
        return found

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.batch.doubtful[self.index[which]] = True


class Values:
    """The columns of a struct read so far, with one value per row. ``chosen`` are its rows among those of ``outer``."""

    def __init__(self, rows: "Rows", outer: "Values | None" = None) -> None:
        self.rows = rows.selected
        self.outer = outer
        self.columns: dict[str, Column] = {}
        self._seen: dict[str, Column | None] = {}

    def column(self, name: str) -> Column | None:
        """The column called ``name``, read inside a condition or before it; dots lead into structs."""
        name, *steps = name.split(".")
        found = self._outermost(name)
        for step in steps:
            found = found.columns.get(step) if isinstance(found, Structs) else None
        return found

    def _outermost(self, name: str) -> Column | None:
        own = self.columns.get(name)
        if own is not None or self.outer is None:
            return own
        if name not in self._seen:
            column = self.outer._outermost(name)
            chosen = self.rows.chosen
            self._seen[name] = column if column is None or chosen is None else column.take(chosen)
        return self._seen[name]

    def put(self, name: str, column: Column) -> None:
        """A column, read in all rows."""
        self.columns[name] = column

    def merge(self, inner: "Values") -> None:
        """Take over what was read of some of the rows."""
        count, chosen = len(self.rows), inner.rows.chosen
        assert chosen is not None
        for name, column in inner.columns.items():
            known = self.columns.get(name)
            if known is None:
                self.columns[name] = column.scattered(chosen, count)
            elif type(known) is type(column):
                self.columns[name] = known.over(chosen, column)  # type: ignore[arg-type]
            else:
                self.columns[name] = replace(known, chosen, column)

    def __getitem__(self, name: str) -> Vector:
        """A number or boolean for an expression to compute with, or a text or bytes to compare."""
        column = self.column(name)
        return self.absent() if column is None else self.vector(column)

    def absent(self) -> Vector:
        """That no row has a value."""
        return Vector(np.zeros(len(self.rows), np.int64), np.zeros(len(self.rows), bool), self.rows.doubt)

    def vector(self, column: Column) -> Vector:
        """What is in a column that has a value for each row."""
        if isinstance(column, Made) and pa.types.is_decimal(column.array.type):
            whole, fits = integers(column.array)
            if not fits.all():
                self.rows.doubt(~fits)
            return Vector(whole, column.valid, self.rows.doubt)
        if isinstance(column, Spans):
            return Texts(column.buffer, column.start, column.stop, column.valid, self.rows.doubt)
        if isinstance(column, Made) and column.array.type in (pa.string(), pa.binary()):
            return Texts(*octets_of(column.array), column.valid, self.rows.doubt)
        if not isinstance(column, Numbers):  # of others, all that can be asked is whether there is one
            return Vector(np.zeros(len(self.rows), np.int64), column.valid, self.rows.doubt)
        return Vector(self._native(column.data), column.valid, self.rows.doubt)

    def _native(self, data: Array) -> Array:
        """Doubles, and whole numbers in this machine's byte order, signed if they have 64 bits; too large ones are
        doubted.
        """
        if data.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # signalling NaN
                return data.astype(np.float64)
        if data.dtype.kind == "u" and data.dtype.itemsize == 8:
            if (high := data > 2**63 - 1).any():
                self.rows.doubt(high)
            return data.astype(np.int64)
        return data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))

    def count(self, name: str) -> Vector:
        """How many items a list has; 0 when it is absent."""
        column = self.column(name)
        counts = column.counts if isinstance(column, Lists) else np.zeros(len(self.rows), np.int64)
        return Vector(counts, None, self.rows.doubt)

    @property
    def struct(self) -> Structs:
        """What was read."""
        return Structs(len(self.rows), self.columns)


class Frame:
    """Where named fields and sections are, as positions in the buffer."""

    def __init__(self, rows: "Rows", outer: "Frame | None" = None) -> None:
        self.rows = rows.selected
        self.outer = outer
        self.spans: dict[str, tuple[Array, Array]] = {}
        self.given: dict[str, Any] = {}
        self.here: tuple[Array, int, Array] | None = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.rows.batch.parameters

    def put(self, name: str, start: Array, stop: Array) -> None:
        self.spans[name] = (start, stop)

    def span(self, name: str) -> tuple[Array, Array]:
        """(start, end) of ``name``; both the record's start when it is absent."""
        if name == "record":
            return self.rows.start, self.rows.batch.stop[self.rows.index]
        found = self.spans.get(name)
        if found is None and self.outer is not None:
            start, stop = found = self.outer.span(name)
            if (chosen := self.rows.chosen) is not None:
                found = start[chosen], stop[chosen]
            self.spans[name] = found
        return found or (self.rows.start, self.rows.start)

    def input(self, name: str) -> Any:
        """What the struct is given under that name."""
        if name not in self.given:
            assert self.outer is not None, "who reads a struct gives it all that it needs"
            self.given[name] = taken(self.outer.input(name), self.rows.chosen)
        return self.given[name]

    @property
    def left(self) -> Vector:
        """How many bytes are left in the section, from where the expression stands that is evaluated."""
        assert self.here is not None, "who asks says where"
        pos, shift, limit = self.here
        return Vector(limit - (pos + shift), None, self.rows.doubt)

    def merge(self, inner: "Frame") -> None:
        """Take over the positions in some of the rows."""
        for name, spans in inner.spans.items():
            start, stop = (each.copy() for each in self.span(name))
            start[inner.rows.chosen], stop[inner.rows.chosen] = spans
            self.spans[name] = (start, stop)

    def size(self, name: str) -> Vector:
        """Bytes of ``name``; 0 when it is absent."""
        start, stop = self.span(name)
        return Vector(stop - start, None, self.rows.doubt)

    def offset(self, name: str) -> Vector:
        """Where ``name`` starts, counted from the record's start; 0 when it is absent."""
        return Vector(self.span(name)[0] - self.rows.start, None, self.rows.doubt)


AHEAD = 32
"""How many bytes of each row are fetched together at least, since each fetch costs numpy the same."""


class Rows:
    """Rows that are read alike from here on.

    ``index`` are their records in the batch, ``pos + shift`` is the cursor and ``limit`` the end of the innermost
    section, in positions of the buffer. ``path`` is the codec's path of what is read, ``inner`` has the places in the
    struct that was read last.
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
        self.frame = self.inner = Frame(self)
        self.record: Values = Values(self, None if outer is None else outer.record)
        self.outer = outer
        self.scattered: Scattered | None = None if outer is not None else Scattered()
        """What was read out of sequence in the innermost region, if that was entered in these rows."""
        self.path: Path = ()
        self.apart: bool = outer is not None and outer.apart
        """Whether they stand somewhere else, where several may read the same bytes."""
        self.kept: Array | None = None
        """The rows with bytes for the ``raw`` column of the value that is read next, if it has one."""
        self.ahead = AHEAD
        self._ahead = np.zeros(0, "V1")
        self._ahead_of: Array | None = None
        self._ahead_from = 0

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
        batch.refusals.add(Refusal(records, code, _path_of(self.path, rows), place[rows], said))

    def adopt(self, items: Batch, wrong: Array, rows: Array, numbers: Array) -> None:
        """Refuse ``rows`` because of ``wrong`` items, one for each row: the first that the codec would report.

        ``numbers`` are those of the items in their lists.
        """
        for refusal, mine in items.refusals.of_records(wrong):
            records, path = self.index[rows[mine]], _path_of(self.path, rows[mine])
            self.batch.doubtful[records] = True
            self.batch.refusals.add(replaced(refusal, records=records, path=(*path, numbers[mine], *refusal.path)))
        self.doubt(rows[~items.refusals.of(wrong)])

    def ask(self, expression: Callable[[Values, Values, Frame], Any], this: Values) -> Any:
        """The value of an expression that stands here."""
        self.frame.here = self.pos, self.shift, self.limit
        return expression(this, self.record, self.frame)

    def need(self, count: int | Array, place: Array | None = None) -> None:
        """Refuse rows with fewer than ``count`` bytes left, from the cursor or from ``place`` on."""
        end = self.pos + (self.shift + count) if place is None else place + count
        short = end > self.limit
        if short.any():
            self.short(short, np.broadcast_to(count, len(self)), self.at if place is None else place)

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

        Items have more bytes than asked for, so that the next ones are already there. The cursors move on. Rows with
        fewer bytes are refused, unless the caller is ``sure`` that there are none.
        """
        if not sure:
            self.need(count)
        offset = self.shift - self._ahead_from if self._ahead_of is self.pos else -1
        if offset < 0 or offset + count > self._ahead.itemsize:
            self._ahead = windows(self.batch.buffer, self.at, max(count, self.ahead))
            self._ahead_of, self._ahead_from, offset = self.pos, self.shift, 0
        self.shift += count
        return self._ahead, offset

    def move(self, to: Array) -> None:
        """Put the cursors elsewhere."""
        self.pos = to
        self.shift = 0

    def take(self, rows: Array, start: Array, stop: Array) -> None:
        """Take bytes of the innermost region, out of sequence, in some rows."""
        if self.scattered is not None:
            self.scattered.take(rows, start, stop)
        elif self.outer is not None:
            self.outer.take(self._outwards(rows), start, stop)

    def borrow(self, rows: Array, count: Array) -> None:
        """Count bytes that belong to others, and doubt the rows whose records have too many of them."""
        if self.outer is not None:
            self.outer.borrow(self._outwards(rows), count)
            return
        self.batch.weigh(int(count.sum()))
        self.doubt(self.batch.borrow(self.index[rows], count)[self.index])

    def spend(self, rows: Array, count: Array) -> Array:
        """Count bytes of lists and texts that stand apart; which of the rows are of records with too many of them."""
        if self.outer is not None:
            return self.outer.spend(self._outwards(rows), count)
        return self.batch.spend(self.index[rows], count)

    def _outwards(self, rows: Array) -> Array:
        """The numbers of rows among those around them."""
        return rows if self.selected.chosen is None else self.selected.chosen[rows]

    def only(self, chosen: Array, this: Values) -> "tuple[Rows, Values]":
        """Some of the rows, by number, with their values; ``merge`` takes them back."""
        pos, limit = self.pos[chosen], self.limit[chosen]
        inner = Rows(self.batch, self.index[chosen], pos, limit, shift=self.shift, chosen=chosen, outer=self)
        inner.path = _path_of(self.path, chosen)
        inner.little = _each(self.little, chosen)
        inner.frame = Frame(inner, self.frame)
        return inner, inner.record if this is self.record else Values(inner, this)

    def merge(self, inner: "Rows", this: Values, inner_this: Values) -> None:
        """Take over what was read of ``inner``."""
        pos = self.at.copy()
        pos[inner.selected.chosen] = inner.at
        self.move(pos)
        this.merge(inner_this)
        if this is not self.record:
            self.record.merge(inner.record)
        self.frame.merge(inner.frame)

    def nested(self, pos: Array, limit: Array) -> "Rows":
        """Rows of a nested struct, one in each of these."""
        inner = Rows(self.batch, self.index, pos, limit, outer=self)
        inner.path, inner.ahead, inner.little = self.path, self.ahead, self.little
        return inner

    def listed(self, pos: Array, rows: Array, run: Array) -> "Rows":
        """Rows of items at ``pos`` as a batch of their own, this many of each of ``rows``."""
        batch, limit = self.batch.items(self.index[rows], run), np.repeat(self.limit[rows], run)
        inner = Rows(batch, np.arange(len(pos)), pos, limit, chosen=np.repeat(rows, run), outer=self)
        inner.frame = Frame(inner, self.frame)
        inner.little = _each(self.little, np.repeat(rows, run))
        return inner


def _each(little: bool | Array, rows: Array) -> bool | Array:
    """The byte order of some rows."""
    return little if isinstance(little, bool) else little[rows]


Path = tuple[str | Array, ...]
"""The codec's path of what is read: names, and item numbers for each row."""


def _path_of(path: Path, rows: Array) -> Path:
    return tuple(step if isinstance(step, str) else step[rows] for step in path)


def _words_of(words: Words, rows: Array, among: Array) -> Words:
    """The words for some ``rows``, which are ``among`` the ones that were refused."""
    if isinstance(words, np.ndarray):
        return words[rows]
    return words if isinstance(words, str) else [words[number] for number in among.tolist()]
