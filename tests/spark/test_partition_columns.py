"""Columns that directories such as dt=2026-01-01 give: their names, values and types, held against Spark's own."""

from __future__ import annotations

import datetime
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.lake_folders import filled, ours, theirs
from wireloom_protocols import databus

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def partitioned(session: SparkSession, path: str | list[str], **options: object) -> list[tuple[object, ...]]:
    """Each file of ours with its partition columns, after their names and types are found to be Spark's own."""
    rows = session.read.format("databus").options(positions=True, **options).load(path)
    fields = [field for field in rows.schema if field.name not in OURS]
    own = session.read.format("binaryFile").options(**options).load(path)
    expected = [field for field in own.schema if field.name not in ("path", "modificationTime", "length", "content")]
    assert [(field.name, field.dataType) for field in fields] == [(field.name, field.dataType) for field in expected]
    names = [f"`{field.name}`" for field in fields]
    found = sorted(map(str, rows.select("_file", *names).collect()))
    assert found == sorted(map(str, own.selectExpr("substr(path, 6) as _file", *names).collect()))
    return [tuple(row) for row in rows.orderBy("_file").select(*names).collect()]


OURS = {*databus.spark_schema.names, "_file", "_offset", "_length"}


def test_directories_give_columns(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "dt=2026-01-01/hour=7/a.bin", "dt=2026-01-02/hour=08/b.bin", "_x=1/y=2/.c.bin")
    assert partitioned(session, folder) == [
        (datetime.date(2026, 1, 1), 7),
        (datetime.date(2026, 1, 2), 8),
    ]


VALUES = (
    "1", "-7", "+7", "2147483648", "9223372036854775808", "1e3", "1e40", "1.5", "1.0", ".5", "1.5f", "NaN", "Infinity",
    "1_000",
    "2026-01-31", "2026-1-3", "2026-01", "2026-02-30", "2026-01-31 10%3A00%3A00", "2026-01-31 10%3A00%3A00.5",
    "2026-01-31T10", "true", "a%2Fb=c", "é", "0x10", " 1", "12:00", "10-10",
    "99999-01-01",
)  # fmt: skip


@pytest.mark.long
def test_values_have_the_types_that_spark_gives_them(session: SparkSession, tmp_path: Path) -> None:
    told = []
    for number, value in enumerate(VALUES):
        folder = filled(tmp_path / str(number), f"x={value}/a.bin")
        try:
            partitioned(session, folder)
        except AssertionError as error:
            told.append(f"{value}: {str(error).splitlines()[0]}")
    assert not told


@pytest.mark.parametrize(
    "values",
    [
        ("1", "2147483648"),
        ("1", "9223372036854775808"),
        ("2147483648", "99999999999999999999999"),
        ("1", "1.5"),
        ("2147483648", "1.5"),
        ("1", "2026-01-01"),
        ("2026-01-01", "2026-01-31 10%3A00%3A00"),
        ("2026-01-01", "x"),
        ("1", "__HIVE_DEFAULT_PARTITION__"),
    ],
)
def test_values_of_several_types_have_the_type_that_fits_all(
    session: SparkSession, tmp_path: Path, values: tuple[str, ...]
) -> None:
    assert len(partitioned(session, filled(tmp_path, *(f"x={value}/a.bin" for value in values)))) == len(values)


def test_a_base_path_says_where_partitions_begin(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "z=1/dt=2026-01-01/a.bin", "z=1/dt=2026-02-01/b.bin", "z=1/dt=2026-02-02/c.bin")
    below = f"{folder}/z=1/dt=2026-02-*"
    assert partitioned(session, below) == [(), ()]
    assert partitioned(session, below, basePath=folder) == [
        (1, datetime.date(2026, 2, 1)),
        (1, datetime.date(2026, 2, 2)),
    ]
    for format in ("databus", "binaryFile"):
        with pytest.raises(Exception, match="basePath"):
            session.read.format(format).option("basePath", f"{folder}/z=1/dt=2026-01-01").load(below).collect()


