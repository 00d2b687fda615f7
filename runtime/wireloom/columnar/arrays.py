"""Columns while they are decoded: numpy arrays and places in the buffer, made into Arrow arrays at the end, if at all.

A column holds one value a row. ``take`` picks rows, -1 giving null; ``join`` puts columns one behind the other;
``arrow`` makes an Arrow array of the type that the table has for it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

Array = np.ndarray[Any, np.dtype[Any]]
Valid = Array | None
"""Which rows have a value; None: all of them."""


def picked(valid: Valid, rows: Array) -> Valid:
    """The validity of ``rows``, -1 being none."""
    present = rows >= 0
    if valid is not None:
        return present & valid[rows] if len(valid) else present & False
    return None if present.all() else present


def _values(data: Array, rows: Array) -> Array:
    return data[rows] if len(data) else np.zeros(len(rows), data.dtype)


def _valids(columns: Sequence["Column"]) -> Valid:
    """The validity of columns one behind the other."""
    if all(column.valid is None for column in columns):
        return None
    return np.concatenate([np.ones(len(c), bool) if c.valid is None else c.valid for c in columns])


def _bitmap(valid: Valid) -> Any:
    """Validity as Arrow keeps it."""
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


def _nulls(valid: Valid) -> int:
    return 0 if valid is None else int(len(valid) - np.count_nonzero(valid))


_DECIMAL = pa.decimal128(20, 0)


def ragged(starts: Array, counts: Array) -> Array:
    """``starts[i], starts[i] + 1, …``, ``counts[i]`` of them, for each i one behind the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers or booleans, as wide as on the wire, in any byte order."""

    data: Array
    valid: Valid = None

    def __len__(self) -> int:
        return len(self.data)

    def take(self, rows: Array) -> "Numbers":
        return Numbers(_values(self.data, rows), picked(self.valid, rows))

    def joined(self, others: Sequence["Numbers"]) -> "Column":
        every = [self, *others]
        if np.result_type(*(each.data for each in every)).kind == "f" and {each.data.dtype.kind for each in every} == {
            "i",
            "u",
        }:
            made = [Made(each.arrow(_DECIMAL)) for each in every]  # no integer of numpy's holds them all
            return made[0].joined(made[1:])
        return Numbers(np.concatenate([each.data for each in every]), _valids(every))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        if pa.types.is_decimal(kind):
            words = np.zeros((len(self.data), 2), np.uint64)
            words[:, 0] = self.data
            if self.data.dtype.kind == "i":
                words[:, 1] = np.where(self.data < 0, np.uint64(2**64 - 1), np.uint64(0))
            buffers = [_bitmap(self.valid), pa.py_buffer(words)]
            return pa.Array.from_buffers(kind, len(self.data), buffers, _nulls(self.valid))
        if pa.types.is_boolean(kind):
            buffers = [_bitmap(self.valid), pa.py_buffer(np.packbits(self.data, bitorder="little"))]
            return pa.Array.from_buffers(kind, len(self.data), buffers, _nulls(self.valid))
        native = np.ascontiguousarray(self.data, kind.to_pandas_dtype())
        return pa.Array.from_buffers(kind, len(native), [_bitmap(self.valid), pa.py_buffer(native)], _nulls(self.valid))


_INLINE = 12
"""An Arrow view of so many bytes holds them itself."""
_VIEW = np.dtype([("size", "<i4"), ("head", "V4"), ("buffer", "<i4"), ("offset", "<i4")])


@dataclass(frozen=True, slots=True)
class Spans:
    """Bytes of the buffer from ``start`` to before ``stop``. They are looked at when an Arrow array is made."""

    buffer: Array
    start: Array
    stop: Array
    valid: Valid = None

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Array) -> "Spans":
        return Spans(self.buffer, _values(self.start, rows), _values(self.stop, rows), picked(self.valid, rows))

    def joined(self, others: Sequence["Spans"]) -> "Spans":
        columns = [self, *others]
        starts, stops = (np.concatenate([getattr(c, name) for c in columns]) for name in ("start", "stop"))
        return Spans(self.buffer, starts, stops, _valids(columns))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        sizes = self.stop - self.start
        if self.valid is not None:
            sizes = np.where(self.valid, sizes, 0)
        count = len(sizes)
        if count == 0 or not sizes.any():
            offsets = pa.py_buffer(np.zeros(count + 1, np.int32))
            array = pa.Array.from_buffers(pa.binary(), count, [_bitmap(self.valid), offsets, pa.py_buffer(b"")])
        elif sizes[0] == sizes[-1] and (sizes == sizes[0]).all():
            array = self._equal(int(sizes[0]))
        else:
            array = self._views(sizes).cast(pa.binary())
        return array if kind == pa.binary() else array.cast(kind)

    def _equal(self, size: int) -> pa.Array:
        """All are of one size."""
        data = pa.py_buffer(windows(self.buffer, self.start, size))
        offsets = pa.py_buffer(np.arange(len(self.start) + 1, dtype=np.int32) * np.int32(size))
        return pa.Array.from_buffers(pa.binary(), len(self.start), [_bitmap(self.valid), offsets, data])

    def _views(self, sizes: Array) -> pa.Array:
        """Arrow's views of bytes: short ones hold them, long ones say where in the buffer they stand."""
        views = np.zeros(len(sizes), _VIEW)
        views["size"] = sizes
        views["offset"] = self.start
        views["head"] = windows(self.buffer, self.start, 4)
        short = np.flatnonzero(sizes <= _INLINE)
        if len(short):
            held = windows(self.buffer, self.start[short], _INLINE).view(np.uint8).reshape(-1, _INLINE)
            whole = views.view(np.uint8).reshape(-1, _VIEW.itemsize)
            whole[short, 4:] = held * (np.arange(_INLINE) < sizes[short, None])
        data = pa.py_buffer(self.buffer)
        return pa.Array.from_buffers(
            pa.binary_view(), len(sizes), [_bitmap(self.valid), pa.py_buffer(views), data], _nulls(self.valid)
        )


