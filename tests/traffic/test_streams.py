"""Streams of rotated files: connections go on from batch to batch, whatever happens to the query in between."""

from __future__ import annotations

import gzip
import json
import os
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark.stepwise_query import Query, Rows
from support.traffic import Flow, written

from traffic.recorded_frames import ALL, ENDS, SENT
from wireloom.codec import DecodeError
from wireloom.options import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PACKETS = Flow(size=100).sent(SENT)
PART = 50
PARTS = -(-len(PACKETS) // PART)


def arrives(folder: Path, number: int) -> Path:
    """The next file of the recording. All records straddle packets, and some straddle files."""
    return written(folder / f"trace_{number:05}.pcap", PACKETS[PART * number : PART * (number + 1)])


def query(tmp_path: Path, *, logs: bool = True, **options: object) -> Query:
    log = {"logLocation": tmp_path / "log"} if logs else {}
    folder = tmp_path / "traces"
    folder.mkdir(exist_ok=True)
    return Query(folder, rotated=True, connections=True, **log, **options)


def seqnos(rows: Rows) -> list[int]:
    assert [row["_corrupt_reason"] for row in rows if row["_corrupt_reason"] is not None] == []
    return [row["mutation"]["by_seqno"] for row in rows]


def complete(*numbers: int) -> list[int]:
    """The records whose last byte is in these files; all packets but the first one have 100 bytes of the stream."""
    first, stop = (bisect_right(ENDS, 100 * max(0, PART * number - 1)) for number in (numbers[0], numbers[-1] + 1))
    return ALL[first:stop]


@pytest.mark.parametrize("logs", [True, False])
@pytest.mark.parametrize("at_once", [1, 3])
def test_each_record_comes_once_and_with_the_file_that_completes_it(tmp_path: Path, logs: bool, at_once: int) -> None:
    stream = query(tmp_path, logs=logs)
    for first in range(0, PARTS, at_once):
        numbers = range(first, min(first + at_once, PARTS))
        for number in numbers:
            arrives(tmp_path / "traces", number)
        assert seqnos(stream.trigger()) == complete(*numbers)
    assert stream.trigger() == []


def test_files_are_taken_in_the_order_of_their_names(tmp_path: Path) -> None:
    stream = query(tmp_path, maxFilesPerTrigger=1)
    for number in range(3):
        os.utime(arrives(tmp_path / "traces", number), (1000 - number, 1000 - number))
    assert [seqnos(rows) for rows in stream.triggers()] == [complete(number) for number in range(3)]


def test_names_have_their_folders(tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
    for number, folder in enumerate("aab"):
        arrives(tmp_path / folder, number)
    stream = Query("", rotated=True)
    del stream.options["path"]
    stream.options["paths"] = json.dumps([str(tmp_path / "b"), str(tmp_path / "a")])
    assert seqnos(stream.trigger()) == complete(0, 2)
    incomplete = stream.at_once()[-1:]
    assert seqnos(stream.at_once()[:-1]) == complete(0, 2)
    assert [row["_corrupt_reason"].partition(":")[0] for row in incomplete] == ["truncated"]


def test_files_that_were_read_are_removed(tmp_path: Path) -> None:
    stream = query(tmp_path, cleanSource="delete")
    for number in range(4):
        arrives(tmp_path / "traces", number)
        assert seqnos(stream.trigger()) == complete(number)
        stream.commit()
    assert not any((tmp_path / "traces").iterdir())


def test_a_batch_that_is_repeated_has_the_same_rows(tmp_path: Path) -> None:
    stream = query(tmp_path)
    arrives(tmp_path / "traces", 0)
    stream.trigger()
    arrives(tmp_path / "traces", 1)
    plan = stream.plan()
    for _ in range(3):
        assert seqnos(stream.batch(*plan)) == complete(1)


def test_batches_that_nobody_reads_are_made_up_for(tmp_path: Path) -> None:
    stream = query(tmp_path)
    for number in range(4):
        arrives(tmp_path / "traces", number)
        if number in (1, 2):
            _, stream.offset = stream.plan()
        else:
            assert seqnos(stream.trigger()) == complete(number)


def kept(tmp_path: Path) -> list[Path]:
    """How conversations went on, batch by batch."""
    return sorted(tmp_path.glob("log/*/conversations/*"), key=lambda path: int(path.name.partition("-")[0]))


def test_what_is_kept_is_damaged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stream = query(tmp_path)
    arrives(tmp_path / "traces", 0)
    stream.trigger()
    (path,) = kept(tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    arrives(tmp_path / "traces", 1)
    first, *others = stream.trigger()
    assert first["_corrupt_reason"].startswith("gap: ")
    assert others == sorted(others, key=lambda row: row["mutation"]["by_seqno"])
    assert "conversations start again" in caplog.text


def test_what_is_not_kept_is_read_again_as_far_as_it_is_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stream = query(tmp_path, logs=False)
    first = arrives(tmp_path / "traces", 0)
    arrives(tmp_path / "traces", 1)
    stream.trigger()
    first.unlink()
    arrives(tmp_path / "traces", 2)
    assert seqnos(stream.trigger()) == complete(2)
    assert f"{first} is gone" in caplog.text


@pytest.mark.parametrize("logs", [True, False])
def test_a_file_that_is_gone_is_left_out_alone(tmp_path: Path, logs: bool) -> None:
    stream = query(tmp_path, logs=logs, ignoreMissingFiles=True)
    for number in range(3):
        arrives(tmp_path / "traces", number)
    plan = stream.plan()
    (tmp_path / "traces" / "trace_00002.pcap").unlink()
    assert seqnos(stream.batch(*plan)) == complete(0, 1)
    with pytest.raises(FileNotFoundError, match="trace_00002"):
        query(tmp_path, logs=logs).batch(*plan)


def conversations(tmp_path: Path, *, damaged: int) -> None:
    """Three compressed files of a connection each, one of which cannot be read to its end."""
    for number in range(3):
        name = tmp_path / "traces" / f"{number}.pcap.gz"
        data = gzip.compress(written(tmp_path / "a.pcap", Flow(destination_port=4000 + number).sent(SENT)).read_bytes())
        name.write_bytes(data[: len(data) // 2] if number == damaged else data)


@pytest.mark.parametrize("logs", [True, False])
def test_a_file_that_cannot_be_read_on_is_left_out_alone(tmp_path: Path, logs: bool) -> None:
    stream = query(tmp_path, logs=logs, ignoreCorruptFiles=True, maxFilesPerTrigger=2)
    conversations(tmp_path, damaged=0)
    first, second = map(seqnos, stream.triggers())
    assert first[-len(ALL) :] == second == ALL
    assert 0 < len(first[: -len(ALL)]) < len(ALL)
    assert len(stream.at_once()) > 2 * len(ALL)
    assert len(seqnos(query(tmp_path, logs=logs).trigger())) > 2 * len(ALL)  # the log tells the rest
    with pytest.raises(DecodeError, match=r"damaged: .*Compressed file ended"):
        query(tmp_path, logs=logs, mode="FAILFAST").trigger()


def test_what_is_kept_of_old_batches_goes(tmp_path: Path) -> None:
    stream = query(tmp_path)
    for number in range(32):
        written(tmp_path / "traces" / f"trace_{number:05}.pcap", PACKETS[number : number + 1])
        stream.trigger()
    numbers = [int(path.name.partition("-")[0]) for path in kept(tmp_path)]
    assert numbers == [*range(numbers[0], 32)]
    assert len(numbers) <= 20


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="latestFirst"):
        query(tmp_path, latestFirst=True).trigger()
    with pytest.raises(OptionError, match="cleanSource with rotated requires logLocation"):
        query(tmp_path, logs=False, cleanSource="delete").trigger()
    (tmp_path / "traces" / "day=1").mkdir()
    written(tmp_path / "traces" / "day=1" / "a.pcap", PACKETS)
    with pytest.raises(OptionError, match=r"rotated does not allow partition columns \(day\)"):
        Query(tmp_path / "traces", rotated=True).at_once()
    assert seqnos(Query(tmp_path / "traces", rotated=True, recursiveFileLookup=True).at_once()) == ALL
    (tmp_path / "traces" / "raw.bin").write_bytes(SENT)
    with pytest.raises(OptionError, match=r"raw\.bin is not a recording"):
        query(tmp_path, recursiveFileLookup=True).trigger()


def test_in_spark(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for numbers in ([0, 1], [2]):
        for number in numbers:
            arrives(folder, number)
        options = {"rotated": True, "maxFilesPerTrigger": 1, "logLocation": str(tmp_path / "log")}
        frames = spark.readStream.format("couchbase_dcp").options(**options).load(str(folder))
        written_to = frames.selectExpr("mutation.by_seqno", "_corrupt_reason").writeStream.format("parquet")
        written_to = written_to.option("checkpointLocation", str(tmp_path / "checkpoint"))
        written_to.trigger(availableNow=True).start(str(tmp_path / "table")).awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "table")).sort("by_seqno").collect()
    assert [tuple(row) for row in rows] == [(number, None) for number in complete(0, 1, 2)]
