"""Rows as Arrow data: schemas from columns, and batches of bounded size from rows. Needs pyarrow, not pyspark."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wireloom.codec import Column
from wireloom.extras import needed

with needed("wireloom.columnar", "arrow"):
    import numpy as np  # noqa: F401 - the modules of this package need it
    import pyarrow as pa

from wireloom.columnar.consumers import arrow_type
from wireloom.options import TableTypes

TABLE_ROWS = 8192
TABLE_BYTES = 16 * 1024 * 1024
"""A batch ends before it has more records than this, or more bytes of records. A single larger record is a batch."""


def arrow_schema(columns: Iterable[Column], types: TableTypes = TableTypes.SPARK) -> pa.Schema:
    """The Arrow schema of a table with these columns, for a consumer."""
    return pa.schema([pa.field(column.name, arrow_type(column, types)) for column in columns])


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
