"""Captures that grow, read as a stream: every record once, whatever happens to the folder and to the query."""

from __future__ import annotations

import gzip
import json
import logging
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from columnar.test_splits import event
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import often
from support.paths import DATA, TESTS

from wireloom import files, registry
from wireloom.codec import DecodeError
from wireloom.codec.cutting import cuts
from wireloom.files import listed
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

pytestmark = pytest.mark.spark

EVENTS = (DATA / "databus" / "stream_scn_regress.bin").read_bytes()
Rows = list[dict[str, Any]]


def dcp(cas: int) -> bytes:
    """A frame of 44 bytes that is known by its CAS."""
    snapshot = {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1}
    return couchbase_dcp.build({"message": "snapshot_marker", "cas": cas, "snapshot_marker": snapshot})


FRAMES = [dcp(number) for number in range(100)]
FRAME = len(FRAMES[0])
JUNK = b"\x01 is no magic of a DCP frame"


def append(path: Path, data: bytes) -> None:
    """Put bytes behind those that a file has."""
    with path.open("ab") as file:
        file.write(data)


def named(folder: Path, name: str, data: bytes, age: int = 0) -> Path:
    """A file that changed so many seconds ago."""
    path = folder / name
    path.write_bytes(data)
    then = time.time() - age
    os.utime(path, (then, then))
    return path


# Triggers of a query without Spark, whose reader and offset are made anew for each as they are after a restart.


