"""Files that grow, read as a stream: every record once, in batches that are as large as is allowed."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from spark.growing_captures import FRAME, FRAMES, JUNK, append, named
from spark.stepwise_query import Query, cas
from wireloom.codec import DecodeError

pytestmark = pytest.mark.spark


def test_new_files_are_taken_once(tmp_path: Path) -> None:
    query = Query(tmp_path)
    assert query.trigger() == []
    (tmp_path / "a.bin").write_bytes(FRAMES[0] + FRAMES[1])
    assert cas(query.trigger()) == [0, 1]
    assert query.trigger() == []
    (tmp_path / "day").mkdir()
    (tmp_path / "day" / "b.bin").write_bytes(FRAMES[2])
    assert cas(query.trigger()) == [2]


@pytest.mark.parametrize("torn", [0, 1, 7, 23, 24, 25, 43])
def test_an_incomplete_frame_waits_for_its_rest(tmp_path: Path, torn: int) -> None:
    query, path = Query(tmp_path), tmp_path / "a.bin"
    path.write_bytes(FRAMES[0] + FRAMES[1][:torn])
    assert cas(query.trigger()) == [0]
    append(path, FRAMES[1][torn:] + FRAMES[2][:7])
    assert cas(query.trigger()) == [1]
    assert query.trigger() == []
    append(path, FRAMES[2][7:])
    assert cas(query.trigger()) == [2]
    assert query.known() == {"a.bin": 3 * FRAME}


def test_one_reader_sees_what_was_appended_to_a_file_that_waited(tmp_path: Path) -> None:
    query, path = Query(tmp_path), tmp_path / "a.bin"
    reader = query.reader()
    path.write_bytes(FRAMES[0][:7])
    first = reader.latestOffset(query.offset, reader.getDefaultReadLimit())
    assert query.batch(query.offset, first) == []
    assert reader.latestOffset(first, reader.getDefaultReadLimit()) == first
    append(path, FRAMES[0][7:])
    second = reader.latestOffset(first, reader.getDefaultReadLimit())
    assert cas(query.batch(first, second)) == [0]


def test_a_list_of_paths_and_a_pattern_that_has_no_file_yet(tmp_path: Path) -> None:
    query = Query(tmp_path / "a*.bin")
    assert query.trigger() == []
    named(tmp_path, "a1.bin", FRAMES[0])
    named(tmp_path, "b1.bin", FRAMES[1])
    assert cas(query.trigger()) == [0]
    both = Query(tmp_path, paths=json.dumps([str(tmp_path / "a1.bin"), str(tmp_path / "b*.bin")]))
    assert sorted(cas(both.trigger())) == [0, 1]  # type: ignore[type-var]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file or directory"):
        Query(tmp_path / "absent").trigger()


def test_available_now_is_what_was_there_when_the_query_began(tmp_path: Path) -> None:
    path, query = (
        named(tmp_path, "a.bin", FRAMES[0] + FRAMES[1] + FRAMES[2][:9]),
        Query(tmp_path, maxBytesPerTrigger=44),
    )
    reader = query.reader()
    reader.prepareForTriggerAvailableNow()
    append(path, FRAMES[2][9:])
    named(tmp_path, "b.bin", FRAMES[3])
    found = []
    while (end := reader.latestOffset(query.offset, reader.getDefaultReadLimit())) != query.offset:
        found += cas(query.batch(query.offset, end))
        query.offset = end
    assert found == [0, 1]
    assert [cas(rows) for rows in query.triggers()] == [[2], [3]]


# Bounds


def test_files_are_admitted_oldest_first(tmp_path: Path) -> None:
    for number, age in enumerate([10, 30, 20, 40, 20]):
        named(tmp_path, f"{number}.bin", FRAMES[number], age - 5 * (number == 2))
    query = Query(tmp_path, maxFilesPerTrigger=2)
    assert [cas(rows) for rows in query.triggers()] == [[3, 1], [4, 2], [0]]


def test_bytes_are_bounded_within_a_file(tmp_path: Path) -> None:
    named(tmp_path, "a.bin", b"".join(FRAMES[:5]), 10)
    named(tmp_path, "b.bin", b"".join(FRAMES[5:7]))
    query = Query(tmp_path, maxBytesPerTrigger=2 * FRAME + 43)
    assert [cas(rows) for rows in query.triggers()] == [[0, 1], [2, 3, 4], [5, 6]]


def test_both_bounds_hold_together(tmp_path: Path) -> None:
    for number in range(4):
        named(tmp_path, f"{number}.bin", b"".join(FRAMES[3 * number : 3 * number + 3]), 10 - number)
    query = Query(tmp_path, maxFilesPerTrigger=2, maxBytesPerTrigger=4 * FRAME)
    assert [len(rows) for rows in query.triggers()] == [4, 4, 4]
    query = Query(tmp_path, maxFilesPerTrigger=1, maxBytesPerTrigger=4 * FRAME)
    assert [len(rows) for rows in query.triggers()] == [3, 3, 3, 3]


def test_a_record_that_is_larger_than_the_bound_takes_several_batches(tmp_path: Path) -> None:
    named(tmp_path, "0.bin", FRAMES[0][:10], 20)  # waits, and keeps nobody else waiting
    named(tmp_path, "a.bin", FRAMES[0] + FRAMES[1], 10)
    named(tmp_path, "b.bin.gz", gzip.compress(FRAMES[2]))
    query = Query(tmp_path, maxBytesPerTrigger=30, maxFilesPerTrigger=1)
    assert [cas(rows) for rows in query.triggers()] == [[], [], [0], [1], [2]]


def test_limits_of_spark_hold(tmp_path: Path) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxFiles

    for number in range(3):
        named(tmp_path, f"{number}.bin", FRAMES[number] * 3, 10 - number)
    query = Query(tmp_path, maxBytesPerTrigger=4 * FRAME)
    assert len(query.trigger(ReadMaxFiles(1))) == 3
    assert len(query.trigger(ReadMaxBytes(FRAME))) == 1
    assert len(query.trigger(ReadAllAvailable())) == 5
    assert query.reader().getDefaultReadLimit() == ReadMaxBytes(4 * FRAME)
    assert Query(tmp_path, maxFilesPerTrigger=7).reader().getDefaultReadLimit() == ReadMaxFiles(7)


@pytest.mark.parametrize("option", ["maxFilesPerTrigger", "maxBytesPerTrigger"])
def test_a_bound_is_a_number_above_0(tmp_path: Path, option: str) -> None:
    with pytest.raises(ValueError, match=f"{option} must be a positive number of"):
        Query(tmp_path, **{option: "0"})


# Compressed files


def test_a_compressed_file_is_taken_whole_when_it_appears(tmp_path: Path) -> None:
    query = Query(tmp_path, maxBytesPerTrigger=1)
    path = named(tmp_path, "a.bin.gz", b"")
    assert query.trigger() == []
    path.write_bytes(gzip.compress(b"".join(FRAMES[:3]) + JUNK))
    rows = query.trigger()
    assert rows == query.at_once()
    assert query.trigger() == []
    append(path, gzip.compress(FRAMES[3]))
    with pytest.raises(OSError, match=r"a\.bin\.gz has \d+ bytes now, and had \d+ when it was read"):
        query.trigger()


def test_a_truncated_compressed_file_is_told_or_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    query = Query(tmp_path)
    named(tmp_path, "a.bin.gz", gzip.compress(os.urandom(100))[:-9])
    named(tmp_path, "b.bin", FRAMES[2])
    start, end = query.plan()
    (*_, last) = (row["_corrupt_reason"] for row in query.batch(start, end) if row["_corrupt_reason"])
    assert last.startswith("damaged: ")
    query.options["mode"] = "FAILFAST"
    with pytest.raises(DecodeError, match=r"a\.bin\.gz"):
        query.batch(start, end)
    query.options |= {"ignoreCorruptFiles": "true", "mode": "DROPMALFORMED"}
    assert cas(query.batch(start, end)) == [2]
    assert "a.bin.gz" in caplog.text


# Options of the reader


def test_what_a_reader_refuses_is_told_when_the_query_begins(tmp_path: Path) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable
    from pyspark.sql.types import BooleanType, StructField, StructType

    from wireloom.options import OptionError

    refused = Query(tmp_path).source().streamReader(StructType([StructField("cas", BooleanType())]))
    for begin in (refused.initialOffset, lambda: refused.latestOffset({}, ReadAllAvailable())):
        with pytest.raises(OptionError, match="cas"):
            begin()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"positions": True}, "positions adds _file, _offset, _length; add at least one of them to columns"),
        ({"metadata": True}, "metadata adds _metadata; add it to columns"),
        ({"columns": "cas,_metadata.file_name"}, "column '_metadata' requires metadata=true"),
        ({"columns": "cas,_file"}, "column '_file' requires positions=true"),
    ],
)
def test_columns_name_what_options_add(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    from wireloom.options import OptionError

    with pytest.raises(OptionError, match=told):
        Query(tmp_path, **{"columns": "cas", **options})
