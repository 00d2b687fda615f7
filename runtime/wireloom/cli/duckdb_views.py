"""Captures as DuckDB reads them: as often as it wants, and only the columns that its query needs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow.compute import Expression
from pyarrow.dataset import Dataset

from wireloom.columnar.provenance import fitting
from wireloom.columnar.tables import Table


class Captures(Dataset):  # type: ignore[misc]
    """A dataset of pyarrow, as far as DuckDB uses one: ``schema`` and ``scanner``.

    Only to such datasets does DuckDB pass the columns and filters of a query.
    """

    def __init__(self, table: Table, arguments: Mapping[str, Any]) -> None:
        """Those that ``table.scan`` reads with ``arguments``. Raises ``OptionError``."""
        self._table, self._arguments = table, arguments
        self._schema = pa.schema(map(_calculable, table.scan(**arguments).schema))

    @property
    def schema(self) -> pa.Schema:
        """All columns."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Expression | None = None) -> "_Scanner":
        """A scan of the rows for which ``filter`` holds, as far as ``columns`` go."""
        names = self.schema.names if columns is None else list(columns)
        said = str(filter)  # it has the name of every column that it needs, and perhaps of others in its texts
        needed = {name for name in self.schema.names if name in names or _mentions(said, name)}
        needed = needed or {self.schema.names[0]}
        given = self._arguments.get("columns") or self.schema.names
        arguments = {**self._arguments, "columns": [path for path in given if path.partition(".")[0] in needed]}
        return _Scanner(self._table.scan(**arguments), pa.schema(map(self.schema.field, names)), filter)


def _mentions(text: str, name: str) -> bool:
    """Whether a name is a word of a text."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _calculable(field: pa.Field) -> pa.Field:
    """A column whose times have microseconds, as DuckDB has no functions for such times with nanoseconds."""
    is_finer = pa.types.is_timestamp(field.type) and field.type.unit == "ns"
    return field.with_type(pa.timestamp("us", field.type.tz)) if is_finer else field


@dataclass(frozen=True, slots=True)
class _Scanner:
    """A scan that is about to begin."""

    rows: pa.RecordBatchReader
    schema: pa.Schema
    filter: Expression | None

    def to_reader(self) -> pa.RecordBatchReader:
        """The result of the scan."""
        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        fields = [_calculable(field) for field in self.rows.schema]
        for batch in self.rows:
            columns = [fitting(column, field.type) for column, field in zip(batch.columns, fields, strict=True)]
            known = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
            yield (known if self.filter is None else known.filter(self.filter)).select(self.schema.names)
