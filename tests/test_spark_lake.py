"""Folders as lakes have them, held against what Spark's own file sources make of the same folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

NOOP = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0x5C, "unknown": {}})


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    from wireloom.spark import register

    register(spark)
    return spark


def filled(folder: Path, *names: str) -> str:
    """The folder with a capture under each name, changed an hour after the one before, from midnight 2026-01-01 on."""
    for hour, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(NOOP)
        os.utime(folder / name, (1767225600 + 3600 * hour,) * 2)
    return str(folder)


def ours(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    read = session.read.format("couchbase_dcp").options(columns="_file", positions=True).options(**options)
    return {row._file for row in read.load(path).collect()}


def theirs(session: SparkSession, path: str | list[str], **options: object) -> set[str]:
    rows = session.read.format("binaryFile").options(**options).load(path).select("path").collect()
    return {unquote(row.path).removeprefix("file:") for row in rows}


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
        ({"recursiveFileLookup": "deep"}, "recursiveFileLookup is true or false, not 'deep'"),
    ],
)
def test_an_option_that_is_wrong_is_told(
    session: SparkSession, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(Exception, match=message):
        session.read.format("couchbase_dcp").options(**options).load(filled(tmp_path, "a.bin"))


def test_a_stream_takes_the_files_that_are_chosen(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path / "in", "a.bin", "b.dat", "c.bin")
    read = session.readStream.format("couchbase_dcp").option("positions", True).option("pathGlobFilter", "*.bin")
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
    rows = session.read.format("couchbase_dcp").option(option, True).load(folder)
    planned = rows.rdd
    (tmp_path / "b.bin").unlink()
    assert planned.count() == 1


def test_a_file_that_goes_between_planning_and_reading_fails_the_query(session: SparkSession, tmp_path: Path) -> None:
    folder = filled(tmp_path, "a.bin", "b.bin")
    planned = session.read.format("couchbase_dcp").load(folder).rdd
    (tmp_path / "b.bin").unlink()
    with pytest.raises(Exception, match=r"No such file or directory.*b\.bin"):
        planned.count()


def test_a_damaged_file_is_not_a_missing_one(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.bin.gz").write_bytes(b"no gzip")
    rows = session.read.format("couchbase_dcp").option("ignoreMissingFiles", True).load(str(tmp_path))
    with pytest.raises(Exception, match=r"a\.bin\.gz"):
        rows.collect()


def test_a_path_that_is_wrong_is_an_error_all_the_same(session: SparkSession, tmp_path: Path) -> None:
    for format in ("couchbase_dcp", "binaryFile"):
        with pytest.raises(Exception, match="nosuch"):
            session.read.format(format).option("ignoreMissingFiles", True).load(f"{tmp_path}/nosuch").collect()
