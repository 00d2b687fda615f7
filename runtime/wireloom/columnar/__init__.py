"""Rows as Arrow data: schemas from columns, and batches of bounded size from rows. Needs pyarrow, not pyspark."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import NANOSECOND_TIME, ColumnType, decimal_size
from wireloom.extras import needed

with needed("wireloom.columnar", "arrow"):
    import numpy as np  # noqa: F401 - the modules of this package need it
    import pyarrow as pa

TABLE_ROWS = 8192
TABLE_BYTES = 16 * 1024 * 1024
"""A batch ends before it has more records than this, or more bytes of records. A single larger record is a batch."""

_TYPES = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    NANOSECOND_TIME: pa.timestamp("ns", tz="UTC"),
    "interval day to second": pa.duration("us"),
    "string": pa.string(),
    "binary": pa.binary(),
}


@lru_cache(maxsize=4096)
def arrow_type(kind: ColumnType) -> pa.DataType:
    """The Arrow type of a column type."""
    match kind:
        case StructOf(columns):
            return pa.struct([pa.field(column.name, arrow_type(column.type)) for column in columns])
        case ListOf(element):
            return pa.list_(arrow_type(element))
        case str():
            size = decimal_size(kind)
            return _TYPES[kind] if size is None else pa.decimal128(*size)


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """The Arrow schema of a table with these columns, the same one each time: programs are known by what they fill."""
    return _schema(tuple(columns))


@lru_cache(maxsize=64)
def _schema(columns: tuple[Column, ...]) -> pa.Schema:
    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in columns])


def batches(
    rows: Iterable[Mapping[str, Any]], schema: pa.Schema, *, size: int = TABLE_ROWS, size_bytes: int = TABLE_BYTES
) -> Iterator[pa.RecordBatch]:
    """The rows as batches of ``schema``: at most ``size`` rows, and about ``size_bytes`` of records, in each.

    The size of a row is its ``_length``, if it has one. Columns that a row lacks are null.
    """
    held: list[Mapping[str, Any]] = []
    held_bytes = 0
    for row in rows:
        length = row.get("_length") or 0
        if held and (len(held) == size or held_bytes + length > size_bytes):
            yield _batch(held, schema)
            held, held_bytes = [], 0
        held.append(row)
        held_bytes += length
    if held:
        yield _batch(held, schema)


def _batch(rows: list[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    from wireloom.columnar.python_values import to_arrow

    arrays = [to_arrow([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """The rows as one table."""
    return pa.Table.from_batches(batches(rows, schema), schema)