class Query:
    """A query over a folder that does what Spark does, one step at a time."""

    def __init__(self, path: Path | str, protocol: str = "couchbase_dcp", **options: object) -> None:
        self.protocol = protocol
        self.options = {"path": str(path), **{name: str(value) for name, value in options.items()}}
        self.offset: dict[str, Any] = self.reader().initialOffset()

    def source(self) -> Any:
        from wireloom.spark.sources import source_of

        return source_of(self.protocol)(self.options)

    def reader(self) -> Any:
        source = self.source()
        return source.streamReader(source.schema())

    def plan(self, limit: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """The offsets of the next batch."""
        reader = self.reader()
        end = reader.latestOffset(self.offset, limit or reader.getDefaultReadLimit())
        return self.offset, json.loads(json.dumps(end))

    def batch(self, start: dict[str, Any], end: dict[str, Any]) -> Rows:
        """The rows between two offsets."""
        reader = self.reader()
        return [
            row for part in reader.partitions(start, end) for batch in reader.read(part) for row in batch.to_pylist()
        ]

    def trigger(self, limit: Any = None) -> Rows:
        """The rows of the next batch."""
        start, self.offset = self.plan(limit)
        return self.batch(start, self.offset)

    def triggers(self) -> list[Rows]:
        """The batches until nothing is left; some may have no rows."""
        found = []
        while True:
            start, end = self.plan()
            if end == start:
                return found
            found.append(self.batch(start, end))
            self.offset = end

    def commit(self) -> None:
        """What Spark does when a batch is done."""
        self.reader().commit(self.offset)

    def known(self) -> dict[str, int]:
        """How many bytes were taken, by the path below the folder."""
        folder = Path(self.options["path"])
        files = self.reader().offsets.state(self.offset).files
        return {str(Path(path).relative_to(folder)): taken.end for path, taken in files.items()}

    def at_once(self) -> Rows:
        """The rows of the batch source."""
        source = self.source()
        reader = source.reader(source.schema())
        return [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]


def cas(rows: Rows) -> list[int | None]:
    return [None if row["cas"] is None else int(row["cas"]) for row in rows]


def joined(rows: Rows) -> Rows:
    """The rows, malformed ones of one reason that follow each other made one."""
    result = []
    for reason, same in groupby(rows, key=lambda row: row["_corrupt_reason"]):
        if reason is None:
            result += list(same)
        else:
            first, *others = same
            result.append({**first, "_corrupt_record": b"".join(row["_corrupt_record"] for row in (first, *others))})
    return result


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
    with pytest.raises(ValueError, match=f"{option} is a number of"):
        Query(tmp_path, **{option: "0"})


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])
def test_new_large_files_are_divided_as_in_batch_reads(
    protocol: str, final: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.columnar import index, splits

    monkeypatch.setattr(splits, "BEFORE_BYTES", 50)
    monkeypatch.setattr(index, "EVERY", 300)
    (tmp_path / "in").mkdir()
    content = b"".join(FRAMES) + JUNK if protocol == "couchbase_dcp" else EVENTS * 12 + bytes(90) + EVENTS[:200]
    path = named(tmp_path / "in", "a.bin", content, 10)
    options = {"maxPartitionBytes": 400, "openCostInBytes": 0, "maxRecordBytes": 500, "positions": True}
    query = Query(tmp_path / "in", protocol, cleanSource="delete" if final else "off", **options)
    if protocol == "couchbase_dcp":
        found, read = registry.protocol(protocol), query.source().read_options
        reading = index.Reading.of(found.name, registry.digest(protocol), read)
        index.write(listed([str(path)])[0], reading, query.reader().captures.decoder().scanner())
    start, end = query.plan()
    parts = [part for partition in query.reader().partitions(start, end) for part in partition.parts]
    assert len(parts) > 5
    whole, rows = query.at_once(), query.batch(start, end)
    if final:
        assert joined(rows) == joined(whole)
        return
    append(path, EVENTS[200:])  # which could be a frame's, too
    query.offset = end
    rows += query.trigger()
    _compare(rows, query.at_once())


def test_no_part_begins_in_a_record_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All in front of it is malformed for so long that a part begins there, and its payload has records, too."""
    from wireloom.columnar import splits

    monkeypatch.setattr(splits, "BEFORE_BYTES", 1500)
    within = event(event(b"a") + event(b"b") + bytes(200))
    options = {"maxPartitionBytes": 400, "openCostInBytes": 0, "maxRecordBytes": len(within), "positions": True}
    for gap in range(900, 1400, 100):
        (tmp_path / str(gap)).mkdir()
        path = named(tmp_path / str(gap), "a.bin", event(b"c") + bytes(gap) + within[:-1], 10)
        query = Query(path.parent, "databus", **options)
        rows = query.trigger()
        append(path, within[-1:] + event(b"d"))
        rows += query.trigger()
        _compare(rows, query.at_once())


# Batches are made of offsets


def test_a_batch_is_the_same_whatever_was_appended_since(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(b"".join(FRAMES[:3]))
    start, end = query.plan()
    append(path, FRAMES[3] + JUNK)
    (tmp_path / "b.bin").write_bytes(FRAMES[4])
    assert cas(query.batch(start, end)) == [0, 1, 2]


def test_a_batch_of_malformed_bytes_is_the_same_whatever_was_appended_since(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK)
    start, end = query.plan()
    before = query.batch(start, end)
    append(path, FRAMES[3] + JUNK)
    assert query.batch(start, end) == before


def test_equal_offsets_give_nothing(tmp_path: Path) -> None:
    query = Query(tmp_path)
    named(tmp_path, "a.bin", FRAMES[0])
    query.trigger()
    assert list(query.reader().partitions(query.offset, query.offset)) == []


@pytest.mark.parametrize("damage", ["lost", "shrunk"])
@pytest.mark.parametrize("data", [FRAMES[0] + FRAMES[1], JUNK], ids=["sound", "malformed"])
def test_a_file_that_is_not_what_was_planned(
    tmp_path: Path, damage: str, data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = named(tmp_path, "a.bin", data)
    named(tmp_path, "b.bin", FRAMES[2])
    query = Query(tmp_path)
    start, end = query.plan()
    if damage == "lost":
        path.unlink()
        message, option = f"{path} is gone, and was still to be read from byte 0 on", "ignoreMissingFiles"
    else:
        path.write_bytes(data[:-1])
        message = f"{path} has {len(data) - 1} bytes now, and had {len(data)} when it was read"
        option = "ignoreCorruptFiles"
    with pytest.raises(OSError, match=message) as failure:
        query.batch(start, end)
    assert failure.value.__notes__ == [f"the option {option}=true leaves such files out"]
    query.options["ignoreCorruptFiles"] = "true"
    with caplog.at_level(logging.WARNING, "wireloom"):
        assert cas(query.batch(start, end)) == [2]
    assert message in caplog.text


def test_a_file_that_is_gone_is_not_taken_for_those_that_its_name_matches(tmp_path: Path) -> None:
    for name, frame in {"[ab].bin": FRAMES[0], "a.bin": FRAMES[1], "b.bin": FRAMES[2]}.items():
        named(tmp_path, name, frame)
    query = Query(tmp_path)
    start, end = query.plan()
    (tmp_path / "[ab].bin").unlink()
    with pytest.raises(FileNotFoundError, match="is gone, and was still to be read"):
        query.batch(start, end)
    query.options["ignoreMissingFiles"] = "true"
    assert sorted(cas(query.batch(start, end))) == [1, 2]  # type: ignore[type-var]


def test_a_consumed_file_that_shrinks_is_an_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, query = named(tmp_path, "a.bin", FRAMES[0] + FRAMES[1]), Query(tmp_path)
    query.trigger()
    path.write_bytes(FRAMES[0])
    with pytest.raises(
        OSError, match=r"has 44 bytes now, and had 88 when it was read.*\nthe option ignoreCorruptFiles=true"
    ):
        query.plan()
    query.options["ignoreCorruptFiles"] = "true"
    assert query.trigger() == []
    assert "has 44 bytes now" in caplog.text


def test_a_deleted_file_is_forgotten_unless_its_folder_is_empty(tmp_path: Path) -> None:
    query = Query(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        named(tmp_path / name, "1.bin", FRAMES[0])
    query.trigger()
    for name in ("a", "b"):
        (tmp_path / name / "1.bin").unlink()
    named(tmp_path / "a", "2.bin", FRAMES[1])
    assert cas(query.trigger()) == [1]
    assert query.known() == {"a/2.bin": 44, "b/1.bin": 44}
    named(tmp_path / "b", "1.bin", FRAMES[0])  # as if it had not been mounted
    assert query.trigger() == []


def test_an_offset_has_a_name_and_few_numbers_for_each_file_or_names_an_entry_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(200):
        (tmp_path / "in" / f"{number:06}.bin").write_bytes(FRAMES[0])
    query, logged = Query(tmp_path / "in"), Query(tmp_path / "in", logLocation=tmp_path / "log")
    assert len(query.trigger()) == len(logged.trigger()) == 200
    assert len(json.dumps(query.offset)) < 200 * 80 + 200
    assert len(json.dumps(logged.offset)) < 100


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
        ({"positions": True}, "positions are _file, _offset, _length, and columns names none of them"),
        ({"metadata": True}, "metadata is _metadata, and columns does not name it"),
        ({"columns": "cas,_metadata.file_name"}, "column '_metadata' is there with metadata=true"),
        ({"columns": "cas,_file"}, "column '_file' is there with positions=true"),
    ],
)
def test_columns_name_what_options_add(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    from wireloom.options import OptionError

    with pytest.raises(OptionError, match=told):
        Query(tmp_path, **{"columns": "cas", **options})


def test_offsets_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    named(tmp_path / "in", "a.bin", FRAMES[0])
    query = Query(tmp_path / "in", logLocation=tmp_path / "log")
    query.trigger()
    for options, told in (
        ({}, "the checkpoint needs the log [0-9a-f]{16}: give logLocation as when the query began"),
        (
            {"logLocation": tmp_path / "other"},
            "there is no .*/other/.*, which the checkpoint needs: .* logLocation is not",
        ),
    ):
        other = Query(tmp_path / "in", **options)
        other.offset = query.offset
        with pytest.raises(ValueError, match=told):
            other.plan()
    query.offset = {"version": 1, "folders": {}}
    with pytest.raises(ValueError, match="the checkpoint has offsets of version 1, not 2"):
        query.plan()


# The log


def logged(tmp_path: Path, **options: object) -> Query:
    """A query with a log over the folder ``in``."""
    (tmp_path / "in").mkdir(exist_ok=True)
    return Query(tmp_path / "in", logLocation=tmp_path / "log", **options)


def test_every_offset_of_a_log_can_be_begun_from_and_old_entries_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many are kept where Spark needs them is what test_log.py tells."""
    monkeypatch.setattr("wireloom.spark.log._KEPT", 20)
    query = logged(tmp_path)
    offsets = [query.offset]
    for number in range(55):
        if number:
            (tmp_path / "in" / f"{number - 1}.bin").unlink()
        named(tmp_path / "in", f"{number}.bin", dcp(number))
        assert cas(query.trigger()) == [number]
        offsets.append(query.offset)
    assert cas(query.batch(offsets[54], offsets[55])) == [54]
    for number in (54, 45, 34):
        query.offset = offsets[number + 1]
        assert query.known() == {f"{number}.bin": FRAME}
    entries = list((tmp_path / "log").glob("*/*"))
    assert len(entries) < 35
    query.offset = offsets[10]
    with pytest.raises(ValueError, match="it was removed"):
        query.plan()


def test_what_was_planned_and_never_used_is_in_nobodys_way(tmp_path: Path) -> None:
    query = logged(tmp_path)
    named(tmp_path / "in", "a.bin", FRAMES[0])
    query.trigger()
    start = query.offset
    named(tmp_path / "in", "b.bin", FRAMES[1])
    _, never = query.plan()
    named(tmp_path / "in", "c.bin", FRAMES[2])
    assert sorted(cas(query.trigger())) == [1, 2]  # type: ignore[type-var]
    named(tmp_path / "in", "d.bin", FRAMES[3])
    assert cas(query.trigger()) == [3]
    assert cas(query.batch(start, never)) == [1]


def test_a_query_that_began_without_a_log_goes_on_with_one(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    query = Query(tmp_path / "in")
    path = named(tmp_path / "in", "a.bin", FRAMES[0])
    query.trigger()
    append(path, FRAMES[1])
    query.options["logLocation"] = str(tmp_path / "log")
    assert cas(query.trigger()) == [1]
    assert "log" in query.offset


@pytest.mark.parametrize("damage", ["none", "torn", "of other bytes", "gone"])
def test_notes_save_following_a_file_from_its_beginning(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.columnar import following

    query, begun = logged(tmp_path), []

    def opened(path: str, offset: int = 0) -> Any:
        begun.append(offset)
        return files.opened(path, offset)

    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:3]) + FRAMES[3][:7])
    query.trigger()
    append(path, FRAMES[3][7:] + FRAMES[4])
    query.trigger()
    (note,) = (tmp_path / "log").glob("*/notes/*")
    if damage == "torn":
        note.write_bytes(note.read_bytes()[:-9])
    elif damage == "of other bytes":
        note.write_text(json.dumps({**json.loads(note.read_text()), "likeness": "0" * 32, "position": FRAME}))
    elif damage == "gone":
        note.unlink()
    append(path, FRAMES[5])
    monkeypatch.setattr(following, "opened", opened)
    assert cas(query.trigger()) == [5]
    assert begun == ([5 * FRAME] if damage == "none" else [0, 5 * FRAME])


