"""What expressions are evaluated on: the values of many rows, and the frame that knows where each of them is."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.columnar.arrays import Column, Lists, Made, Numbers, Spans, Structs, replace
from wireloom.columnar.batch import Batch
from wireloom.columnar.buffers import Array, integers, octets_of
from wireloom.columnar.vectors import Texts, Vector, taken

_PLACE_BITS = 48
"""The most bits of places in memory, of sizes, and of distances between places."""


class Selected:
    """Which rows are read: the numbers of their records in the batch, and which rows they were taken from."""

    def __init__(self, batch: Batch, index: Array, chosen: Array | None) -> None:
        self.batch = batch
        self.index = index
        self.chosen = chosen

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def start(self) -> Array:
        """Where each row's record starts."""
        found: Array = self.batch.start[self.index]
        return found

    def doubt(self, which: Array) -> None:
        """Leave rows to the codec."""
        self.batch.doubtful[self.index[which]] = True


class Values:
    """The columns of a struct read so far, a value for each of ``rows``, perhaps chosen among those of ``outer``."""

    def __init__(self, rows: Selected, outer: "Values | None" = None) -> None:
        self.rows = rows
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
        """Take over the values of some of the rows."""
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
        """The values of a column that has one for each row."""
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
        """The values that were read."""
        return Structs(len(self.rows), self.columns)


class Frame:
    """Where named fields and sections are, as positions in the buffer."""

    def __init__(self, rows: Selected, outer: "Frame | None" = None) -> None:
        self.rows = rows
        self.outer = outer
        self.giving = outer
        """The frame that has what the struct is given, where this one has not."""
        self.spans: dict[str, tuple[Array, Array]] = {}
        self.given: dict[str, Any] = {}
        self.here: tuple[Array, int, Array] | None = None
        self.item: Vector | None = None
        """The number of each row in its list, if the rows are items that use it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.rows.batch.parameters

    def number(self, items: Array) -> None:
        """Note the number of each row in its list."""
        self.item = Vector(items, None, self.rows.doubt)

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
            assert self.giving is not None, "who reads a struct gives it all that it needs"
            self.given[name] = taken(self.giving.input(name), self.rows.chosen, self.rows.doubt)
        return self.given[name]

    @property
    def index(self) -> Vector:
        """The number of the item that an expression is about."""
        if self.item is None:
            assert self.outer is not None, "who asks for it is an item"
            self.item = taken(self.outer.index, self.rows.chosen, self.rows.doubt)
        return self.item

    @property
    def left(self) -> Vector:
        """How many bytes are left in the section at the place of the expression."""
        assert self.here is not None, "who asks says where"
        pos, shift, limit = self.here
        return Vector(limit - (pos + shift), None, self.rows.doubt, _PLACE_BITS)

    def merge(self, inner: "Frame") -> None:
        """Take over the positions in some of the rows."""
        for name, spans in inner.spans.items():
            start, stop = (each.copy() for each in self.span(name))
            start[inner.rows.chosen], stop[inner.rows.chosen] = spans
            self.spans[name] = (start, stop)

    def size(self, name: str) -> Vector:
        """Bytes of ``name``; 0 when it is absent."""
        start, stop = self.span(name)
        return Vector(stop - start, None, self.rows.doubt, _PLACE_BITS)

    def offset(self, name: str) -> Vector:
        """Where ``name`` starts, counted from the record's start; 0 when it is absent."""
        return Vector(self.span(name)[0] - self.rows.start, None, self.rows.doubt, _PLACE_BITS)
