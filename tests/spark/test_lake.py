"""Folders as lakes have them: which files are read, and what metadata tells of them, held against Spark's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.lake_folders import EVENT, EVENTS, filled, ours, theirs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


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
        ({"modifiedBefore": "yesterday"}, "modifiedBefore must be a time such as 2026-01-31T10:00:00, not 'yesterday'"),
        ({"timeZone": "Mars"}, "timeZone must be a time zone such as Europe/Paris or .02:00, not 'Mars'"),
        ({"recursiveFileLookup": "deep"}, "recursiveFileLookup must be true or false, not 'deep'"),
    ],
)
def test_an_option_that_is_wrong_is_told(
    session: SparkSession, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Exception, match=message):
        session.read.format("databus").options(**options).load(filled(tmp_path, "a.bin"))


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

    with pytest.raises(OptionError, match=f"{option} must be "):
        SourceOptions.of({option: value})


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


def test_metadata_of_a_time_that_no_date_has() -> None:
    from wireloom.files import CaptureFile
    from wireloom.spark.metadata import metadata

    times = [metadata(CaptureFile("/a", 1, modified), 0, None)["file_modification_time"] for modified in (0, 2**92)]
    assert times == [None, None]
