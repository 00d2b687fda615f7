"""Every reader finds what is in Parquet files, Delta and Iceberg tables, at the ends of each type's range."""

from __future__ import annotations

import json
import logging
import math
import re
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import parquet
from support.lake_readers import (
    COMPARISONS,
    KINDS,
    UNSIGNED,
    delta_readers,
    iceberg_readers,
    parquet_readers,
    random_value,
    tables,
    wrong,
)
from support.pages import text

from wireloom import consumer_types, lakes
from wireloom.cli.formats import Format, write_batches
from wireloom.codec import Column
from wireloom.columnar import consumers
from wireloom.options import TableTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyiceberg.catalog.sql import SqlCatalog
    from pyspark.sql import SparkSession

MOST = 2**64 - 1
QUICK = ("u64", "nan")
"""Where readers are wrong by default."""


def kinds(*quick: str) -> pytest.MarkDecorator:
    """All of them, most where there is time."""
    return pytest.mark.parametrize(
        "name", [name if name in quick else pytest.param(name, marks=pytest.mark.long) for name in KINDS]
    )


PATHS = (("it",), ("inside", "it"))


def every_question(values: Sequence[Any]) -> list[tuple[str, Any]]:
    """All comparisons with all values, and which rows have one of them or none."""
    every = [(comparison, value) for comparison in COMPARISONS for value in values]
    return [*every, ("in", values), ("null", None)]


def questions(name: str) -> list[tuple[str, Any]]:
    """Those about a kind: a few, or all that there are where there is time."""
    _, values = KINDS[name]
    few = [("=", value) for value in values[-3:]] + [(">", values[-2]), (">=", values[-1]), ("<=", values[-1])]
    return [*few, ("in", values), ("null", None)] if name in QUICK else every_question(values)


def test_every_type_of_a_column_is_tried() -> None:
    tried = {kind for kind, _ in KINDS.values()}  # times with nanoseconds are below; lakes have no durations
    assert {consumers.arrow_type(Column("it", name), TableTypes.DELTA) for name in consumer_types._NAMES} <= tried


def by_recipe(table: pa.Table, path: Path) -> None:
    with parquet.ParquetWriter(path, table.schema, **lakes.parquet_options(table.schema)) as writer:
        writer.write_table(table)


def by_command(table: pa.Table, path: Path) -> None:
    with path.open("wb") as stream:
        write_batches(table.to_batches(), table.schema, Format.PARQUET, stream)


@kinds("nan")
@pytest.mark.parametrize("write", [by_recipe, by_command])
def test_what_is_in_parquet_files_is_found(write: Any, name: str, tmp_path: Path) -> None:
    kind, values = KINDS[name]
    for shape, parts in tables(kind, values).items():
        folder = tmp_path / shape
        folder.mkdir()
        for number, part in enumerate(parts):
            write(part, folder / f"{number}.parquet")
        for path in PATHS:
            assert wrong(parquet_readers(folder, path, kind), values, questions(name)) == [], (shape, path)


@pytest.mark.parametrize("name", UNSIGNED)
def test_unsigned_numbers_in_parquet_files_are_found(name: str, tmp_path: Path) -> None:
    kind, values = UNSIGNED[name]
    for shape, parts in tables(kind, values).items():
        (tmp_path / shape).mkdir()
        for number, part in enumerate(parts):
            by_recipe(part, tmp_path / shape / f"{number}.parquet")
        for path in PATHS:
            assert wrong(parquet_readers(tmp_path / shape, path, kind), values, every_question(values)) == []


@pytest.mark.spark
def test_spark_reads_unsigned_numbers_as_the_types_that_it_has(spark: SparkSession, tmp_path: Path) -> None:
    columns = {name: pa.array([values[0], values[-1]], kind) for name, (kind, values) in UNSIGNED.items()}
    by_recipe(pa.table(columns), tmp_path / "0.parquet")
    rows = spark.read.parquet(str(tmp_path))
    assert dict(rows.dtypes) == {"uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)"}
    assert rows.where(f"uint64 = {MOST}").select("uint8").collect()[0][0] == 255


