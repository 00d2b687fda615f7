"""What all decoders of the same bytes must agree on: for each name, the sum of its numbers, times or lengths of texts.

Names count wherever they stand: a row may be flat or nested, a dict, an object or a line of an Arrow table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def of(found: Any) -> dict[str, int]:
    """The totals of a table, of several by name, of rows, or of a mere number of them."""
    match found:
        case int():
            return {"*": found}
        case pa.Table():
            return of_table(found)
        case dict():
            return dict(sum((Counter(of_table(table)) for table in found.values()), Counter()))
    return of_rows(found)


def of_rows(rows: Iterable[Any]) -> dict[str, int]:
    """The totals of rows, and under ``*`` how many they are."""
    totals: Counter[str] = Counter()
    for row in rows:
        totals["*"] += 1
        _add_row(totals, row)
    return dict(totals)


def _add_row(totals: Counter[str], row: Any) -> None:
    for name, value in (row if isinstance(row, Mapping) else vars(row)).items():
        if not name.startswith("_"):
            _add(totals, name, value)


def _add(totals: Counter[str], name: str, value: Any) -> None:
    if isinstance(value, int):
        totals[name] += value
    elif isinstance(value, str | bytes):
        totals[name] += len(value.encode() if isinstance(value, str) else value)
    elif isinstance(value, datetime):
        totals[name] += (value - _EPOCH) // timedelta(microseconds=1)
    elif isinstance(value, list | tuple):
        for item in value:
            _add(totals, name, item)
    elif value is not None:
        _add_row(totals, value)


def of_table(table: pa.Table) -> dict[str, int]:
    """The same of a table."""
    totals: Counter[str] = Counter({"*": table.num_rows})
    for name, column in zip(table.column_names, table.columns, strict=True):
        if not name.startswith("_"):
            _add_column(totals, name, column)
    return dict(totals)


def _add_column(totals: Counter[str], name: str, column: pa.ChunkedArray) -> None:
    kind = column.type
    if pa.types.is_struct(kind):
        for field in kind:
            _add_column(totals, field.name, pc.struct_field(column, field.name))
    elif pa.types.is_list(kind):
        _add_column(totals, name, pc.list_flatten(column))
    elif pa.types.is_string(kind) or pa.types.is_binary(kind):
        totals[name] += pc.sum(pc.binary_length(column)).as_py() or 0
    else:
        numbers = column if pa.types.is_decimal(kind) else column.cast(pa.int64())
        totals[name] += int(pc.sum(numbers.cast(pa.decimal128(38, 0))).as_py() or 0)  # int64 would overflow
