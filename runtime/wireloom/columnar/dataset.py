"""Captures as a dataset of pyarrow, which DuckDB and Polars read as often as they want, and only what a query needs."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyarrow.compute import Expression
from pyarrow.dataset import Dataset

from wireloom.columnar.provenance import fitting

Scan = Callable[[Sequence[str] | None], pa.RecordBatchReader]
"""Reads captures from their start, with some columns, or all."""


class CaptureDataset(Dataset):  # type: ignore[misc]
    """Captures that ``scan`` reads anew for each query, with ``columns``, or all.

    It has ``schema``, ``scanner``, and the methods that use one: ``to_batches``, ``to_table``, ``head``,
    ``count_rows``. A dataset of pyarrow is what DuckDB and Polars pass the columns and filters of a query to.
    """

    def __init__(self, scan: Scan, columns: Sequence[str] | None) -> None:
        self._scan, self._columns = scan, columns
        self._schema = pa.schema(map(_calculable, scan(columns).schema))

    @property
    def schema(self) -> pa.Schema:
        """All columns."""
        return self._schema

    def scanner(
        self, columns: Sequence[str] | None = None, filter: Expression | None = None, **_: object
    ) -> "CaptureScanner":
        """A scan of the rows for which ``filter`` holds, as far as ``columns`` go. Other arguments of pyarrow, which
        are about how it reads files, have no effect.
        """
        names = self.schema.names if columns is None else list(columns)
        said = str(filter)  # it has the name of every column that it needs, and perhaps of others in its texts
        needed = {name for name in self.schema.names if name in names or _mentions(said, name)}
        needed = needed or {self.schema.names[0]}
        given = self._columns or self.schema.names
        rows = self._scan([path for path in given if path.partition(".")[0] in needed])
        return CaptureScanner(rows, pa.schema(map(self.schema.field, names)), filter)


def _mentions(text: str, name: str) -> bool:
    """Whether a name is a word of a text."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _calculable(field: pa.Field) -> pa.Field:
    """A column whose times have microseconds, as DuckDB has no functions for such times with nanoseconds."""
    is_finer = pa.types.is_timestamp(field.type) and field.type.unit == "ns"
    return field.with_type(pa.timestamp("us", field.type.tz)) if is_finer else field


@dataclass(frozen=True, slots=True)
class CaptureScanner:
    """A scan that is about to begin."""

    rows: pa.RecordBatchReader
    schema: pa.Schema
    filter: Expression | None

    def to_reader(self) -> pa.RecordBatchReader:
        """The result of the scan."""
        return pa.RecordBatchReader.from_batches(self.schema, self.to_batches())

    def to_table(self) -> pa.Table:
        """All rows."""
        return self.to_reader().read_all()

    def head(self, count: int) -> pa.Table:
        """The first rows."""
        found, left = [], count
        for batch in self.to_batches():
            found.append(batch.slice(0, left))
            left -= len(found[-1])
            if not left:
                break
        return pa.Table.from_batches(found, self.schema)

    def count_rows(self) -> int:
        """How many rows there are."""
        return sum(map(len, self.to_batches()))

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as batches."""
        fields = [_calculable(field) for field in self.rows.schema]
        for batch in self.rows:
            columns = [fitting(column, field.type) for column, field in zip(batch.columns, fields, strict=True)]
            known = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
            yield (known if self.filter is None else known.filter(self.filter)).select(self.schema.names)
