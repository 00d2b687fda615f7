"""DataFrames written as captures: what is read back, what becomes of files, and what is refused."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain, groupby, islice, product
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from support import vectors
from support.paths import DATA, ROOT

from spark.test_source import CUT_OFF, MARKER, UNKNOWN, collected
from wireloom import registry
from wireloom.cli import app
from wireloom.options import resolve
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

CAPTURES = ROOT / "examples" / "captures"
STREAM = DATA / "databus" / "stream_scn_regress.bin"
MANY = 20_000  # rows that come in more batches than one


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    """The session, with the installed protocols as formats."""
    from wireloom.spark import register

    register(spark)
    return spark


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture with a known, an unknown and a malformed record."""
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER + UNKNOWN + CUT_OFF)
    return path


def save(frame: DataFrame, path: Path | str, name: str = "couchbase_dcp", mode: str = "append", **options: Any) -> None:
    """Write the rows."""
    frame.write.format(name).mode(mode).options(**options).save(str(path))


def seen(folder: Path) -> list[Path]:
    """The files in a folder that readers see, in order of their names."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in files if not any(each.startswith("_") for each in path.relative_to(folder).parts))


def everything(folder: Path) -> list[str]:
    """All that is in a folder, hidden or not."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def content(folder: Path) -> bytes:
    """What the files hold, one behind the other."""
    return b"".join(path.read_bytes() for path in seen(folder))


def told(frame: DataFrame) -> list[dict[str, Any]]:
    """All rows, the reasons of malformed ones without the byte of the file they name."""
    rows = collected(frame)
    for row in rows:
        row["_corrupt_reason"] = re.sub(r"at byte \d+", "", row["_corrupt_reason"] or "")
    return rows


