"""The Arrow types that each consumer of tables keeps exactly."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from wireloom.buffers import dictionary, nulls, values_of
from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import NANOSECOND_TIME, U64, ColumnType, decimal_size
from wireloom.columnar.provenance import fitting
from wireloom.options import TableTypes


class _Kept(NamedTuple):
    """What a consumer keeps exactly, beside the types that all have.

    If it is ``natural``, these are unsigned integers and dictionaries. ``nanoseconds`` is the type of times in
    nanoseconds, ``duration`` that of durations, in microseconds.
    """

    natural: bool
    nanoseconds: pa.DataType = pa.timestamp("ns", tz="UTC")
    duration: pa.DataType = pa.duration("us")


_MICROSECONDS = pa.timestamp("us", tz="UTC")
_OF_LAKES = _Kept(natural=False, nanoseconds=_MICROSECONDS, duration=pa.int64())
_KEPT: Mapping[TableTypes, _Kept] = {
    TableTypes.SPARK: _Kept(natural=False),
    TableTypes.ARROW: _Kept(natural=True),
    TableTypes.POLARS: _Kept(natural=True),
    TableTypes.PANDAS: _Kept(natural=True),
    TableTypes.DUCKDB: _Kept(natural=True),
    TableTypes.DELTA: _OF_LAKES,
    TableTypes.ICEBERG: _OF_LAKES,
}

_TYPES = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "timestamp": _MICROSECONDS,
    "string": pa.string(),
    "binary": pa.binary(),
}
_INTEGERS = frozenset({"byte", "short", "int", "long", U64})
_UNSIGNED = ((8, pa.uint8()), (16, pa.uint16()), (32, pa.uint32()), (64, pa.uint64()))


def arrow_type(column: Column, types: TableTypes) -> pa.DataType:
    """The type that a column has for a consumer."""
    return _type(column.type, column, types)


def _type(kind: ColumnType, column: Column, types: TableTypes) -> pa.DataType:
    """The type of a column, or of the items of one that is a list, of that kind."""
    kept = _KEPT[types]
    match kind:
        case StructOf(columns):
            return pa.struct([pa.field(each.name, arrow_type(each, types)) for each in columns])
        case ListOf(element):
            return pa.list_(_type(element, column, types))
        case "string" if kept.natural and column.texts and column.type == kind:
            return pa.dictionary(_index(len(column.texts)), pa.string())
        case _ if kept.natural and kind in _INTEGERS and 0 < column.unsigned <= 64:
            return next(found for bits, found in _UNSIGNED if column.unsigned <= bits)
        case "interval day to second":
            return kept.duration
        case _ if kind == NANOSECOND_TIME:
            return kept.nanoseconds
        case _ if size := decimal_size(kind):
            return pa.decimal128(*size)
    return _TYPES[kind]


def _index(count: int) -> pa.DataType:
    """The type of indexes into a dictionary of so many texts."""
    return next(kind for kind in (pa.int8(), pa.int16(), pa.int32()) if count <= 1 << kind.bit_width - 1)


class Consumer:
    """Gives batches of some ``columns`` the types of a consumer, and dictionaries the same texts in every batch.

    ``schemas`` gives the schema of the columns, or of a part of them, for a consumer. Batches are ``decoded`` with the
    one, and given to the consumer with the other.
    """

    def __init__(
        self, columns: Iterable[Column], types: TableTypes, schemas: Callable[[TableTypes], pa.Schema]
    ) -> None:
        self.types, kept = types, _KEPT[types]
        self.schema = schemas(types)
        known = {each.name: each for each in columns}
        self.columns = [known[name] for name in self.schema.names]
        decoded = TableTypes.ARROW if kept.natural else TableTypes.SPARK
        if kept == _KEPT[decoded]:
            self.decoded = self.schema
            changed = [kept.natural and _has_dictionary(column) for column in self.columns]
        else:
            self.decoded = schemas(decoded)
            both = zip(self.schema.types, self.decoded.types, strict=True)
            changed = [not kind.equals(other) for kind, other in both]
        self.changed = [at for at, is_changed in enumerate(changed) if is_changed]
        self.absent: dict[int, pa.Array] = {}

    def given(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A decoded batch as the consumer gets it."""
        if not self.changed:
            return batch
        arrays = batch.columns
        for at in self.changed:
            is_absent = arrays[at].null_count == len(batch)
            arrays[at] = self._nulls(at, len(batch)) if is_absent else self._changed(at, arrays[at])
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _nulls(self, at: int, count: int) -> pa.Array:
        """A column without values, as those of messages that do not occur are, shared with the batches before."""
        known = self.absent.get(at)
        if known is None or len(known) < count:
            known = self._changed(at, nulls(self.decoded.field(at).type, 1 << count.bit_length()))
            self.absent[at] = known  # which another thread may replace by a shorter one
        return known.slice(0, count)

    def _changed(self, at: int, array: pa.Array) -> pa.Array:
        return self._given(array, self.columns[at].type, self.columns[at])

    def _given(self, array: pa.Array, kind: ColumnType, column: Column) -> pa.Array:
        """An array of that kind, which is in a column."""
        if array.offset:
            array = pa.concat_arrays([array])
        match kind:
            case StructOf(columns):
                known = {each.name: each for each in columns}
                names = [field.name for field in array.type]
                inner = [self._given(array.field(name), known[name].type, known[name]) for name in names]
                fields = [pa.field(name, each.type) for name, each in zip(names, inner, strict=True)]
                return _around(array, pa.struct(fields), inner)
            case ListOf(element):
                items = self._given(array.values, element, column)
                return _around(array, pa.list_(items.type), [items])
            case "interval day to second":
                return array.view(_KEPT[self.types].duration)
            case _ if kind == NANOSECOND_TIME:
                return fitting(array, _KEPT[self.types].nanoseconds)
        return _indexed(array, column) if pa.types.is_dictionary(array.type) else array


def _has_dictionary(column: Column) -> bool:
    """Whether a column is a dictionary for those who keep them, or has some in it."""
    kind = column.type
    while isinstance(kind, ListOf):
        kind = kind.element
    if isinstance(kind, StructOf):
        return any(map(_has_dictionary, kind.columns))
    return column.type == "string" and bool(column.texts)


def _around(array: pa.Array, kind: pa.DataType, children: Sequence[pa.Array]) -> pa.Array:
    """Structs or lists, which begin at the beginning of their buffers, with other values in them."""
    own = array.buffers()[: 2 if pa.types.is_list(kind) else 1]
    return pa.Array.from_buffers(kind, len(array), own, array.null_count, children=children)


def _indexed(array: pa.Array, column: Column) -> pa.Array:
    """A dictionary with all texts of its column. Raises ``ValueError`` for one that the column cannot have."""
    indexes, whole = array.indices, values_of(column.texts)
    if not array.dictionary.equals(whole):
        if not len(array.dictionary):  # of which all is null, or in structs that are
            return dictionary(nulls(indexes.type, len(array)), column.texts)
        from pyarrow import compute  # which most tables do not need

        places = compute.index_in(array.dictionary, value_set=whole)
        if places.null_count:
            text = array.dictionary.filter(places.is_null())[0].as_py()
            raise ValueError(f"{column.name}: {text!r} is none of the labels that this column can have")
        indexes = places.take(indexes).cast(indexes.type)
    return dictionary(indexes, column.texts)