def test_directories_between_partitions_and_files_say_nothing(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a=0/no/b=1/c=2/deep/er/a.bin", "a=0/no/b=1/c=3/b.bin")
    assert partitioned(session, folder) == [(1, 2), (1, 3)]
    assert partitioned(session, folder, recursiveFileLookup=True) == [(), ()]
    lookup = {"recursiveFileLookup": False}
    assert ours(session, folder, **lookup) == theirs(session, folder, **lookup)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a=1/a.bin", "b=2/b.bin"), "a.bin has a, .*b.bin has b;"),
        (("a=1/a.bin", "b.bin"), "a.bin has a, .*b.bin has none; .* recursiveFileLookup=true"),
        (("Version=1/a.bin",), "directories are called Version=…, and records have a column Version"),
        (("a=/a.bin",), "the directory a= of .*/a.bin lacks the name or the value"),
    ],
)
def test_directories_that_make_no_sense_are_told(
    session: SparkSession, tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    folder = filled(tmp_path, *names)
    read = session.read.format("databus")
    with pytest.raises(Exception, match=message):
        read.load(folder)
    assert read.option("recursiveFileLookup", True).load(folder).count() == len(names)


def test_a_schema_says_which_partition_columns_and_of_which_type(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a=1/b=07/a.bin", "a=2/b=08/b.bin")
    read = session.read.format("databus")
    assert [tuple(row) for row in read.schema("b string, version smallint").load(folder).collect()] == [
        ("07", 0),
        ("08", 0),
    ]
    assert [tuple(row) for row in read.schema("a tinyint").load(folder).collect()] == [(1,), (2,)]
    for schema, message in (
        ("aa int", "unknown column 'aa'; did you mean 'a'"),
        ("a date", "partition column a is date, and '1' is not"),
        ("a struct<x: int>", "partition column a is struct<x:int>, and '1' is not"),
    ):
        with pytest.raises(Exception, match=message):
            read.schema(schema).load(folder).collect()


def test_columns_may_name_partition_columns(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a=1/b=2/a.bin")
    read = session.read.format("databus")
    for columns, values in (
        ("b, version", (2, 0)),
        ("version", (0,)),
        ("b", (2,)),
        ("b,dbus_event_v2.body_crc", (2, None)),
    ):
        rows = read.option("columns", columns).load(folder)
        assert rows.columns == [column.partition(".")[0].strip() for column in columns.split(",")]
        assert [tuple(row) for row in rows.collect()] == [values]
    with pytest.raises(Exception, match="unknown column 'c'"):
        read.option("columns", "b,c").load(folder)


def test_a_stream_has_partition_columns_too(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", "dt=2026-01-01/a.bin", "dt=2026-01-02/b.bin")
    found: list[tuple[object, ...]] = []

    def run() -> None:
        read = session.readStream.format("databus").option("columns", "dt,version").load(folder)
        query = read.writeStream.foreachBatch(lambda rows, _: found.extend(map(tuple, rows.collect())))
        query = query.option("checkpointLocation", str(tmp_path / "log")).trigger(availableNow=True)
        query.start().awaitTermination()

    run()
    filled(tmp_path / "in", "dt=2026-01-01/c.bin")
    run()
    days = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2), datetime.date(2026, 1, 1)]
    assert found == [(day, 0) for day in days]


# Values at the edges of their types, which need no session


def test_a_partition_may_have_an_exponent_of_any_size() -> None:
    from wireloom.spark.partitions import type_of

    assert type_of(["1e5"]).simpleString() == "decimal(6,0)"
    assert type_of(["1e" + "9" * 30]).simpleString() == "double"


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_a_partition_may_have_any_time(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.spark.partitions import type_of

    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        try:
            found = {type_of([text]).simpleString() for text in ("0001-01-01 00:00:00", "9999-12-31 23:59:59")}
        finally:
            patch.undo()
            time.tzset()
    assert found <= {"timestamp", "string"}
