"""What becomes of files where captures are written: old ones, indexes, and those of writes that fail or die."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from spark.records_and_rows import CUT_OFF, MARKER, UNKNOWN
from spark.written_folders import content, everything, save, seen
from wireloom.cli import app
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MANY = 20_000  # rows that come in more batches than one

# Indexes

LONG = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": bytes(999_976)}})
"""A million bytes."""


def test_a_large_file_has_the_index_that_the_command_line_would_make(session: SparkSession, tmp_path: Path) -> None:
    values = [LONG] * 6 + [CUT_OFF] + [LONG] * 9 + [CUT_OFF] + [UNKNOWN]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.bin").write_bytes(b"".join(values[:7]))
    (tmp_path / "in" / "1.bin").write_bytes(b"".join(values[7:17]))
    (tmp_path / "in" / "2.bin").write_bytes(UNKNOWN)
    rows = session.read.format("couchbase_dcp").load(str(tmp_path / "in"))
    save(rows.coalesce(1), tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*.bin"))
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in sorted((tmp_path / "in").iterdir())]
    made = {path: path.read_bytes() for path in (tmp_path / "out").glob("*.wlx")}
    assert sorted(made) == [Path(f"{path}.wlx") for path in files[:2]]
    for path in made:
        path.unlink()
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", str(tmp_path / "out")]).exit_code == 0
    assert {path: path.read_bytes() for path in (tmp_path / "out").glob("*.wlx")} == made
    save(rows.limit(1).coalesce(1), tmp_path / "out", mode="overwrite")
    assert [name for name in everything(tmp_path / "out") if name.endswith(".wlx")] == []
    save(rows.coalesce(1), tmp_path / "packed", compression="zstd")
    assert len(everything(tmp_path / "packed")) == 4


ROWS_A_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


def test_a_row_that_cannot_be_written_leaves_no_index(session: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql.functions import lit

    kind = "_corrupt_record binary, message string"
    long = session.range(70).select(lit(LONG).alias("_corrupt_record"), lit(None).cast("string").alias("message"))
    last = session.createDataFrame([(CUT_OFF, None), (UNKNOWN, None), (None, "snapshot")], kind)
    session.conf.set(ROWS_A_BATCH, 4)
    try:
        with pytest.raises(Exception, match=r"row 72 of partition 0, snapshot, .*unknown message 'snapshot'"):
            save(long.union(last).coalesce(1), tmp_path / "out")
    finally:
        session.conf.unset(ROWS_A_BATCH)
    assert everything(tmp_path) == ["out"]


# Modes, and files that are there


def test_append_adds_and_overwrite_replaces_all_but_hidden_files(session: SparkSession, tmp_path: Path) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary").coalesce(1)
    folder = tmp_path / "out"
    (folder / "day").mkdir(parents=True)
    (folder / "day" / "old.bin").write_bytes(MARKER)
    (folder / "_theirs").write_bytes(b"kept")
    save(rows, folder)
    save(rows, folder)
    assert content(folder) == MARKER + UNKNOWN + UNKNOWN
    save(rows, folder, mode="overwrite")
    assert content(folder) == UNKNOWN
    assert everything(folder) == ["_SUCCESS", "_theirs", "day", seen(folder)[0].name]


def test_what_is_read_can_be_overwritten(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "old.bin").write_bytes(MARKER + UNKNOWN + MARKER)
    save(
        session.read.format("couchbase_dcp").load(str(tmp_path)).where("message = 'unknown'"),
        tmp_path,
        mode="overwrite",
    )
    assert content(tmp_path) == UNKNOWN


@pytest.mark.parametrize("mode", ["error", "errorifexists", "ignore"])
def test_other_modes_are_refused_by_spark(session: SparkSession, tmp_path: Path, mode: str) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary")
    with pytest.raises(Exception, match="UNSUPPORTED_DATA_SOURCE_SAVE_MODE"):
        save(rows, tmp_path / "out", mode=mode)


# Misuse


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compresion": "gzip"}, "unknown option 'compresion'; did you mean 'compression'?"),
        ({"compression": "lz4"}, "compression must be none, gzip or zstd, not 'lz4'"),
        ({"mode": "PERMISSIVE"}, "mode is an option of reading"),
        ({"positions": "true"}, "unknown option 'positions'"),
        ({"message": "snapshot_mark"}, "unknown message 'snapshot_mark'; did you mean 'snapshot_marker'?"),
    ],
)
def test_an_option_that_cannot_be_is_an_error(
    session: SparkSession, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary")
    with pytest.raises(Exception) as error:  # noqa: PT011 - Spark wraps what a source raises
        rows.write.format("couchbase_dcp").mode("append").options(**options).save(str(tmp_path / "out"))
    assert message in str(error.value)
    assert everything(tmp_path) == []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("mesage string", "unknown column 'mesage'; did you mean 'message'"),
        ("message string, cas string", "column cas is decimal(20,0), not string"),
        ("cas decimal(20,2)", "column cas is decimal(20,0), not decimal(20,2)"),
        ("snapshot_marker struct<end: bigint>", "unknown column 'snapshot_marker.end'; did you mean "),
        ("end_seqno string", "column end_seqno is bigint, not string"),
        ("end_seqno bigint, event int", "no message has all of these columns"),
        ("_raw binary", "unknown column '_raw'"),
        ("opcode int, opcode int", "two columns are called opcode"),
    ],
)
def test_a_column_that_is_wrong_is_named_before_anything_is_written(
    session: SparkSession, tmp_path: Path, schema: str, message: str
) -> None:
    with pytest.raises(Exception) as error:  # noqa: PT011
        save(session.createDataFrame([], schema), tmp_path / "out")
    assert message in str(error.value)
    assert everything(tmp_path) == []


def test_no_path_and_a_file_for_a_path_are_errors(session: SparkSession, capture: Path) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary")
    with pytest.raises(Exception, match="no path given"):
        rows.write.format("couchbase_dcp").mode("append").save()
    with pytest.raises(Exception, match=r"capture\.bin is a file; captures are written into a folder"):
        save(rows, capture, mode="overwrite")
    assert capture.read_bytes() == MARKER + UNKNOWN + CUT_OFF


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "'unknown' AS message, 300S AS magic, 1 AS opcode",
            "unknown, cannot be written: magic: 300 does not fit 8 bits",
        ),
        ("'snapshot' AS message", "cannot be written: message: unknown message 'snapshot'"),
        ("'snapshot' AS message, 1 AS end_seqno", "cannot be written: end_seqno: unknown field"),
        ("CAST(null AS STRING) AS message", "of no message, cannot be written: message: needed: one of "),
    ],
)
def test_a_row_that_cannot_be_written_fails_the_job_and_leaves_nothing(
    session: SparkSession, tmp_path: Path, row: str, message: str
) -> None:
    from pyspark.sql import functions as fn

    good = session.range(1).select(fn.unhex(fn.lit(UNKNOWN.hex())).alias("_corrupt_record"))
    rows = good.unionByName(session.sql(f"SELECT {row}"), allowMissingColumns=True)
    (tmp_path / "old.bin").write_bytes(MARKER)
    with pytest.raises(Exception) as error:  # noqa: PT011
        save(rows.coalesce(1), tmp_path, mode="overwrite")
    assert f"row 1 of partition 0, {message.split(',')[0] if message[0] != 'c' else ''}" in str(error.value)
    assert message in str(error.value)
    assert "Traceback" not in str(error.value)
    assert everything(tmp_path) == ["old.bin"]


# Tasks and drivers that die


def test_a_task_that_is_killed_leaves_nothing(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark.sources import CaptureSource
    from wireloom.spark.writing import CaptureWriter

    folder, note = tmp_path / "out", tmp_path / "note"

    class Killed(CaptureWriter):
        def write(self, iterator: Iterator[pa.RecordBatch]) -> Any:
            return super().write(self.dying(iterator))

        def dying(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield from islice(batches, 15)
            note.write_text(" ".join(path.name for path in folder.rglob("*.bin")))
            os.kill(os.getpid(), signal.SIGKILL)

    class KilledSource(CaptureSource):
        protocol = "couchbase_dcp"
        format = "killed"

        def writer(self, schema: Any, overwrite: bool) -> Any:
            made = super().writer(schema, overwrite)
            made.__class__ = Killed
            return made

    session.dataSource.register(KilledSource)
    (tmp_path / "many.bin").write_bytes(UNKNOWN * 200_000)
    few = "message string, magic short, opcode short, unknown struct<value: binary>"
    rows = session.read.format("couchbase_dcp").schema(few).load(str(tmp_path / "many.bin"))
    with pytest.raises(Exception, match="Python worker exited unexpectedly"):
        save(rows.coalesce(1), folder, "killed")
    assert re.fullmatch(r"\d+-part-00000-.*\.couchbase_dcp\.bin", note.read_text())
    assert everything(folder) == []
    assert session.read.format("couchbase_dcp").load(str(folder)).collect() == []


def test_a_task_that_fails_beside_others_leaves_nothing_to_be_seen(session: SparkSession, tmp_path: Path) -> None:
    """Those that outlive the job may still write where nobody looks."""
    (tmp_path / "old.bin").write_bytes(MARKER)
    rows = session.range(0, MANY, 1, 8).selectExpr(
        "'unknown' AS message", "128 AS magic", f"IF(id = {MANY - 1}, 500, 182) AS opcode"
    )
    with pytest.raises(Exception, match="opcode: 500 does not fit 8 bits"):
        save(rows, tmp_path, mode="overwrite")
    assert content(tmp_path) == MARKER
    assert session.read.format("couchbase_dcp").load(str(tmp_path)).count() == 1


@pytest.fixture
def job(tmp_path: Path) -> Any:
    """A job that overwrites a folder with one file in it; its tasks have written two."""
    from pyspark.sql.types import StructType

    from wireloom.spark.writing import CaptureWriter, WrittenFiles
    from wireloom.spark.writing_options import WriteOptions

    (tmp_path / "old.bin").write_bytes(MARKER)
    writer = CaptureWriter("couchbase_dcp", str(tmp_path), WriteOptions(), StructType(), overwrite=True)
    files = [(f"{writer.temporary}/{name}", f"{tmp_path}/{name}") for name in ("a.bin", "b.bin")]
    Path(writer.temporary).mkdir()
    for source, _ in files:
        Path(source).write_bytes(UNKNOWN)
    return writer, [WrittenFiles((file,)) for file in files]


def test_what_a_driver_that_died_left_is_not_read(session: SparkSession, tmp_path: Path, job: Any) -> None:
    assert len(everything(tmp_path)) == 4
    assert session.read.format("couchbase_dcp").load(str(tmp_path)).count() == 1


def test_a_commit_that_fails_halfway_is_undone(tmp_path: Path, job: Any) -> None:
    writer, messages = job
    (tmp_path / "b.bin").mkdir()
    with pytest.raises(OSError, match=r"b\.bin"):
        writer.commit(messages)
    (tmp_path / "b.bin").rmdir()
    assert [path.name for path in tmp_path.glob("*.bin")] != ["old.bin"]
    writer.abort(messages)
    assert everything(tmp_path) == ["old.bin"]


def test_an_abort_keeps_new_files_once_old_ones_may_be_gone(tmp_path: Path, job: Any) -> None:
    writer, messages = job
    writer.commit(messages)
    writer.abort(messages)
    assert everything(tmp_path) == ["_SUCCESS", "a.bin", "b.bin"]
