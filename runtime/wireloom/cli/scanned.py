"""Captures as DuckDB reads them: as often as it wants, and only the columns that its query needs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow.compute import Expression
from pyarrow.dataset import Dataset

from wireloom.columnar.tables import Table


class Captures(Dataset):  # type: ignore[misc]
    """What DuckDB takes for a dataset of pyarrow, of which it wants ``schema`` and ``scanner`` alone.

    To no other object in Python does it say what it needs. All else of a dataset is missing.
    """

    def __init__(self, table: Table, arguments: Mapping[str, Any]) -> None:
        """Those that ``table.scan`` reads with ``arguments``. Raises ``OptionError``."""
        self._table, self._arguments = table, arguments
        self._schema = table.scan(**arguments).schema

    @property
    def schema(self) -> pa.Schema:
        """All columns."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Expression | None = None) -> "_Scanner":
        """A scan of the rows for which ``filter`` holds, as far as ``columns`` go."""
        names = self.schema.names if columns is None else list(columns)
        said = str(filter)  # it has the name of every column that it needs, and perhaps of others in its texts
        needed = {name for name in self.schema.names if name in names or name in said} or {self.schema.names[0]}
        given = self._arguments.get("columns") or self.schema.names
        arguments = {**self._arguments, "columns": [path for path in given if path.partition(".")[0] in needed]}
        return _Scanner(self._table.scan(**arguments), names, filter)


@dataclass(frozen=True, slots=True)
class _Scanner:
    """A scan that is about to begin."""

    rows: pa.RecordBatchReader
    names: Sequence[str]
    filter: Expression | None

    def to_reader(self) -> pa.RecordBatchReader:
        """What is asked for."""
        schema = pa.schema([self.rows.schema.field(name) for name in self.names])
        return pa.RecordBatchReader.from_batches(schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self.rows:
            wanted = batch if self.filter is None else batch.filter(self.filter)
            yield wanted.select(self.names)
