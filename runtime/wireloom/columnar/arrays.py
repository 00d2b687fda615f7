"""Columns while they are decoded: numpy arrays and positions in the buffer. At the end, wanted ones become Arrow
arrays.

A column has one value per row. ``take`` selects rows. ``scattered`` puts the values at ``rows`` (ascending), with nulls
between them. ``over`` replaces some values by another column's. ``arrow`` makes an Arrow array of the table's type, at
``places`` if the struct around it is null elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.columnar import buffers
from wireloom.columnar.buffers import Array, Places, Valid, as_arrow, spread, valid_of


def _taken(valid: Valid, rows: Array) -> Valid:
    return None if valid is None else valid[rows]


def _present(valid: Valid, places: Places) -> Array:
    """The validity of values after they were put at their places."""
    return spread(np.ones(len(places.rows), bool) if valid is None else valid, places)


_DECIMAL = pa.decimal128(20, 0)
"""The type for numbers that no integer type of numpy can hold together."""


@dataclass(slots=True, eq=False)
class Numbers:
    """Numbers or booleans, as wide as on the wire, in any byte order."""

    data: Array
    valid: Valid = None

    def __len__(self) -> int:
        return len(self.data)

    def take(self, rows: Array) -> "Numbers":
        return Numbers(self.data[rows], _taken(self.valid, rows))

    def scattered(self, rows: Array, count: int) -> "Numbers":
        places = Places(rows, count)
        return Numbers(spread(self.data, places), _present(self.valid, places))

    def arrow(self, kind: pa.DataType, places: Places | None = None) -> pa.Array:
        return buffers.numbers(kind, self.data, self.valid, places)


@dataclass(slots=True, eq=False)
class Spans:
    """Bytes of the buffer from ``start`` to before ``stop``. They are read only when an Arrow array is made."""

    buffer: Array
    start: Array
    stop: Array
    valid: Valid = None

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Array) -> "Spans":
        return Spans(self.buffer, self.start[rows], self.stop[rows], _taken(self.valid, rows))

    def scattered(self, rows: Array, count: int) -> "Spans":
        places = Places(rows, count)
        return Spans(self.buffer, spread(self.start, places), spread(self.stop, places), _present(self.valid, places))

    def arrow(self, kind: pa.DataType, places: Places | None = None) -> pa.Array:
        found = buffers.octets(self.buffer, self.start, self.stop, self.valid, places)
        return found if kind == pa.binary() else found.cast(kind)


@dataclass(slots=True, eq=False)
class Made:
    """Values that already are an Arrow array."""

    array: pa.Array

    def __len__(self) -> int:
        return len(self.array)

    @property
    def valid(self) -> Valid:
        if self.array.null_count == 0:
            return None
        found: Array = valid_of(self.array)
        return found

    def take(self, rows: Array) -> "Made":
        return Made(self.array.take(as_arrow(rows)))

    def scattered(self, rows: Array, count: int) -> "Made":
        places = Places(rows, count)
        if self.array.type in (pa.string(), pa.binary()):
            return Made(buffers.placed(self.array, places, hidden=False))
        indices = spread(np.arange(len(rows), dtype=np.int32), places)
        return Made(self.array.take(buffers.array(pa.int32(), count, _present(None, places), indices)))

    def arrow(self, kind: pa.DataType, places: Places | None = None) -> pa.Array:
        found = self.array if places is None else self.scattered(places.rows, places.count).array
        return found if found.type == kind else found.cast(kind)


@dataclass(slots=True, eq=False)
class Labels:
    """The ``label`` of each number, computed once for each number that occurs, in the Arrow type ``kind``."""

    of: Numbers
    label: Callable[[int], Any]
    kind: pa.DataType

    def __len__(self) -> int:
        return len(self.of)

    @property
    def valid(self) -> Valid:
        return self.of.valid

    def take(self, rows: Array) -> "Labels":
        return Labels(self.of.take(rows), self.label, self.kind)

    def scattered(self, rows: Array, count: int) -> "Labels":
        return Labels(self.of.scattered(rows, count), self.label, self.kind)

    def arrow(self, kind: pa.DataType, places: Places | None = None) -> pa.Array:
        return buffers.labels(kind, self.of.data, self.of.valid, self.label, places)


@dataclass(slots=True, eq=False)
class Structs:
    """Columns by name; columns of the table that are missing here are null."""

    count: int
    columns: "dict[str, Column]"
    valid: Valid = None

    def __len__(self) -> int:
        return self.count

    def take(self, rows: Array) -> "Structs":
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Structs(len(rows), columns, _taken(self.valid, rows))

    def scattered(self, rows: Array, count: int) -> "Structs":
        columns = {name: column.scattered(rows, count) for name, column in self.columns.items()}
        return Structs(count, columns, _present(self.valid, Places(rows, count)))

    def arrow(self, kind: pa.DataType, places: Places | None = None) -> pa.Array:
        count = self.count if places is None else places.count
        arrays = [
            column.arrow(field.type, places)
            if (column := self.columns.get(field.name))
            else buffers.nulls(field.type, count)
            for field in kind
        ]
        valid = self.valid if places is None else _present(self.valid, places)
        return buffers.array(kind, count, valid, children=arrays)


Column = Numbers | Spans | Made | Labels | Structs


@dataclass(slots=True, eq=False)
class Spread:
    """The fields of a message in all rows of a batch, of which those of the message are ``rows``; None means all."""

    columns: dict[str, pa.Array]
    rows: Array | None
    count: int

    def take(self, rows: Array) -> "Spread":
        """Some of the batch's rows."""
        chosen = as_arrow(rows)
        columns = {name: column.take(chosen) for name, column in self.columns.items()}
        mine = None if self.rows is None else np.flatnonzero(np.isin(rows, self.rows))
        return Spread(columns, mine, len(rows))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        """As a struct that is null in rows of other messages."""
        valid = None
        if self.rows is not None:
            valid = np.zeros(self.count, bool)
            valid[self.rows] = True
        children = [self.columns[field.name] for field in kind]
        return buffers.array(kind, self.count, valid, children=children)
