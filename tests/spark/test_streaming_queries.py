"""Streaming queries in Spark: checkpoints, watermarks, options, replaced files, and processes that are killed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.paths import TESTS

from spark.growing_captures import FRAME, FRAMES, JUNK, append, dcp, named
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

pytestmark = pytest.mark.spark


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
