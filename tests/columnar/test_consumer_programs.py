"""What other programs give back of tables with their own types becomes the same bytes again."""

import re
import tempfile
from collections.abc import Callable
from random import Random
from typing import Any

import duckdb
import pandas
import polars
import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyiceberg.catalog.sql import SqlCatalog
from support.cases import often
from support.compiled import of
from support.invented_specs import invented
from support.worked import examples, few, pair_of

from wireloom.codec import EncodeError
from wireloom.columnar.tables import Table
from wireloom.lakes import write_delta
from wireloom.options import TableTypes

Through = Callable[[pa.Table], pa.Table]


def through_arrow(table: pa.Table) -> pa.Table:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_file(sink.getvalue()).read_all()


def through_duckdb(table: pa.Table) -> pa.Table:
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.register("t", table)
        return connection.sql("from t").to_arrow_table()


def through_polars(table: pa.Table) -> pa.Table:
    return polars.from_arrow(table).to_arrow()


def through_pandas(table: pa.Table) -> pa.Table:
    return pa.Table.from_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype), preserve_index=False)


def through_delta(table: pa.Table) -> pa.Table:
    with tempfile.TemporaryDirectory() as folder:
        write_delta(folder, table)
        return DeltaTable(folder).to_pyarrow_table()


def through_iceberg(table: pa.Table) -> pa.Table:
    with tempfile.TemporaryDirectory() as folder:
        catalog = SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
        catalog.create_namespace("n")
        stored = catalog.create_table("n.t", schema=table.schema)
        stored.append(table)
        return stored.scan().to_arrow()


THROUGH: dict[TableTypes, Through] = {
    TableTypes.ARROW: through_arrow,
    TableTypes.DUCKDB: through_duckdb,
    TableTypes.POLARS: through_polars,
    TableTypes.PANDAS: through_pandas,
    TableTypes.DELTA: through_delta,
    TableTypes.ICEBERG: through_iceberg,
}


def comes_back(table: Table, capture: bytes, **parameters: Any) -> None:
    for types, through in THROUGH.items():
        found = table.decode_columnar(capture, mode="PERMISSIVE", positions=True, types=types, **parameters)
        found = found.select([field.name for field in found.schema if not is_empty(field.type)])
        if types is TableTypes.ICEBERG and any(map(has_missing_lists, found.combine_chunks().itercolumns())):
            continue  # which pyiceberg makes empty
        back = through(found).sort_by("_offset")  # Delta has them in another order
        assert table.encode_columnar(back, **parameters).to_pybytes() == capture, types


def is_empty(kind: pa.DataType) -> bool:
    """Whether it is a struct without values, which Parquet and DuckDB do not have."""
    return pa.types.is_struct(kind) and all(is_empty(field.type) for field in kind)


def has_missing_lists(column: Any) -> bool:
    """Whether a list of structs is missing where what it is in is not."""
    array, kind = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column, column.type
    if pa.types.is_struct(kind):
        there = array.filter(array.is_valid())
        return any(has_missing_lists(field) for field in there.flatten())
    if not pa.types.is_list(kind):
        return False
    return has_missing_lists(array.flatten()) or (pa.types.is_struct(kind.value_type) and array.null_count > 0)


@few
def test_examples_come_back_from_every_program(name: str) -> None:
    for parameters, records in examples(name):
        comes_back(Table(pair_of(name).codec, {}), b"".join(records) + records[0][:-1], **parameters)


@pytest.mark.parametrize("seed", range(often(2, 50)))
def test_invented_specs_come_back_from_every_program(seed: int) -> None:
    found = invented(Random(seed))
    comes_back(found.compiled.columnar.TABLE, found.opening + b"".join(found.records))


LAPS = """
protocol: laps
byte_order: big
record:
  length: 24
  fields: [{section: body, size: rest}]
---
message: lap
match: {}
sections:
  body:
    - {name: took, type: i64, as: {duration: {unit: us}}}
    - {name: who, type: bytes, size: 16, as: uuid}
"""


ZEROS = "00000000-0000-0000-0000-000000000000"


def interval(months: int, days: int, nanoseconds: int) -> pa.Table:
    took = pa.array([(0, 0, 0), (months, days, nanoseconds)], pa.month_day_nano_interval())
    who = pa.array([ZEROS, ZEROS])
    return pa.table({"lap": pa.StructArray.from_arrays([took, who], ["took", "who"])})


@pytest.mark.parametrize(
    ("given", "microseconds"),
    [((0, 0, 1000), 1), ((0, 1, -1000), 86_399_999_999), ((0, -2, 0), -172_800_000_000)],
)
def test_intervals_are_durations(given: tuple[int, int, int], microseconds: int) -> None:
    table = of(LAPS).columnar.TABLE
    written = table.encode_columnar(interval(*given)).to_pybytes()
    assert written == bytes(24) + microseconds.to_bytes(8, "big", signed=True) + bytes(16)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((1, 0, 0), "a duration expected, not MonthDayNano(months=1, days=0, nanoseconds=0)"),
        ((0, 0, 1), "a duration expected, not MonthDayNano(months=0, days=0, nanoseconds=1)"),
        ((0, 200_000_000, 0), "datetime.timedelta(days=200000000) is not a duration that tables hold"),
    ],
)
def test_intervals_that_are_no_durations_are_refused(given: tuple[int, int, int], told: str) -> None:
    with pytest.raises(EncodeError, match=re.escape(f"lap.took: {told}")) as error:
        of(LAPS).columnar.TABLE.encode_columnar(interval(*given))
    assert error.value.row == 1