def windows(buffer: Array, starts: Array, size: int) -> Array:
    """``size`` bytes from each of ``starts``, as one opaque item each; behind the buffer's end stand zeros."""
    last = len(buffer) - size
    if len(starts) and starts.max() > last:
        near = max(last + 1, 0)
        tail = np.concatenate([buffer[near:], np.zeros(size, np.uint8)])
        over = starts >= near
        found = np.zeros(len(starts), f"V{size}")
        found[~over] = _every(buffer, size)[starts[~over]] if last >= 0 else found[~over]
        found[over] = _every(tail, size)[np.minimum(starts[over] - near, len(tail) - size)]
        return found
    return _every(buffer, size)[starts]


def _every(buffer: Array, size: int) -> Array:
    """The items at every position."""
    return np.ndarray((max(0, len(buffer) - size + 1),), f"V{size}", buffer, strides=(1,))


@dataclass(frozen=True, slots=True)
class Made:
    """Values that are an Arrow array already."""

    array: pa.Array

    def __len__(self) -> int:
        return len(self.array)

    @property
    def valid(self) -> Valid:
        if self.array.null_count == 0:
            return None
        found: Array = self.array.is_valid().to_numpy(zero_copy_only=False)
        return found

    def take(self, rows: Array) -> "Made":
        if not len(self.array):
            return Made(pa.nulls(len(rows), self.array.type))
        return Made(self.array.take(_indices(rows)))

    def joined(self, others: Sequence["Made"]) -> "Made":
        return Made(pa.concat_arrays([self.array, *(other.array for other in others)]))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        return self.array if self.array.type == kind else self.array.cast(kind)


def _indices(rows: Array) -> pa.Array:
    present = rows >= 0
    return pa.array(rows) if present.all() else pa.array(rows, mask=~present)


