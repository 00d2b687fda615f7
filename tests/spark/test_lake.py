"""Folders as lakes have them, held against what Spark's own file sources make of the same folders."""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.paths import DATA

from wireloom_protocols import databus

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EVENTS = (DATA / "databus" / "stream_scn_regress.bin").read_bytes() * 10
EVENT = EVENTS[:68]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    from wireloom.spark import register

    register(spark)
    return spark


def filled(folder: Path, *names: str) -> str:
    """The folder with a capture under each name, changed an hour after the one before, from midnight 2026-01-01 on."""
    for hour, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(EVENT)
        os.utime(folder / name, (1767225600 + 3600 * hour,) * 2)
    return str(folder)


def ours(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    read = session.read.format("databus").options(columns="_file", positions=True).options(**options)
    return {row._file for row in read.load(path).collect()}


def theirs(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    rows = session.read.format("binaryFile").options(**options).load(path).select("path").collect()
    return {row.path.removeprefix("file:") for row in rows}


# Which files


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 3),
        ({"pathGlobFilter": "*.bin"}, 2),
        ({"pathGlobFilter": "{a,c}.[^x]*"}, 2),
        ({"pathGlobFilter": "top*"}, 0),
        ({"modifiedAfter": "2026-01-01T00:00:00"}, 2),
        ({"modifiedBefore": "2026-01-01T02:00:00Z", "modifiedAfter": "2025-12-31"}, 2),
        ({"modifiedBefore": "2026-01-01 02:00:00.001+00:00"}, 3),
        ({"recursiveFileLookup": True}, 4),
        ({"recursiveFileLookup": "true", "PATHGLOBFILTER": "d*"}, 1),
    ],
)
def test_the_same_files_are_found(
    session: SparkSession, tmp_path: Path, options: dict[str, object], count: int
) -> None:
    folder = filled(tmp_path, "a.bin", "b.bin", "c.dat", "deep/d.bin", "_hidden", ".hidden", "e.bin._COPYING_")
    expected = theirs(session, folder, **options)
    assert len(expected) == count
    assert ours(session, folder, **{"recursiveFileLookup": False, **options}) == expected


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"modifiedAfter": "2025-12-31T22:00:00", "timeZone": "-02:00"}, "bc"),
        ({"modifiedAfter": "2026-01-01 06:30:00", "TIMEZONE": "Asia/Kolkata"}, "c"),
        ({"modifiedBefore": "2026-01-01T00:30:00Z", "timeZone": "Asia/Kolkata"}, "a"),
        ({"modifiedBefore": "2026-01-01 00:30:00"}, "a"),
    ],
)
def test_times_are_in_a_time_zone(
    session: SparkSession, tmp_path: Path, options: dict[str, object], names: str
) -> None:
    """Not held against Spark's own sources, which shift by the zone twice: what they take for 22:00 here is 02:00."""
    folder = filled(tmp_path, "a.bin", "b.bin", "c.bin")
    assert ours(session, folder, **options) == {f"{folder}/{name}.bin" for name in names}