def test_a_note_that_cannot_be_written_is_not_missed(tmp_path: Path) -> None:
    query = logged(tmp_path)
    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:3]))
    start, query.offset = query.plan()
    (stream,) = (tmp_path / "log").iterdir()
    (stream / "notes").write_text("no folder")
    assert cas(query.batch(start, query.offset)) == [0, 1, 2]
    append(path, FRAMES[3])
    assert cas(query.trigger()) == [3]


# Files that are replaced


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("size", [10 * FRAME, 12 * FRAME, 200 * FRAME])
def test_a_file_that_is_replaced_is_told_and_never_read_from_the_middle(
    tmp_path: Path, size: int, logs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    query = logged(tmp_path) if logs else Query(tmp_path / "in")
    (tmp_path / "in").mkdir(exist_ok=True)
    path = named(tmp_path / "in", "a.bin", b"".join(FRAMES[:10]), 10)
    query.trigger()
    named(tmp_path / "in", "a.bin", b"".join(map(dcp, range(100, 300)))[:size])
    named(tmp_path / "in", "b.bin", FRAMES[50])
    told = f"{path} was replaced: its first 440 bytes, which were read already, are others now. Give the new"
    with pytest.raises(OSError, match=told):
        query.plan()
    query.options["ignoreCorruptFiles"] = "true"
    reader = query.reader()
    for _ in range(2):
        end = reader.latestOffset(query.offset, reader.getDefaultReadLimit())
    assert cas(query.batch(query.offset, end)) == [50]
    assert caplog.text.count("are others now") == 1


def test_a_file_whose_time_alone_changed_goes_on(tmp_path: Path) -> None:
    query, path = Query(tmp_path), named(tmp_path, "a.bin", FRAMES[0], 100)
    query.trigger()
    named(tmp_path, "a.bin", FRAMES[0])
    assert query.trigger() == []
    append(path, FRAMES[1])
    assert cas(query.trigger()) == [1]


def test_a_file_that_is_replaced_after_it_was_planned_is_an_error_of_the_task(tmp_path: Path) -> None:
    path, query = named(tmp_path, "a.bin", FRAMES[0], 100), Query(tmp_path)
    start, end = query.plan()
    path.write_bytes(FRAMES[1])
    with pytest.raises(OSError, match="are others now"):
        query.batch(start, end)


# Which files


def test_the_latest_first(tmp_path: Path) -> None:
    for number, age in enumerate([10, 30, 20]):
        named(tmp_path, f"{number}.bin", FRAMES[number], age)
    query = Query(tmp_path, maxFilesPerTrigger=2, latestFirst=True)
    assert [cas(rows) for rows in query.triggers()] == [[0, 2], [1]]


def test_files_older_than_the_newest_by_more_than_an_age_are_left_out_and_forgotten(tmp_path: Path) -> None:
    query = Query(tmp_path, maxFileAge="100s")
    named(tmp_path, "0.bin", FRAMES[0], 1000)
    named(tmp_path, "1.bin", FRAMES[1], 950)
    assert cas(query.trigger()) == [0, 1]  # of the first batch, all are valid
    named(tmp_path, "2.bin", FRAMES[2], 1060)
    assert query.trigger() == []
    named(tmp_path, "3.bin", FRAMES[3], 851)
    assert cas(query.trigger()) == [3]
    assert query.known() == {"1.bin": FRAME, "3.bin": FRAME}
    query.options["maxFileAge"] = "1 week"
    assert query.trigger() == []
    assert query.known() == {"1.bin": FRAME, "3.bin": FRAME}


def test_the_age_of_files_is_ignored_where_the_latest_are_first_and_bounded(tmp_path: Path) -> None:
    for number in range(3):
        named(tmp_path, f"{number}.bin", FRAMES[number], 1000 * number)
    query = Query(tmp_path, maxFileAge="1s", latestFirst=True, maxFilesPerTrigger=1)
    assert [cas(rows) for rows in query.triggers()] == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7d", 604800),
        ("12h", 43200),
        ("2 days", 172800),
        ("90 Minutes", 5400),
        ("1500", 1.5),
        ("3min", 180),
        ("1m", 60),
    ],
)
def test_a_duration(tmp_path: Path, text: str, seconds: float) -> None:
    assert Query(tmp_path, maxFileAge=text).reader().source.max_file_age == seconds * 10**9


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"maxFileAge": "soon"}, "maxFileAge is a duration such as 7d, 12h or 30 minutes, not 'soon'"),
        ({"cleanSource": "remove"}, "cleanSource is off, delete or archive, not 'remove'"),
        ({"cleanSource": "archive"}, "cleanSource=archive and sourceArchiveDir, .* are given together"),
        ({"sourceArchiveDir": "/x"}, "cleanSource=archive and sourceArchiveDir, .* are given together"),
        ({"cleanSource": "archive", "sourceArchiveDir": "{}/in/x"}, "sourceArchiveDir is neither in nor above"),
        ({"cleanSource": "archive", "sourceArchiveDir": "{}"}, "sourceArchiveDir is neither in nor above"),
        ({"cleanSource": "archive", "sourceArchiveDir": "mock://b/x"}, "is on the filesystem of what is read"),
        ({"logLocation": "{}/in/log"}, "logLocation is neither in nor above"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Query(tmp_path / "i*", **{name: value.format(tmp_path) for name, value in options.items()})


# Files that are removed when they have been read


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("how", ["delete", "archive"])
def test_files_are_removed_when_they_have_been_read(tmp_path: Path, how: str, logs: bool) -> None:
    folder = tmp_path / "in"
    options = {"cleanSource": how, "maxBytesPerTrigger": 3 * FRAME}
    if how == "archive":
        options["sourceArchiveDir"] = tmp_path / "archive"
    query = logged(tmp_path, **options) if logs else Query(folder, **options)
    folder.mkdir(exist_ok=True)
    contents = {"0.bin": b"".join(FRAMES[:4]), "1.bin": FRAMES[4] + FRAMES[5][:9], "2.bin.gz": gzip.compress(FRAMES[6])}
    for age, (name, content) in enumerate(contents.items()):
        named(folder, name, content, 10 - age)
    whole = query.at_once()
    found = query.trigger()
    query.commit()
    assert sorted(path.name for path in folder.iterdir()) == sorted(contents)
    while rows := query.trigger():
        found += rows
        query.commit()
    assert joined(found) == joined(whole)
    assert found[-2]["_corrupt_record"] == FRAMES[5][:9]
    assert list(folder.iterdir()) == []
    kept = {path.name: path.read_bytes() for path in (tmp_path / "archive").rglob("*") if path.is_file()}
    assert kept == (contents if how == "archive" else {})
    if how == "archive":
        assert (tmp_path / "archive" / folder.relative_to("/") / "0.bin").exists()


@pytest.mark.parametrize("how", ["delete", "archive"])
def test_an_index_goes_where_its_file_goes(tmp_path: Path, how: str) -> None:
    archive = tmp_path / "archive"
    given = {"sourceArchiveDir": archive} if how == "archive" else {}
    query = Query(tmp_path / "in", cleanSource=how, **given)
    (tmp_path / "in").mkdir()
    named(tmp_path / "in", "a.bin", FRAMES[0] * (files.INDEX_EVERY // len(FRAMES[0]) + 1), 10)
    named(tmp_path / "in", "a.bin.wlx", b"of a.bin", 10)
    assert query.trigger()
    query.commit()
    assert list((tmp_path / "in").iterdir()) == []
    kept = sorted(path.name for path in archive.rglob("*") if path.is_file())
    assert kept == (["a.bin", "a.bin.wlx"] if how == "archive" else [])


def test_a_stream_over_another_filesystem(tmp_path: Path) -> None:
    place = f"mock://{tmp_path.name}"

    def put(name: str, data: bytes) -> None:
        with files.created(f"{place}/in/{name}") as stream:
            stream.write(data)

    put("a.bin", FRAMES[0] + FRAMES[1][:9])
    put("b.bin.gz", gzip.compress(FRAMES[2]))
    query = Query(f"{place}/in", logLocation=f"{place}/log")
    assert sorted(cas(query.trigger())) == [0, 2]  # type: ignore[type-var]
    for number in range(1, 14):
        put("a.bin", b"".join(FRAMES[: number + 1]) + FRAMES[number + 1][:9])
        assert cas(query.trigger()) == [number]
    put("a.bin", b"".join(FRAMES[20:40]))
    with pytest.raises(OSError, match=r"a\.bin was replaced: its first 625 bytes, "):
        query.plan()
    query = Query(f"{place}/in", cleanSource="archive", sourceArchiveDir=f"{place}/archive")
    assert len(query.trigger()) == 21
    query.commit()
    kept = [file.path for file in listed([f"{place}/archive"])]
    assert kept == [f"{place}/archive/in/a.bin", f"{place}/archive/in/b.bin.gz"]


def test_one_reader_takes_a_new_file_of_the_name_of_one_it_removed(tmp_path: Path) -> None:
    query = Query(tmp_path, cleanSource="delete")
    reader = query.reader()
    query.reader = lambda: reader  # type: ignore[method-assign]
    for number in range(3):
        named(tmp_path, "a.bin", FRAMES[number] * (number + 1), 10 - number)
        assert len(query.trigger()) == number + 1
        query.commit()
    assert query.trigger() == []


def test_a_file_that_cannot_be_removed_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from wireloom.spark import cleaning

    def denied(path: str) -> None:
        raise PermissionError(f"not allowed: {path}")

    query = Query(tmp_path, cleanSource="delete")
    named(tmp_path, "a.bin", FRAMES[0], 10)
    changed = named(tmp_path, "b.bin", FRAMES[1], 10)
    query.trigger()
    append(changed, FRAMES[2])
    monkeypatch.setattr(cleaning, "removed", denied)
    query.commit()
    assert "a.bin stays: not allowed" in caplog.text
    assert "b.bin stays, as it changed when it had been read" in caplog.text
    with pytest.raises(OSError, match=r"b\.bin has 88 bytes now, and had 44 when it was read"):
        query.plan()


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


# Malformed bytes


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """DCP as a protocol in which nothing can be found behind damage."""
    monkeypatch.setattr(couchbase_dcp.PROTOCOL.framing, "resync", False)


@pytest.mark.usefixtures("endless")
def test_behind_damage_a_file_is_lost_for_ever_where_nothing_is_searched_for(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK[:1])
    found = query.trigger()
    assert [row["_corrupt_record"] for row in found] == [None]  # a byte more would tell
    append(path, JUNK[1:])
    for data in (FRAMES[1], FRAMES[2][:7], b"x"):
        found += query.trigger()
        append(path, data)
    found += query.trigger()
    assert [row["_corrupt_record"] for row in found[1:]] == [JUNK, FRAMES[1], FRAMES[2][:7], b"x"]
    assert joined(found) == query.at_once()


def test_behind_damage_the_next_dcp_frames_are_read(tmp_path: Path) -> None:
    path, query = tmp_path / "a.bin", Query(tmp_path)
    path.write_bytes(FRAMES[0] + JUNK)
    assert cas(query.trigger()) == [0]
    append(path, FRAMES[1])
    assert query.trigger() == []  # another frame behind it will show that it is one
    append(path, FRAMES[2])
    found = query.trigger()
    assert [row["_corrupt_record"] for row in found] == [JUNK, None, None]
    assert query.at_once()[1:] == found


@pytest.mark.usefixtures("endless")
def test_a_lost_file_is_bounded_too(tmp_path: Path) -> None:
    query = Query(tmp_path, maxBytesPerTrigger=FRAME + 10)
    named(tmp_path, "a.bin", FRAMES[0] + JUNK)
    found = query.triggers()
    assert len(found) == 2
    assert joined([row for rows in found for row in rows]) == query.at_once()


def test_damage_in_a_databus_file_is_delivered_once_its_end_is_known(tmp_path: Path) -> None:
    query = Query(tmp_path, "databus")
    framing, parameters = databus.PROTOCOL.framing, query.source().read_options.parameters
    first, *others = (record.length for record in cuts(framing, EVENTS, parameters))
    path = named(tmp_path, "a.bin", EVENTS[:first] + bytes(100))
    assert len(query.trigger()) == 1
    append(path, bytes(50) + EVENTS[:7])
    assert query.trigger() == []
    append(path, EVENTS[7:])
    found = query.trigger()
    assert found[0]["_corrupt_record"] == bytes(150)
    assert len(found) == 2 + len(others)
    assert query.at_once()[1:] == found


@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])
@settings(max_examples=often(5, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_stream_gives_what_a_batch_gives(
    protocol: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stream")
    sound = [FRAMES[0], FRAMES[1] + FRAMES[2]] if protocol == "couchbase_dcp" else [EVENTS, EVENTS]
    junk = [b"\0" * 70, JUNK, EVENTS[:33], b"\x80"]
    chosen = data.draw(st.lists(st.sampled_from(sound * 3 + junk), max_size=6))
    content = b"".join(chosen)
    path = folder / "in" / "a.bin"
    path.parent.mkdir()
    path.touch()
    options: dict[str, object] = {"maxBytesPerTrigger": data.draw(st.sampled_from([60, 300, 10**6])), "positions": True}
    if data.draw(st.booleans()):
        options["logLocation"] = folder / "log"
    query = Query(path.parent, protocol, **options)
    found: Rows = []
    while content:
        size = data.draw(st.integers(1, len(content)))
        append(path, content[:size])
        content = content[size:]
        found += [row for rows in query.triggers() for row in rows]
    _compare(found, query.at_once())


def _compare(found: Rows, expected: Rows) -> None:
    """All rows alike, but that a malformed one may come in pieces, and that some may be waiting: the last one, or all
    from the first on that claims to be longer than what is there; a record in front of these that has to lead to them,
    as it is behind damage; and the damage, whose end it would be.
    """
    for row in (*found, *expected):
        if row["_corrupt_reason"] is not None:
            del row["_length"], row["_offset"]
    found, expected = joined(found), joined(expected)
    reasons = [row["_corrupt_reason"] for row in expected]
    cut = (number for number, reason in enumerate(reasons) if reason is not None and reason.startswith("truncated"))
    least = max(0, min(next(cut, len(expected)), len(expected) - 1))
    least -= least > 1 and reasons[least - 1] is None and reasons[least - 2] is not None
    least -= least > 0 and reasons[least - 1] is not None
    assert found in [expected[:count] for count in range(least, len(expected) + 1)]


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


@pytest.mark.usefixtures("endless")
def test_options_of_the_reader_hold_in_lost_files_too(tmp_path: Path) -> None:
    named(tmp_path, "a.bin", FRAMES[0] + JUNK)
    assert len(Query(tmp_path, mode="DROPMALFORMED").trigger()) == 1
    with pytest.raises(ValueError, match=r"a\.bin: .* at byte 44"):
        Query(tmp_path, mode="FAILFAST").trigger()
    for options in ({"message": "snapshot_marker"}, {"positions": True}, {"columns": "cas,_corrupt_record"}):
        query = Query(tmp_path, **options)
        assert query.trigger() == query.at_once()


# Queries in Spark


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """The session, with the installed protocols as formats."""
    from wireloom.spark import register

    register(spark)
    return spark


def started(rows: DataFrame, target: Path, *, now: bool = False) -> StreamingQuery:
    """A query to parquet files, its checkpoint beside them."""
    writer = rows.writeStream.format("parquet").option("checkpointLocation", f"{target}.checkpoint")
    trigger = {"availableNow": True} if now else {"processingTime": "0 seconds"}
    return writer.trigger(**trigger).start(str(target))  # type: ignore[arg-type]


def written(session: SparkSession, target: Path) -> list[int]:
    """What the query wrote, by CAS."""
    return sorted(int(row.cas) for row in session.read.parquet(str(target)).where("cas is not null").collect())


def test_a_query_takes_what_comes(session: SparkSession, tmp_path: Path) -> None:
    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    rows = session.readStream.format("couchbase_dcp").option("columns", "cas").load(str(folder))
    query = started(rows, target)
    try:
        (folder / "a.bin").write_bytes(FRAMES[0] + FRAMES[1][:7])
        query.processAllAvailable()
        assert written(session, target) == [0]
        append(folder / "a.bin", FRAMES[1][7:])
        (folder / "b.bin.gz").write_bytes(gzip.compress(FRAMES[2]))
        query.processAllAvailable()
        assert written(session, target) == [0, 1, 2]
    finally:
        query.stop()


MINUTE = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def dated(*seconds: float) -> bytes:
    """Databus events, each generated so many seconds after noon."""
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"schema_id": bytes(16), "key": 1, "value": b""}
    times = [int(MINUTE.timestamp()) * 1_000_000_000 + int(each * 1_000_000_000) for each in seconds]
    rows = [{"message": "dbus_event", "dbus_event": {**fields, "nano_timestamp": time}} for time in times]
    return b"".join(databus.build(row, byte_order="big") for row in rows)


def test_a_watermark_on_a_time_of_the_protocol_closes_windows_and_leaves_out_what_is_late(
    session: SparkSession, tmp_path: Path
) -> None:
    from pyspark.sql import functions as fn

    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    events = session.readStream.format("databus").option("message", "dbus_event").load(str(folder))
    counts = events.withWatermark("event_time", "10 seconds").groupBy(fn.window("event_time", "1 minute")).count()
    query = started(counts.selectExpr("unix_timestamp(window.start) AS start", "count"), target)
    try:
        found = []
        for name, capture in (("a", dated(5, 59.9, 70)), ("b", dated(30, 150)), ("c", dated(61, 300))):
            named(folder, name, capture)
            query.processAllAvailable()
            rows = session.read.schema("start long, count long").parquet(str(target)).collect()
            found.append(sorted((row.start - int(MINUTE.timestamp()), row["count"]) for row in rows))
    finally:
        query.stop()
    assert found == [[(0, 2)], [(0, 2), (60, 1)], [(0, 2), (60, 1), (120, 1)]]


def test_available_now_goes_on_from_its_checkpoint(session: SparkSession, tmp_path: Path) -> None:
    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number in range(4):
        named(folder, f"{number}.bin", FRAMES[2 * number] + FRAMES[2 * number + 1] + FRAMES[90][: 7 * number])
    options = {"columns": "cas", "maxFilesPerTrigger": 2, "maxBytesPerTrigger": 3 * FRAME}
    options["logLocation"] = str(tmp_path / "log")
    rows = session.readStream.format("couchbase_dcp").options(**options).load(str(folder))
    query = started(rows, target, now=True)
    assert query.awaitTermination(600)
    assert [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]] == [3, 2, 3]
    left = [json.loads(progress.sources[0].latestOffset) for progress in query.recentProgress]
    assert left[0] == {"format": "couchbase_dcp", "path": str(folder), "backlog": {"files": 3, "bytes": 5 * FRAME + 42}}
    assert left[-1]["backlog"] == {"files": 0, "bytes": 0}
    append(folder / "3.bin", FRAMES[90][21:] + FRAMES[91])
    named(folder, "4.bin", FRAMES[92])
    assert started(rows, target, now=True).awaitTermination(600)
    assert written(session, target) == [*range(8), 90, 91, 92]
    (note,) = {json.loads(note.read_text())["position"] for note in (tmp_path / "log").glob("*/notes/*")} - {2 * FRAME}
    assert note == 4 * FRAME
    offsets = [path.read_text() for path in Path(f"{target}.checkpoint").glob("offsets/[0-9]*")]
    assert max(len(offset) for offset in offsets) < 2000  # most of it are Spark's settings


def test_which_files_are_taken_and_what_becomes_of_them(session: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, age in enumerate([10, 30, 20]):
        named(folder, f"{number}.bin", FRAMES[number], age)
    options = {"columns": "cas", "cleanSource": "archive", "sourceArchiveDir": str(tmp_path / "archive")}
    reader = session.readStream.format("couchbase_dcp").options(**options).option("maxFileAge", "15 seconds")
    query = started(reader.load(str(folder)), tmp_path / "out", now=True)
    assert query.awaitTermination(600)
    named(folder, "3.bin", FRAMES[3], 100)
    named(folder, "4.bin", FRAMES[4])
    assert started(reader.load(str(folder)), tmp_path / "out", now=True).awaitTermination(600)
    assert written(session, tmp_path / "out") == [0, 1, 2, 4]
    archived = {path.name for path in (tmp_path / "archive").rglob("*.bin")}
    assert {"0.bin", "1.bin", "2.bin"} <= archived <= {f"{number}.bin" for number in (0, 1, 2, 4)}
    reader = session.readStream.format("couchbase_dcp").option("latestFirst", "true").option("cleanSource", "delete")
    reader = reader.option("maxFilesPerTrigger", 1).option("columns", "cas")
    named(folder, "4.bin", FRAMES[4])
    query = started(reader.load(str(folder)), tmp_path / "latest", now=True)
    assert query.awaitTermination(600)
    assert written(session, tmp_path / "latest") == [3, 4]
    assert [path.name for path in folder.iterdir()] in (
        [],
        ["3.bin"],
    )  # the last batch is told when the next is planned


def test_a_schema_and_damage_are_heeded(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    capture = FRAMES[0] + JUNK + FRAMES[1] + FRAMES[2]
    named(tmp_path / "in", "a.bin", capture)
    reader = session.readStream.format("couchbase_dcp").schema("_corrupt_reason string, cas decimal(20,0)")
    query = started(reader.load(str(tmp_path / "in")), tmp_path / "out", now=True)
    assert query.awaitTermination(600)
    found = session.read.parquet(str(tmp_path / "out")).orderBy("cas").collect()
    assert [row.cas for row in found] == [None, 0, 1, 2]
    assert found[0]._corrupt_reason == list(couchbase_dcp.iter_records(capture, "PERMISSIVE"))[1]["_corrupt_reason"]


def test_a_file_that_is_replaced_fails_the_query_with_its_name(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = named(tmp_path / "in", "a.bin", FRAMES[0] + FRAMES[1], 10)
    rows = session.readStream.format("couchbase_dcp").option("columns", "cas").load(str(tmp_path / "in"))
    assert started(rows, tmp_path / "out", now=True).awaitTermination(600)
    path.write_bytes(FRAMES[2] + FRAMES[3] + FRAMES[4])
    with pytest.raises(Exception, match=r"a\.bin was replaced: its first 88 bytes, "):
        started(rows, tmp_path / "out", now=True).awaitTermination(600)


@pytest.mark.sweep
@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_killed_process_repeats_and_loses_nothing(session: SparkSession, kills: int, tmp_path: Path) -> None:
    folder, target = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    shares = [b"".join(map(dcp, range(500 * number, 500 * number + 500))) for number in range(kills)]
    half = len(shares[0]) // 2 + 7
    for number, share in enumerate(shares):
        (folder / f"{number}.bin").write_bytes(share[:half])
    for number, share in enumerate(shares):
        _killed_in_the_middle(folder, target, batches=1 if number else 2)
        append(folder / f"{number}.bin", share[half:])
    options = {"columns": "cas,_corrupt_reason", "logLocation": f"{target}.log"}
    rows = session.readStream.format("couchbase_dcp").options(**options).load(str(folder))
    assert started(rows, target, now=True).awaitTermination(600)
    assert written(session, target) == list(range(500 * kills))


def _killed_in_the_middle(folder: Path, target: Path, batches: int) -> None:
    """Run a query, and kill it with the JVM it started when so many more batches are planned and the last is not done.

    The last one is planned and not done when its offset is there, as that is written before its rows are read.
    """
    checkpoint = Path(f"{target}.checkpoint")
    planned = [int(path.name) for path in (checkpoint / "offsets").glob("[0-9]*")]
    wanted = checkpoint / "offsets" / str(max(planned, default=-1) + batches)
    script = [sys.executable, "-m", "support.streaming_query", str(folder), str(checkpoint), str(target)]
    process = subprocess.Popen(script, start_new_session=True, env={**os.environ, "PYTHONPATH": str(TESTS)})
    try:
        deadline = time.monotonic() + 600
        while not wanted.exists():
            assert process.poll() is None, "the query ended by itself"
            assert time.monotonic() < deadline, "the query takes too long"
            time.sleep(0.002)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not (checkpoint / "commits" / wanted.name).exists()