@dataclass(frozen=True, slots=True)
class Labels:
    """What ``label`` says of each number, asked once for each that occurs, in the Arrow type ``kind``."""

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

    def joined(self, others: Sequence["Labels"]) -> "Column":
        if all(other.label == self.label for other in others):
            return Labels(
                Numbers(np.concatenate([e.of.data for e in (self, *others)]), _valids((self, *others))),
                self.label,
                self.kind,
            )
        made = [Made(each.arrow(each.kind)) for each in (self, *others)]
        return made[0].joined(made[1:])

    def arrow(self, kind: pa.DataType) -> pa.Array:
        native = self.of.data.astype(self.of.data.dtype.newbyteorder("="))
        found = pa.array(native, mask=None if self.of.valid is None else ~self.of.valid).dictionary_encode()
        labels = pa.array([self.label(number) for number in found.dictionary.to_pylist()], kind)
        return labels.take(found.indices)


@dataclass(frozen=True, slots=True)
class Lists:
    """``counts`` items each, all of them one behind the other in ``items``."""

    counts: Array
    items: "Column"
    valid: Valid = None

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: Array) -> "Lists":
        starts = np.cumsum(self.counts) - self.counts
        counts = np.where(rows >= 0, _values(self.counts, rows), 0)
        items = self.items.take(ragged(_values(starts, rows), counts))
        return Lists(counts, items, picked(self.valid, rows))

    def joined(self, others: Sequence["Lists"]) -> "Lists":
        counts = np.concatenate([self.counts, *(other.counts for other in others)])
        return Lists(counts, join([self.items, *(other.items for other in others)]), _valids([self, *others]))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        offsets = np.zeros(len(self.counts) + 1, np.int32)
        np.cumsum(self.counts, out=offsets[1:])
        return pa.ListArray.from_arrays(
            pa.array(offsets),
            self.items.arrow(kind.value_type),
            kind,
            mask=None if self.valid is None else pa.array(~self.valid),
        )


@dataclass(frozen=True, slots=True)
class Structs:
    """Columns by name; those that the table has and this has not are null."""

    count: int
    columns: "dict[str, Column]"
    valid: Valid = None

    def __len__(self) -> int:
        return self.count

    def take(self, rows: Array) -> "Structs":
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Structs(len(rows), columns, picked(self.valid, rows))

    def joined(self, others: Sequence["Structs"]) -> "Structs":
        every = [self, *others]
        columns: dict[str, Column] = {}
        for name in dict.fromkeys(name for each in every for name in each.columns):
            known = next(each.columns[name] for each in every if name in each.columns)
            columns[name] = join([each.columns.get(name) or nothing(known, each.count) for each in every])
        return Structs(sum(each.count for each in every), columns, _valids(every))

    def arrow(self, kind: pa.DataType) -> pa.Array:
        fields = list(kind)
        arrays = [
            column.arrow(field.type) if (column := self.columns.get(field.name)) else pa.nulls(self.count, field.type)
            for field in fields
        ]
        if not fields:
            return pa.Array.from_buffers(kind, self.count, [_bitmap(self.valid)], _nulls(self.valid))
        mask = None if self.valid is None else pa.array(~self.valid)
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)


Column = Numbers | Spans | Made | Labels | Lists | Structs


def nothing(like: Column, count: int) -> Column:
    """``count`` nulls of the kind of ``like``."""
    return like.take(np.full(count, -1))


def join(columns: Iterable[Column]) -> Column:
    """The columns one behind the other; all are of one kind, be it in different forms."""
    first, *rest = columns
    if not rest:
        return first
    if any(type(column) is not type(first) for column in rest):
        kind = next(column.array.type for column in (first, *rest) if isinstance(column, Made))
        return Made(pa.concat_arrays([column.arrow(kind) for column in (first, *rest)]))
    return first.joined(rest)  # type: ignore[arg-type]