def test_unless_told_otherwise_a_directory_is_everything_below_it(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a.bin", "deep/er/b.bin")
    assert ours(session, folder) == theirs(session, folder, recursiveFileLookup=True)


def test_a_file_that_is_named_is_filtered_too(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a.bin", "b.dat")
    paths = [f"{folder}/a.bin", f"{folder}/b.dat"]
    assert theirs(session, paths, pathGlobFilter="*.bin") == {paths[0]}
    assert ours(session, paths, pathGlobFilter="*.bin", recursiveFileLookup=False) == {paths[0]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pathGlobFiler": "*"}, "unknown option 'pathglobfiler'; did you mean 'pathGlobFilter'"),
        ({"modifiedBefore": "yesterday"}, "modifiedBefore is a time such as 2026-01-31T10:00:00, not 'yesterday'"),
        ({"timeZone": "Mars"}, "timeZone is a time zone such as Europe/Paris or .02:00, not 'Mars'"),
        ({"recursiveFileLookup": "deep"}, "recursiveFileLookup is true or false, not 'deep'"),
    ],
)
def test_an_option_that_is_wrong_is_told(
    session: SparkSession, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Exception, match=message):
        session.read.format("databus").options(**options).load(filled(tmp_path, "a.bin"))


def test_a_stream_takes_the_files_that_are_chosen(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", "a.bin", "b.dat", "c.bin")
    read = session.readStream.format("databus").option("positions", True).option("pathGlobFilter", "*.bin")
    read = read.option("modifiedAfter", "2026-01-01T00:00:00Z")
    found: list[str] = []
    query = read.load(folder).writeStream.foreachBatch(
        lambda rows, _: found.extend(row._file for row in rows.collect())
    )
    query.option("checkpointLocation", str(tmp_path / "log")).trigger(availableNow=True).start().awaitTermination()
    assert found == [f"{folder}/c.bin"]


# Files that are gone


@pytest.mark.parametrize("option", ["ignoreMissingFiles", "ignoreCorruptFiles"])
def test_a_file_that_goes_between_planning_and_reading_is_left_out(
    session: SparkSession, tmp_path: Path, option: str
) -> None:
    folder = filled(tmp_path, "a.bin", "b.bin")
    rows = session.read.format("databus").option(option, True).load(folder)
    planned = rows.rdd
    (tmp_path / "b.bin").unlink()
    assert planned.count() == 1


def test_a_file_that_goes_between_planning_and_reading_fails_the_query(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a.bin", "b.bin")
    planned = session.read.format("databus").load(folder).rdd
    (tmp_path / "b.bin").unlink()
    with pytest.raises(Exception, match=r"FileNotFoundError: .*b\.bin.*\s+the option ignoreMissingFiles=true"):
        planned.count()


def test_a_damaged_file_is_not_a_missing_one(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.bin.gz").write_bytes(b"no gzip")
    rows = session.read.format("databus").option("ignoreMissingFiles", True).load(str(tmp_path))
    (row,) = rows.collect()
    assert row._corrupt_reason.startswith("damaged: ")


def test_a_path_that_is_wrong_is_an_error_all_the_same(session: SparkSession, tmp_path: Path) -> None:
    for format in ("databus", "binaryFile"):
        with pytest.raises(Exception, match="nosuch"):
            session.read.format(format).option("ignoreMissingFiles", True).load(f"{tmp_path}/nosuch").collect()


# Partition columns


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
        (("a=/a.bin",), "the directory a= of .*/a.bin lacks a name or a value"),
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


NULL = "__HIVE_DEFAULT_PARTITION__"


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


# Metadata


def test_metadata_tells_of_the_file_as_spark_does(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "x=1/a b%é.bin", "x=2/b.bin")
    rows = session.read.format("databus").option("metadata", True).load(folder)
    own = session.read.format("binaryFile").load(folder)
    assert (
        rows.select("_metadata.*", "x").orderBy("x").collect() == own.select("_metadata.*", "x").orderBy("x").collect()
    )
    assert rows.columns[-2:] == ["x", "_metadata"]


def test_metadata_tells_which_part_of_a_file_was_read(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(EVENTS)
    read = session.read.format("databus").options(metadata=True, positions=True, maxPartitionBytes=1000)
    found = read.load(str(tmp_path)).select("_metadata.*", "_offset").orderBy("_offset").collect()
    blocks = sorted({(row.file_block_start, row.file_block_length) for row in found})
    assert len(blocks) > 1
    assert [start for start, _ in blocks] == [0, *(start + length for start, length in blocks)][:-1]
    assert sum(length for _, length in blocks) == len(EVENTS) == found[0].file_size
    assert all(0 <= row._offset - row.file_block_start < row.file_block_length for row in found)


def test_columns_may_name_a_part_of_metadata(session: SparkSession, tmp_path: Path) -> None:
    read = session.read.format("databus").option("metadata", True)
    folder = filled(tmp_path, "a.bin")
    few = read.option("columns", "_metadata.file_size,version,_metadata.file_name").load(folder)
    assert few.collect() == [(("a.bin", len(EVENT)), 0)]
    assert few.schema["_metadata"].dataType.names == ["file_name", "file_size"]
    whole = read.option("columns", "_metadata.file_name,_metadata").load(folder)
    assert whole.collect() == read.load(folder).select("_metadata").collect()
    with pytest.raises(Exception, match=r"unknown column '_metadata.name'; did you mean '_metadata.file_name'"):
        read.option("columns", "_metadata.name").load(folder)


def test_a_schema_may_have_a_part_of_metadata(session: SparkSession, tmp_path: Path) -> None:
    read = session.read.format("databus").option("metadata", True)
    folder = filled(tmp_path, "a.bin")
    assert [tuple(row) for row in read.schema("_metadata struct<file_name: string>").load(folder).collect()] == [
        (("a.bin",),)
    ]
    with pytest.raises(Exception, match=r"unknown column '_metadata.name'; did you mean '_metadata.file_name'"):
        read.schema("_metadata struct<name: string>").load(folder).collect()


# Values at the edges of their types, which need no session


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("modifiedAfter", "0001-01-01T00:00:00+23:59"),
        ("modifiedBefore", "9999-12-31T23:59:59-23:59"),
        ("maxFileAge", "9" * 5000),
        ("maxFilesPerTrigger", "9" * 5000),
        ("maxPartitionBytes", "9" * 5000),
        ("openCostInBytes", "9" * 5000 + "m"),
    ],
)
def test_a_value_that_is_out_of_range_is_told(option: str, value: str) -> None:
    from wireloom.options import OptionError
    from wireloom.spark.options import SourceOptions

    with pytest.raises(OptionError, match=f"{option} is a "):
        SourceOptions.of({option: value})


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


def test_metadata_of_a_time_that_no_date_has() -> None:
    from wireloom.files import CaptureFile
    from wireloom.spark.metadata import metadata

    times = [metadata(CaptureFile("/a", 1, modified), 0, None)["file_modification_time"] for modified in (0, 2**92)]
    assert times == [None, None]
