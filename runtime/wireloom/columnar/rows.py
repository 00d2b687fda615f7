"""Where many records are read at once: a cursor and a limit a row, and what has been read of them so far.

Rows whose bytes look wrong, or are not for this engine, are ``doubtful``: they go on with harmless values, and in the
end the codec decodes them afresh.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.columnar import weighing
from wireloom.columnar.arrays import Column, Lists, Made, Numbers, Structs, replace
from wireloom.columnar.buffers import Array, windows
from wireloom.columnar.vectors import Vector


class Batch:
    """The records being decoded: stretches of one buffer, and what all of them share.

    ``little`` is their byte order, in one value or one a record. ``weight`` is that of the lists read so far.
    """

    def __init__(
        self, buffer: Array, start: Array, stop: Array, parameters: Mapping[str, Any], little: bool | Array = False
    ) -> None:
        self.buffer = buffer
        self.start = start
        self.stop = stop
        self.parameters = parameters
        self.little = little
        self.doubtful = np.zeros(len(start), bool)
        self.rounds = 0
        """Rounds in which lists were read, those of lists in lists included."""
        self.weight = 0
        self._found: dict[bytes, Array] = {}

    def weigh(self, weight: int) -> None:
        """Add to the batch's weight. Raises ``TooHeavyError`` if it is too much."""
        self.weight += weight
        weighing.bear(self.weight)

    def places(self, wanted: bytes) -> Array:
        """Where in the buffer some bytes stand, in ascending order; for no bytes, where other ones than zero do."""
        if wanted not in self._found:
            if not wanted:
                self._found[wanted] = np.flatnonzero(self.buffer)
                return self._found[wanted]
            found = np.flatnonzero(self.buffer[: max(0, len(self.buffer) - len(wanted) + 1)] == wanted[0])
            for offset, byte in enumerate(wanted[1:], start=1):
                found = found[self.buffer[found + offset] == byte]
            self._found[wanted] = found
        return self._found[wanted]


class Selected:
    """Which rows are read: their records in the batch by number, and which rows they were taken from."""

    __slots__ = ("batch", "chosen", "index")

    def __init__(self, batch: Batch, index: Array, chosen: Array) -> None:
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
    """The columns read so far of a struct, one value a row. ``chosen`` are its rows among those of ``outer``."""

    def __init__(self, rows: "Rows", outer: "Values | None" = None) -> None:
        self.rows = rows.selected
        self.outer = outer
        self.columns: dict[str, Column] = {}
        self._seen: dict[str, Column | None] = {}

    def column(self, name: str) -> Column | None:
        """The column called ``name``, be it read inside a condition or in front of it."""
        own = self.columns.get(name)
        if own is not None or self.outer is None:
            return own
        if name not in self._seen:
            column = self.outer.column(name)
            self._seen[name] = None if column is None else column.take(self.rows.chosen)
        return self._seen[name]

    def put(self, name: str, column: Column) -> None:
        """A column, read in all rows."""
        self.columns[name] = column

    def merge(self, inner: "Values") -> None:
        """Take over what was read of some of the rows."""
        count, chosen = len(self.rows), inner.rows.chosen
        for name, column in inner.columns.items():
            known = self.columns.get(name)
            if known is None:
                self.columns[name] = column.scattered(chosen, count)
            elif type(known) is type(column):
                self.columns[name] = known.over(chosen, column)  # type: ignore[arg-type]
            else:
                self.columns[name] = replace(known, chosen, column)

    def __getitem__(self, name: str) -> Vector:
        """A number or boolean, for an expression to compute with."""
        column = self.column(name)
        if column is None:
            return Vector(np.zeros(len(self.rows), np.int64), np.zeros(len(self.rows), bool), self.rows.doubt)
        if isinstance(column, Made) and pa.types.is_decimal(column.array.type):  # no integer of numpy's holds them
            self.rows.doubt(np.ones(len(self.rows), bool))
        if not isinstance(column, Numbers):  # labels, texts, bytes: all that can be asked is whether there is one
            return Vector(np.zeros(len(self.rows), np.int64), column.valid, self.rows.doubt)
        data = column.data
        kind = data.dtype.newbyteorder("=")
        if kind == np.uint64:
            kind = np.dtype(np.int64)
            if (high := data > 2**63 - 1).any():
                self.rows.doubt(high)
        return Vector(data.astype(kind, copy=False), column.valid, self.rows.doubt)

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
    """Where named fields and sections stand, in positions of the buffer."""

    def __init__(self, rows: "Rows", outer: "Frame | None" = None) -> None:
        self.rows = rows.selected
        self.outer = outer
        self.spans: dict[str, tuple[Array, Array]] = {}

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
            start, stop = self.outer.span(name)
            found = self.spans[name] = (start[self.rows.chosen], stop[self.rows.chosen])
        return found or (self.rows.start, self.rows.start)

    def merge(self, inner: "Frame") -> None:
        """Take over where things stand in some of the rows."""
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
"""How many bytes of each row are looked at together, if no more are asked for: numpy's price is by the look."""


class Rows:
    """Rows that are read alike from here on.

    ``index`` are their records in the batch, ``pos + shift`` is the cursor and ``limit`` the end of the innermost
    section, in positions of the buffer.
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
        self.selected = Selected(batch, index, index if chosen is None else chosen)
        self.batch = batch
        self.index = index
        self.pos = pos
        self.limit = limit
        self.shift = shift
        self.frame = Frame(self)
        self.record: Values = Values(self, None if outer is None else outer.record)
        self.ahead = AHEAD
        self._ahead = np.zeros(0, "V1")
        self._ahead_of: Array | None = None
        self._ahead_from = 0

    @classmethod
    def all(cls, batch: Batch) -> "Rows":
        """All records of a batch, from their start to their end."""
        return cls(batch, np.arange(len(batch.start)), batch.start, batch.stop)

    def __len__(self) -> int:
        return len(self.pos)

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.selected.doubt(which)

    @property
    def start(self) -> Array:
        """Where each row's record starts."""
        return self.selected.start

    @property
    def at(self) -> Array:
        """The cursors."""
        return self.pos + self.shift if self.shift else self.pos

    def need(self, count: int | Array) -> None:
        """Doubt rows in which fewer than ``count`` bytes are left."""
        short = self.pos + (self.shift + count) > self.limit
        if short.any():
            self.doubt(short)

    def gather(self, count: int) -> tuple[Array, int]:
        """The next ``count`` bytes of each row: opaque items, one a row, and where in them they stand.

        Items have some bytes more than are asked for, so that what stands behind is there already. The cursors go on.
        """
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

    @property
    def little(self) -> bool | Array:
        """The byte order of each row."""
        little = self.batch.little
        return little if isinstance(little, bool) else little[self.index]

    def only(self, chosen: Array, this: Values) -> "tuple[Rows, Values]":
        """Some of the rows, by number, and what was read of them; to be given back to ``merge``."""
        pos, limit = self.pos[chosen], self.limit[chosen]
        inner = Rows(self.batch, self.index[chosen], pos, limit, shift=self.shift, chosen=chosen, outer=self)
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

    def nested(self, pos: Array, limit: Array, owner: Array) -> "Rows":
        """Rows of a struct of their own, one or more in a row of these: ``owner`` says in which."""
        return Rows(self.batch, self.index[owner], pos, limit, chosen=owner, outer=self)
