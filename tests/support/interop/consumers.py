"""Consumers of tables: each is given Arrow tables, in memory or as what is written of them, and asked what it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset

from support.interop.plain import NANOSECONDS, Nanoseconds, plain
from support.lake_readers import COMPARISONS, Ask, by_delta, by_duckdb, by_polars, by_pyarrow, by_pyiceberg, by_spark

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Opened(Protocol):
    """Tables as a consumer has them.

    ``has_fields`` says whether filters reach fields of structs.
    """

    has_fields: bool

    def types(self) -> dict[str, str]:
        """The type of each column, by the consumer's own name."""
        ...

    def rows(self) -> pa.Table:
        """All rows, as Arrow again."""
        ...

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        """What counts the rows that a filter on a column of that type finds; see ``lake_readers``."""
        ...

    def total(self, column: str, function: str) -> Any:
        """``min``, ``max``, ``sum`` or ``count`` of a column, as ``plain`` has it."""
        ...


class InArrow:
    """A dataset of pyarrow."""

    has_fields = True

    def __init__(self, rows: dataset.Dataset, types: dict[str, str] | None = None) -> None:
        self.dataset, self.named = rows, types

    def types(self) -> dict[str, str]:
        return self.named or {field.name: str(field.type) for field in self.dataset.schema}

    def rows(self) -> pa.Table:
        return self.dataset.to_table()

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_pyarrow(self.dataset, path, kind)

    def total(self, column: str, function: str) -> Any:
        values = self.rows()[column]
        return plain(pa.repeat(getattr(pc, function)(values), 1))[0]


class InDelta(InArrow):
    """A table of delta-rs, asked by its own queries."""

    def __init__(self, table: Any) -> None:
        from deltalake import QueryBuilder

        self.table, self.queries = table, QueryBuilder().register("rows", table)
        super().__init__(
            table.to_pyarrow_dataset(), {field.name: _of_delta(field.type) for field in table.schema().fields}
        )

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_delta(self.table, path, kind)

    def total(self, column: str, function: str) -> Any:
        return plain(pa.table(self.queries.execute(f"select {function}({column}) as it from rows"))["it"])[0]


def _of_delta(kind: Any) -> str:
    return str(getattr(kind, "type", kind))


class InIceberg(InArrow):
    """A table of pyiceberg, which has no aggregates of its own but hands out Arrow."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def types(self) -> dict[str, str]:
        return {field.name: str(field.field_type) for field in self.table.schema().fields}

    def rows(self) -> pa.Table:
        return self.table.scan().to_arrow()

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_pyiceberg(self.table, path)


class InDuckDB:
    """A dataset, or files, in DuckDB."""

    has_fields = True

    def __init__(self, source: str | dataset.Dataset) -> None:
        import duckdb

        self.source, self.connection = source, duckdb.connect()
        self.connection.sql("set timezone = 'UTC'")
        if not isinstance(source, str):
            self.connection.register("rows", source)
        self.name = f"'{source}'" if isinstance(source, str) else "rows"

    def types(self) -> dict[str, str]:
        described = self.connection.sql(f"describe select * from {self.name}").fetchall()
        return {name: kind for name, kind, *_ in described}

    def rows(self) -> pa.Table:
        return self._asked("*")

    def _asked(self, what: str) -> pa.Table:
        return self.connection.sql(f"select {what} from {self.name}").to_arrow_table()

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_duckdb(self.source, path, kind)

    def total(self, column: str, function: str) -> Any:
        return plain(self._asked(f"{function}({column}) as it")["it"])[0]


class InPolars:
    """A lazy frame of Polars."""

    has_fields = True

    def __init__(self, scan: Callable[[], Any]) -> None:
        self.scan = scan

    def types(self) -> dict[str, str]:
        return {name: str(kind) for name, kind in self.scan().collect_schema().items()}

    def rows(self) -> pa.Table:
        return self.scan().collect().to_arrow()

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_polars(self.scan, path, kind)

    def total(self, column: str, function: str) -> Any:
        import polars

        return plain(self.scan().select(getattr(polars.col(column), function)()).collect().to_arrow()[column])[0]


class InPandas:
    """A frame of pandas, or one of Dask, whose results are computed."""

    def __init__(
        self, frame: Any, *, has_fields: bool = False, computed: Callable[[Any], Any] = lambda result: result
    ) -> None:
        self.frame, self.has_fields, self.computed = frame, has_fields, computed

    def types(self) -> dict[str, str]:
        return {name: str(kind) for name, kind in self.frame.dtypes.items()}

    def rows(self) -> pa.Table:
        return pa.Table.from_pandas(self.computed(self.frame), preserve_index=False)

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        def ask(question: str, value: Any) -> int:
            column = self.frame[path[0]]
            for name in path[1:]:
                column = column.struct.field(name)
            if question == "null":
                found = column.isna()
            elif question == "in":
                found = column.isin([_of_pandas(each, kind) for each in value])
            else:
                found = COMPARISONS[question](column, _of_pandas(value, kind))
            return int(self.computed(self.frame[found]).shape[0])

        return ask

    def total(self, column: str, function: str) -> Any:
        return _plain_of_pandas(self.computed(getattr(self.frame[column], function)()))


def _plain_of_pandas(value: Any) -> Any:
    """A result of pandas, which is a datetime or timedelta of Python where its own do not reach."""
    import numpy as np
    import pandas

    if isinstance(value, pandas.Timestamp | pandas.Timedelta):  # of a unit in which nanoseconds may not fit
        number = value.to_numpy()
        return Nanoseconds(int(number.astype(np.int64)) * NANOSECONDS[np.datetime_data(number.dtype)[0]])
    if value is pandas.NaT:
        return None
    if isinstance(value, datetime):
        value -= _EPOCH
    if isinstance(value, timedelta):
        return Nanoseconds(value // timedelta(microseconds=1) * 1000)
    return value.item() if isinstance(value, np.generic) else value


def _of_pandas(value: Any, kind: pa.DataType) -> Any:
    """A value as one writes it in pandas: a time or a duration of its unit."""
    import numpy as np
    import pandas

    if pa.types.is_timestamp(kind):
        return pandas.Timestamp(np.datetime64(value, kind.unit), tz=kind.tz)
    return pandas.Timedelta(np.timedelta64(value, kind.unit)) if pa.types.is_duration(kind) else value


class InSpark:
    """A frame of Spark."""

    has_fields = True

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def types(self) -> dict[str, str]:
        return dict(self.frame.dtypes)

    def rows(self) -> pa.Table:
        return self.frame.toArrow()

    def ask(self, path: Sequence[str], kind: pa.DataType) -> Ask:
        return by_spark(self.frame, path, kind)

    def total(self, column: str, function: str) -> Any:
        return plain(self.frame.selectExpr(f"{function}({column}) as it").toArrow()["it"])[0]