@kinds("nan", "u64")
def test_what_is_in_delta_tables_is_found(name: str, tmp_path: Path) -> None:
    kind, values = KINDS[name]
    for shape, parts in tables(kind, values).items():
        for part in parts:
            lakes.write_delta(tmp_path / shape, part, mode="append")
        for path in PATHS:
            assert wrong(delta_readers(tmp_path / shape, path, kind), values, questions(name)) == [], (shape, path)


@pytest.mark.sweep
@kinds("u64")
def test_what_is_in_iceberg_tables_is_found(name: str, tmp_path: Path) -> None:
    kind, values = KINDS[name]
    for shape, parts in tables(kind, values).items():
        made = catalog(tmp_path).create_table(f"wire.{shape}", schema=parts[0].schema)
        for part in parts:
            made.append(part)
        for path in PATHS:
            assert wrong(iceberg_readers(made, path, kind), values, questions(name)) == [], (shape, path)


def catalog(folder: Path) -> SqlCatalog:
    from pyiceberg.catalog.sql import SqlCatalog

    made = SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
    made.create_namespace_if_not_exists("wire")
    return made


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_values_from_anywhere_in_a_range_are_found(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    precision = random.randint(1, 38)
    decimals = pa.decimal128(precision, random.randint(0, precision))
    kind = random.choice([decimals, *(kind for kind, _ in KINDS.values() if kind != pa.bool_())])
    values = [random_value(random, kind) for _ in range(random.randint(1, 6))]
    asked = [*((random.choice([*COMPARISONS]), value) for value in values), ("in", values), ("null", None)]
    for shape, parts in tables(kind, values).items():
        (tmp_path / shape).mkdir()
        for number, part in enumerate(parts):
            by_recipe(part, tmp_path / shape / f"{number}.parquet")
            lakes.write_delta(tmp_path / f"{shape}_delta", part, mode="append")
        for path in PATHS:
            files = parquet_readers(tmp_path / shape, path, kind)
            assert wrong(files, values, asked) == [], (shape, path, kind)
            assert wrong(delta_readers(tmp_path / f"{shape}_delta", path, kind), values, asked) == [], (
                shape,
                path,
                kind,
            )


@pytest.mark.spark
def test_spark_finds_nan_and_both_zeros_in_parquet_files(spark: SparkSession, tmp_path: Path) -> None:
    for number, values in enumerate(([0.5, 1.0, math.nan], [-0.0], [0.0])):
        by_recipe(
            pa.table({"it": values, "inside": [{"it": value} for value in values]}), tmp_path / f"{number}.parquet"
        )
    rows = spark.read.parquet(str(tmp_path))
    for column in ("it", "inside.it"):
        asked = {"> 1": 1, "= double('NaN')": 1, "= 0": 2, "in (0, double('NaN'))": 3}
        assert {condition: rows.where(f"{column} {condition}").count() for condition in asked} == asked


# Delta Lake


def numbers(*values: int) -> pa.Table:
    return pa.table(
        {
            "cas": pa.array(map(Decimal, values), pa.decimal128(20, 0)),
            "opcode": pa.array(range(len(values)), pa.int16()),
        }
    )


def found(path: Path, value: int) -> int:
    return int(DeltaTable(path).to_pyarrow_table(filters=[("cas", "=", Decimal(value))]).num_rows)


def statistics(path: Path) -> list[dict[str, Any]]:
    """Those of each file that was added, in order."""
    entries = (json.loads(line) for log in sorted(path.glob("_delta_log/*.json")) for line in log.open())
    return [json.loads(entry["add"]["stats"]) for entry in entries if "add" in entry]


def test_what_delta_rs_writes_later_is_found_too(tmp_path: Path) -> None:
    lakes.write_delta(tmp_path, numbers(1, MOST))
    write_deltalake(tmp_path, numbers(2, MOST), mode="append")
    table = DeltaTable(tmp_path)
    table.update(updates={"opcode": "7"}, predicate="opcode = 0")
    table.optimize.compact()
    assert found(tmp_path, MOST) == 2
    assert table.delete(f"cas = {MOST}")["num_deleted_rows"] == 2
    assert [each["minValues"].keys() for each in statistics(tmp_path)] == [{"opcode"}] * len(statistics(tmp_path))


def test_a_table_that_exists_is_mended(tmp_path: Path) -> None:
    write_deltalake(tmp_path, numbers(1, MOST))
    assert found(tmp_path, MOST) == 0
    lakes.write_delta(tmp_path, numbers(2, MOST - 1), mode="append")
    assert (found(tmp_path, MOST), found(tmp_path, MOST - 1)) == (1, 1)


def test_a_table_that_has_its_own_statistics_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    own = {lakes.STATISTICS_COLUMNS: "cas,`opcode`"}
    lakes.write_delta(tmp_path, numbers(1), configuration=own)
    assert DeltaTable(tmp_path).metadata().configuration == own
    caplog.set_level(logging.WARNING, "wireloom")
    lakes.write_delta(tmp_path, numbers(MOST), mode="append")
    assert "filters on cas may miss rows" in caplog.text
    assert caplog.messages[-1].endswith("set delta.dataSkippingStatsColumns to 'opcode'")


INEXACT = ("u64", "scaled", "widest", "float", "double", "timestamp", "binary")


def drop(path: Path, column: str) -> None:
    """Write the rows of a table anew without a column, which its property still names."""
    rows = DeltaTable(path).to_pyarrow_table()
    lakes.write_delta(path, rows.drop_columns([column]), mode="overwrite", schema_mode="overwrite")


def overwritten(path: Path, rows: pa.Table) -> None:
    lakes.write_delta(path, rows, mode="overwrite", schema_mode="overwrite")


def appended(path: Path, rows: pa.Table) -> None:
    drop(path, "a,b")
    lakes.write_delta(path, rows, mode="append", schema_mode="merge")


def merged(path: Path, rows: pa.Table) -> None:
    drop(path, "a,b")
    merge = lakes.merge_delta(path, rows, "s.n = t.n", source_alias="s", target_alias="t", merge_schema=True)
    merge.when_not_matched_insert_all().execute()


@pytest.mark.parametrize(
    ("name", "write"),
    [*((name, overwritten) for name in INEXACT), ("u64", appended), ("u64", merged)],
)
@pytest.mark.parametrize("first", [lakes.write_delta, write_deltalake])
def test_a_column_whose_type_becomes_inexact_loses_its_statistics(
    name: str,
    write: Callable[[Path, pa.Table], None],
    first: Callable[..., None],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    kind, values = KINDS[name]
    most = math.inf if pa.types.is_floating(kind) else values[-1]
    first(tmp_path, pa.table({"a,b": [1], "n": [-1]}))
    write(tmp_path, pa.table({"a,b": pa.array([most], kind), "n": [0]}))
    table = DeltaTable(tmp_path)
    assert table.to_pyarrow_table(filters=[("a,b", "=", most)]).num_rows == 1
    assert table.metadata().configuration == {lakes.STATISTICS_COLUMNS: "n"}
    assert not caplog.records


def test_nan_is_found_after_a_merge_of_rows_without_its_column(tmp_path: Path) -> None:
    lakes.write_delta(tmp_path, pa.table({"n": [1, 2], "roll": [0.5, math.nan]}))
    merge = lakes.merge_delta(tmp_path, pa.table({"n": [1]}), "s.n = t.n", source_alias="s", target_alias="t")
    merge.when_matched_update({"n": "s.n + 2"}).execute()
    assert DeltaTable(tmp_path).delete("roll > 5")["num_deleted_rows"] == 1


def test_a_merge_by_a_range_inserts_nothing_twice(tmp_path: Path) -> None:
    for _ in range(2):
        same = f"s.cas = t.cas AND t.cas >= {MOST - 5}"
        merge = lakes.merge_delta(tmp_path, numbers(MOST - 1, MOST), same, source_alias="s", target_alias="t")
        merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert DeltaTable(tmp_path).to_pyarrow_table().num_rows == 2


def test_columns_of_any_name_have_statistics(tmp_path: Path) -> None:
    lakes.write_delta(tmp_path, pa.table({"a.b": [1], "c,d": [2], "`e": [3], "f": [0.5]}))
    assert statistics(tmp_path)[0]["maxValues"] == {"a.b": 1, "c,d": 2, "`e": 3}


@pytest.mark.parametrize("merged", [False, True])
def test_nanoseconds_are_cut_to_microseconds(merged: bool, tmp_path: Path) -> None:
    times = pa.array([0, 1735689599999999600, 2**63 - 1], pa.timestamp("ns", "UTC"))
    inside = pa.StructArray.from_arrays([times], ["it"])
    rows = pa.table({"it": times, "inside": inside, "items": pa.ListArray.from_arrays([0, 1, 2, 3], inside)})
    if merged:
        merge = lakes.merge_delta(tmp_path, rows, "s.it = t.it", source_alias="s", target_alias="t")
        merge.when_not_matched_insert_all().execute()
    else:
        lakes.write_delta(tmp_path, rows)
    kind = pa.timestamp("us", "UTC")
    cut = pa.array([0, 1735689599999999, 2**63 // 1000], kind).to_pylist()
    for path in PATHS:
        asked = [*(("=", value) for value in cut), (">=", cut[1]), ("in", cut)]
        assert wrong(delta_readers(tmp_path, path, kind), cut, asked) == []


def test_nan_is_found_by_predicates_of_delta_rs(tmp_path: Path) -> None:
    rows = pa.table({"roll": [0.5, 1.0, math.nan]})
    lakes.write_delta(tmp_path, rows)
    same = lakes.merge_delta(tmp_path, rows, "s.roll = t.roll AND t.roll > 5", source_alias="s", target_alias="t")
    counted = same.when_not_matched_insert_all().execute()
    assert counted["num_target_rows_inserted"] == 2
    assert DeltaTable(tmp_path).delete("roll > 5")["num_deleted_rows"] == 1


# DuckDB


def test_duckdb_cuts_times_as_the_page_says() -> None:
    import duckdb

    (cut,) = re.findall(r"to calculate with times, truncate them:\s+`(.*?)`", text("docs/traffic.md"))
    times = [0, 999, 1000, 1735689599999999600, 2**63 - 2]
    connection = duckdb.connect()
    connection.register("rows", pa.table({"_time": pa.array(times, pa.timestamp("ns", "UTC"))}))
    found = connection.sql(f"select epoch_us({cut}) from rows").fetchall()
    assert [number for (number,) in found] == [time // 1000 for time in times]


# Parquet


def test_lists_of_uuids_may_stand_beside_floats() -> None:
    schema = pa.schema({"f": pa.float64(), "uuids": pa.list_(pa.uuid())})
    assert lakes.parquet_options(schema)["write_statistics"] == ["uuids.list.element"]


def test_numbers_without_floats_keep_their_statistics() -> None:
    kinds = {"a": pa.list_(pa.struct([("b", pa.int8()), ("c", pa.string())])), "d": pa.decimal128(20, 0)}
    assert lakes.parquet_options(pa.schema(kinds)) == {}


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_floats_have_none_wherever_they_are(kind: pa.DataType, tmp_path: Path) -> None:
    inner = pa.struct([("f", kind), ("n", pa.int64())])
    schema = pa.schema({"f": kind, "list": pa.list_(inner), "map": pa.map_(pa.string(), kind), "n": pa.int64()})
    with parquet.ParquetWriter(tmp_path / "t", schema, **lakes.parquet_options(schema)) as writer:
        writer.write_table(
            pa.Table.from_pylist([{"f": 1, "list": [{"f": 1, "n": 1}], "map": {"k": 1}, "n": 1}], schema)
        )
    group = parquet.ParquetFile(tmp_path / "t").metadata.row_group(0)
    leaves = {leaf.path_in_schema: leaf for leaf in map(group.column, range(group.num_columns))}
    exact = {name for name, leaf in leaves.items() if leaf.is_stats_set}
    assert exact == {name for name, leaf in leaves.items() if "RLE_DICTIONARY" in leaf.encodings}
    assert exact == {"list.list.element.n", "map.key_value.key", "n"} < leaves.keys()