def assert_same_again(session: SparkSession, source: Path, target: Path, name: str, **options: Any) -> None:
    """See that what is read from ``source`` and written to ``target`` gives the same rows and the same bytes."""
    read = session.read.format(name).options(**options)
    rows = read.load(str(source)).coalesce(1)
    save(rows, target, name, **options)
    assert told(read.load(str(target)).coalesce(1)) == told(rows)
    assert content(target) == (source.read_bytes() if source.is_file() else content(source))


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*/*.bin")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_sample_captures_are_the_same_again(session: SparkSession, tmp_path: Path, path: Path) -> None:
    assert_same_again(session, path, tmp_path / "again", path.parent.name)


def vector_files(folder: Path, rows: list[vectors.Vector]) -> Path:
    """A folder with a file for each of the vectors, or for some hundred of them."""
    folder.mkdir()
    found = sorted({vectors.data_of(row) for row in rows if row.get("hex")})
    for number, data in enumerate(found[:: max(1, len(found) // 300)]):
        (folder / f"{number:06}.bin").write_bytes(data)
    return folder


DCP = (
    "couchbase_dcp/frames.jsonl",
    "couchbase_dcp/seed_frames.jsonl",
    "couchbase_dcp_all/doc_frames.jsonl",
    "couchbase_dcp_all/other_doc_frames.jsonl",
)
DATABUS = ("databus/vectors.jsonl",)


@pytest.mark.parametrize(("name", "files"), [("couchbase_dcp", DCP), ("databus", DATABUS)])
def test_vectors_are_the_same_again(session: SparkSession, tmp_path: Path, name: str, files: tuple[str, ...]) -> None:
    folder = vector_files(tmp_path / "vectors", vectors.committed(*files))
    assert_same_again(session, folder, tmp_path / "again", name)


@pytest.mark.parametrize(("name", "files"), [("couchbase_dcp", DCP), ("databus", DATABUS)])
def test_external_vectors_are_the_same_again(
    session: SparkSession, vectors_at: Path, tmp_path: Path, name: str, files: tuple[str, ...]
) -> None:
    folder = vector_files(tmp_path / "vectors", vectors.external(*files))
    assert_same_again(session, folder, tmp_path / "again", name)


@pytest.fixture
def vectors_at(request: pytest.FixtureRequest) -> Path:
    """The directory of external vectors."""
    path: Path = request.getfixturevalue("vectors")
    return path


def test_external_streams_are_the_same_again(session: SparkSession, vectors_at: Path, tmp_path: Path) -> None:
    for path in sorted((vectors_at / "databus").glob("stream*.bin")):
        assert_same_again(session, path, tmp_path / path.stem, "databus")


# What is written


@pytest.mark.parametrize(
    "options",
    [
        {"labels": False},
        {"positions": True},
        {"message": "snapshot_marker"},
        {"message": "snapshot_marker", "labels": False, "positions": True, "columnNameOfCorruptRecord": "_raw"},
        {"columns": "message, snapshot_marker, cas, _corrupt_record"},
    ],
)
def test_a_view_is_written_as_the_records_it_is_of(
    session: SparkSession, tmp_path: Path, options: dict[str, Any]
) -> None:
    (tmp_path / "capture.bin").write_bytes(MARKER + MARKER + CUT_OFF)
    rows = session.read.format("couchbase_dcp").options(**options).load(str(tmp_path / "capture.bin"))
    renamed = {name: value for name, value in options.items() if name == "columnNameOfCorruptRecord"}
    save(rows, tmp_path / "out", **renamed)
    assert content(tmp_path / "out") == MARKER + MARKER + CUT_OFF


def test_what_is_derived_or_known_is_filled_in(session: SparkSession, tmp_path: Path) -> None:
    rows = session.sql(
        "SELECT 18446744073709551615 AS cas, named_struct('start_seqno', 1, 'end_seqno', CAST(2 AS SMALLINT),"
        " 'snapshot_type_flags', array('Memory'), 'variant', null) AS snapshot_marker, null AS status"
    )
    save(rows, tmp_path / "out")
    assert content(tmp_path / "out") == MARKER


@pytest.mark.parametrize("options", [{}, {"message": "snapshot_marker"}])
def test_fields_of_one_message_need_not_say_which(
    session: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    rows = session.sql("SELECT 18446744073709551615 AS cas, 1 AS start_seqno, 2 AS end_seqno, 1 AS snapshot_type")
    save(rows, tmp_path / "out", **options)
    assert content(tmp_path / "out") == MARKER


def test_the_byte_order_of_a_row_wins(session: SparkSession, tmp_path: Path) -> None:
    rows = session.read.format("databus").load(str(STREAM))
    save(rows, tmp_path / "out", "databus", byte_order="little")
    assert content(tmp_path / "out") == STREAM.read_bytes()
    save(rows.drop("byte_order", "dbus_event.header_crc"), tmp_path / "other", "databus", byte_order="big")
    assert content(tmp_path / "other") == STREAM.read_bytes()


def test_a_record_behind_one_that_is_cut_off_begins_a_new_file(session: SparkSession, tmp_path: Path) -> None:
    for number, data in enumerate([CUT_OFF, UNKNOWN, CUT_OFF]):
        (tmp_path / f"{number}.bin").write_bytes(data)
    save(session.read.format("couchbase_dcp").load(f"{tmp_path}/*.bin").coalesce(1), tmp_path / "out")
    assert [path.read_bytes() for path in seen(tmp_path / "out")] == [CUT_OFF, UNKNOWN + CUT_OFF]


def test_records_between_malformed_ranges_are_the_same_again(session: SparkSession, tmp_path: Path) -> None:
    doubted = UNKNOWN[:5] + b"\x28" + UNKNOWN[6:]
    lines = [UNKNOWN, b"????", UNKNOWN, b"????????", doubted, b"??", UNKNOWN]
    source = tmp_path / "read"
    source.mkdir()
    for number, data in enumerate(lines):
        (source / f"{number}.bin").write_bytes(data)
    assert_same_again(session, source, tmp_path / "again", "couchbase_dcp")


def test_rows_are_divided_into_the_same_files_in_whatever_batches_they_come() -> None:
    from wireloom.spark.written import WrittenRecords, apart, runs

    protocol = registry.protocol("couchbase_dcp")
    known = resolve(protocol.parameters, {})

    def files(records: Iterable[WrittenRecords]) -> list[bytes]:
        return [b"".join(data for _, data in of) for _, of in groupby(apart(iter(records), protocol), itemgetter(0))]

    def batch(rows: tuple[bytes, ...]) -> Iterator[WrittenRecords]:
        reasons = {number: "" for number, data in enumerate(rows) if data in (CUT_OFF, b"????")}
        return runs(pa.array(rows, pa.binary()), reasons, known, single=False)

    for some in product((UNKNOWN, CUT_OFF, b"????", b""), repeat=3):
        rows = (*[MARKER] * 3, *some, *[MARKER] * 3)
        reasons = ("" if data in (CUT_OFF, b"????") else None for data in rows)
        expected = files(WrittenRecords(data, reason, False, known) for data, reason in zip(rows, reasons, strict=True))
        for place in range(2, 8):
            assert files(chain(batch(rows[:place]), batch(rows[place:]))) == expected
    assert len(list(batch((UNKNOWN,) * 1000))) == 4


@pytest.mark.parametrize(("compression", "suffix"), [("none", ""), ("gzip", ".gz"), ("ZSTD", ".zst")])
def test_compression_is_in_the_name(session: SparkSession, tmp_path: Path, compression: str, suffix: str) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN * 1000),)], "_corrupt_record binary")
    save(rows.coalesce(1), tmp_path / "out", compression=compression)
    (path,) = seen(tmp_path / "out")
    assert re.fullmatch(r"part-00000-[0-9a-f-]{36}-c00000\.couchbase_dcp\.bin" + re.escape(suffix), path.name)
    assert (path.stat().st_size < 1000) == bool(suffix)
    assert session.read.format("couchbase_dcp").load(str(tmp_path / "out")).count() == 1000


def test_each_partition_has_its_file_and_no_rows_no_file(session: SparkSession, tmp_path: Path) -> None:
    rows = session.range(0, 40, 1, 20).selectExpr("'unknown' AS message", "128 AS magic", "182 AS opcode")
    save(rows, tmp_path / "many")
    assert [path.read_bytes() for path in seen(tmp_path / "many")] == [UNKNOWN + UNKNOWN] * 20
    for number, empty in enumerate([rows.where("false"), session.createDataFrame([], rows.schema)]):
        save(empty, tmp_path / f"empty{number}")
        assert everything(tmp_path / f"empty{number}") == ["_SUCCESS"]
        assert session.read.format("couchbase_dcp").load(str(tmp_path / f"empty{number}")).collect() == []


def test_a_filesystem_that_is_not_this_machines_own(session: SparkSession, tmp_path: Path) -> None:
    rows = session.createDataFrame([(bytearray(UNKNOWN),)], "_corrupt_record binary")
    for mode in ("append", "append", "overwrite"):
        save(rows, f"local://{tmp_path}/out", mode=mode)
    assert content(tmp_path / "out") == UNKNOWN
    assert everything(tmp_path / "out") == ["_SUCCESS", seen(tmp_path / "out")[0].name]


def test_values_are_those_python_has() -> None:
    from wireloom.columnar.python_values import to_python

    kind = pa.struct([("big", pa.decimal128(20, 0)), ("all", pa.list_(pa.decimal128(20, 0))), ("ratio", pa.float64())])
    rows = [{"big": 2**64 - 1, "all": [1, None], "ratio": 0.5}, None, {"big": None, "all": None, "ratio": None}]
    found = to_python(pa.array(rows, kind))
    assert found == rows
    assert isinstance(found[0]["all"][0], int)
    assert to_python(pa.array([Decimal("1.5")])) == [Decimal("1.5")]
    assert str(to_python(pa.array([float("nan"), float("-inf")]))) == "[nan, -inf]"


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
        ({"compression": "lz4"}, "compression is none, gzip or zstd, not 'lz4'"),
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
    with pytest.raises(Exception, match=r"capture\.bin is a file; captures are written to a folder"):
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
