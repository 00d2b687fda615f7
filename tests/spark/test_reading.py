"""Captures read by Spark: how they are shared out, what need not be decoded, and files that cannot be read."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pyarrow as pa
import pytest

from spark.records_and_rows import MARKER, STREAM, UNKNOWN, event
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FAILOVER_LOG = couchbase_dcp.build(
    {"message": "failover_log_response", "magic": 0x81, "status": 0, "failover_log_response": {"entries": []}}
)
BAD_LOG = FAILOVER_LOG[:11] + b"\x03" + FAILOVER_LOG[12:] + b"abc"
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def frame(value: bytes) -> bytes:
    return couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {"value": value}})


@pytest.fixture
def pushing(session: SparkSession) -> Iterator[SparkSession]:
    session.conf.set(PUSHDOWN, "true")
    yield session
    session.conf.unset(PUSHDOWN)


# Parts


@pytest.mark.parametrize("every", [500, 3000])
def test_a_large_file_is_read_in_parts(session: SparkSession, tmp_path: Path, every: int) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes((event(b"a") + event(b"b" * 40) + bytes(30) + event(b"c")[:-1]) * 40)
    read = session.read.format("databus").option("positions", True)
    whole = read.load(str(capture)).orderBy("_offset").collect()
    parts = read.option("maxPartitionBytes", every).load(str(capture))
    assert parts.rdd.getNumPartitions() > 1
    assert parts.orderBy("_offset").collect() == whole


def test_a_large_file_with_records_within_records_needs_an_index(session: SparkSession, tmp_path: Path) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes(event(event(b"x" * 3000) * 1500))
    read = session.read.format("databus").option("maxPartitionBytes", "2m")
    with pytest.raises(
        Exception, match=r"capture\.bin has records within records, so it can only be split by an index"
    ):
        read.load(str(capture)).collect()


def test_a_large_file_whose_records_cannot_be_told_is_read_whole(session: SparkSession, tmp_path: Path) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes(UNKNOWN * 200)
    rows = session.read.format("couchbase_dcp").option("maxPartitionBytes", 100).load(str(capture))
    assert (rows.rdd.getNumPartitions(), rows.count()) == (1, 200)


def test_a_file_is_split_by_its_index(session: SparkSession, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from wireloom.cli import app

    capture, beside = tmp_path / "capture.bin", tmp_path / "capture.bin.wlx"
    capture.write_bytes((UNKNOWN + frame(bytes(60_000)) + MARKER) * 300)
    read = session.read.format("couchbase_dcp").option("columns", "_offset,_length,message").option("positions", True)
    read = read.option("minPartitionNum", 10)

    def parts() -> tuple[int, list[tuple[object, ...]]]:
        rows = read.load(str(tmp_path))
        return rows.rdd.getNumPartitions(), [tuple(row) for row in rows.orderBy("_offset").collect()]

    count, whole = parts()
    assert (count, len(whole)) == (1, 900)
    assert CliRunner().invoke(app, ["index", "couchbase_dcp", str(capture)]).exit_code == 0
    assert parts() == (5, whole)
    fitting = beside.read_bytes()
    beside.write_bytes(fitting[:-1])
    assert parts() == (1, whole)
    head, _, body = fitting.partition(b"\n")
    wrong = body.replace(b"[4", b"[5", 1)
    beside.write_bytes(head.replace(str(crc32(body)).encode(), str(crc32(wrong)).encode()) + b"\n" + wrong)
    with pytest.raises(Exception, match=r"capture\.bin\.wlx does not fit its capture: .*begins at byte \d+; delete it"):
        parts()  # the task in front of the forged place finds it, or the one that begins there and reads past its end


def test_garbage_is_not_looked_for_in_the_modules_of_a_worker(session: SparkSession, tmp_path: Path) -> None:
    def frozen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc

        for batch in batches:
            yield pa.RecordBatch.from_pydict({"count": [gc.get_freeze_count()] * batch.num_rows})

    (tmp_path / "capture.bin").write_bytes(UNKNOWN)
    read = session.read.format("couchbase_dcp").options(maxPartitionBytes=30, openCostInBytes=30).load(str(tmp_path))
    assert read.count() == 1
    counts = session.range(0, 8, 1, 8).mapInArrow(frozen, "count bigint").collect()
    assert max(row["count"] for row in counts) > 10_000


def test_a_malformed_range_is_in_one_part(session: SparkSession, tmp_path: Path) -> None:
    capture = tmp_path / "capture.bin"
    capture.write_bytes(UNKNOWN * 4 + bytes(500))
    rows = session.read.format("couchbase_dcp").option("maxPartitionBytes", 30).load(str(capture))
    assert [len(row._corrupt_record or b"") for row in rows.collect()] == [0, 0, 0, 0, 500]


@pytest.mark.parametrize(
    "options", [{}, {"minPartitionNum": "5"}, {"openCostInBytes": "100b"}, {"maxPartitionBytes": "9m"}]
)
def test_small_files_share_tasks_as_those_of_sparks_own_sources(
    session: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    from wireloom.spark import register

    for number in range(20):
        (tmp_path / f"{number}.bin").write_bytes(UNKNOWN * 50)
    for name, value in options.items():
        session.conf.set(f"spark.sql.files.{name}", value)
    try:
        expected = session.read.format("binaryFile").load(str(tmp_path)).rdd.getNumPartitions()
        register(session, "couchbase_dcp", name="as_set")
    finally:
        for name in options:
            session.conf.unset(f"spark.sql.files.{name}")
    read = session.read
    assert read.format("as_set").load(str(tmp_path)).rdd.getNumPartitions() == expected
    assert read.options(**options).format("couchbase_dcp").load(str(tmp_path)).rdd.getNumPartitions() == expected


def test_a_size_may_have_a_unit(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(event(b"") * 80)
    read = session.read.format("databus")
    assert read.option("maxPartitionBytes", "2k").load(str(tmp_path)).rdd.getNumPartitions() == 3
    with pytest.raises(
        Exception, match="maxPartitionBytes must be a number of bytes, such as 65536 or 64m, not '2 apples'"
    ):
        read.option("maxPartitionBytes", "2 apples").load(str(tmp_path))


def test_each_of_many_small_files_is_told_of_as_alone(session: SparkSession, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.bin").write_bytes(MARKER * number + UNKNOWN[:-1])
    read = session.read.format("couchbase_dcp").option("positions", True).option("minPartitionNum", 1)
    rows = read.load(str(tmp_path))
    assert rows.rdd.getNumPartitions() == 1
    found = rows.where("_corrupt_reason is not null").orderBy("_file").collect()
    assert [(row._file, row._offset) for row in found] == [
        (str(tmp_path / f"{number:02}.bin"), len(MARKER) * number) for number in range(20)
    ]
    with pytest.raises(Exception, match=r"/00\.bin: truncated: record at byte 0"):
        read.option("mode", "FAILFAST").load(str(tmp_path)).collect()


# Columns


def test_columns_are_chosen_by_name_and_path(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(MARKER + UNKNOWN)
    read = session.read.format("couchbase_dcp").option("columns", "opcode, snapshot_marker.end_seqno, message")
    rows = read.load(str(tmp_path))
    assert (
        rows.schema.simpleString() == "struct<opcode:smallint,snapshot_marker:struct<end_seqno:bigint>,message:string>"
    )
    assert [tuple(row) for row in rows.collect()] == [(0x56, (2,), "snapshot_marker"), (0xB6, None, "unknown")]


def test_the_column_of_malformed_records_has_the_name_that_is_asked_for(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(UNKNOWN + UNKNOWN[:-1])
    rows = session.read.format("couchbase_dcp").option("columnNameOfCorruptRecord", "bad").load(str(tmp_path))
    assert [row.bad for row in rows.collect()] == [None, UNKNOWN[:-1]]
    assert "_corrupt_record" not in rows.columns


def test_a_name_that_is_taken_is_refused(session: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(
        Exception, match="columnNameOfCorruptRecord: a column Opcode already exists; choose another name"
    ):
        session.read.format("couchbase_dcp").option("columnNameOfCorruptRecord", "Opcode").load(str(tmp_path))


# Filters


def test_a_filter_holds_for_its_own_query_alone(pushing: SparkSession, tmp_path: Path) -> None:
    """Spark offers a source the filters of one query, and reads through them in the others over the same data."""
    for day, data in ((1, UNKNOWN), (2, MARKER)):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "capture.bin").write_bytes(data)
    rows = pushing.read.format("couchbase_dcp").load(str(tmp_path))
    for one, other in (
        ("opcode = 86", "opcode != 86"),
        ("day = 1", "day = 2"),
        ("message = 'unknown'", "unknown is null"),
    ):
        some, others = rows.where(one), rows.where(other)
        assert (some.count(), rows.count(), some.union(others).count()) == (1, 2, 2), one
        assert some.union(rows).count() == 3, one


def test_filters_that_are_pushed_are_no_option(session: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="unknown option 'pushfilters'"):
        session.read.format("couchbase_dcp").option("pushFilters", True).load(str(tmp_path))


# Files


def test_compressed_files_are_read(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.bin.gz").write_bytes(gzip.compress(MARKER) + gzip.compress(UNKNOWN))
    with pa.output_stream(str(tmp_path / "b.bin.zst"), compression="zstd") as stream:
        stream.write(UNKNOWN * 2)
    rows = session.read.format("couchbase_dcp").load(str(tmp_path))
    assert [row.message for row in rows.collect()] == ["snapshot_marker", "unknown", "unknown", "unknown"]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A directory with a file that is cut off between two others."""
    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    (tmp_path / "b.bin.gz").write_bytes(gzip.compress(MARKER * 1000)[:-20])
    (tmp_path / "c.bin").write_bytes(UNKNOWN)
    return tmp_path


def test_a_damaged_file_is_a_malformed_row_or_fails_the_query(session: SparkSession, damaged: Path) -> None:
    read = session.read.format("couchbase_dcp")
    (row,) = read.load(str(damaged)).where("_corrupt_reason IS NOT NULL").collect()
    assert row._corrupt_reason.startswith("damaged: ")
    with pytest.raises(Exception, match=r"b\.bin\.gz.*damaged: "):
        read.option("mode", "FAILFAST").load(str(damaged)).collect()


def test_a_file_that_cannot_be_read_may_be_left_out(session: SparkSession, damaged: Path) -> None:
    rows = session.read.format("couchbase_dcp").option("ignoreCorruptFiles", True).load(str(damaged))
    assert rows.where("message = 'unknown'").count() == 2
    assert rows.where("message = 'snapshot_marker'").count() > 0  # what stands in front of the damage
    assert rows.where("_corrupt_reason IS NOT NULL").count() == 0


def test_a_file_that_is_gone_fails_the_query_or_is_left_out(session: SparkSession, tmp_path: Path) -> None:
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(UNKNOWN * 10)
    read = session.read.format("couchbase_dcp")
    strict, lenient = read.load(str(tmp_path)), read.option("ignoreCorruptFiles", True).load(str(tmp_path))
    assert (strict.count(), lenient.count()) == (20, 20)
    (tmp_path / "b.bin").unlink()
    assert read.load(str(tmp_path)).count() == 10


# Numbers


def test_a_summary_counts_what_was_read(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import summary

    (tmp_path / "a.bin").write_bytes(UNKNOWN + BAD_LOG + UNKNOWN + UNKNOWN[:-1])
    (tmp_path / "b.bin").write_bytes(STREAM.read_bytes()[:0] + MARKER)
    rows = session.read.format("couchbase_dcp").option("positions", True).load(str(tmp_path))
    first, second = summary(rows).orderBy("_file").collect()
    assert (first.records, first.malformed, first.malformed_bytes) == (4, 2, len(BAD_LOG) + len(UNKNOWN) - 1)
    assert first.first_reason.startswith("truncated: failover_log_response.entries")
    assert (second.records, second.malformed, second.malformed_bytes, second.first_reason) == (1, 0, 0, None)


def test_a_summary_asks_for_positions(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import summary

    (tmp_path / "a.bin").write_bytes(UNKNOWN)
    with pytest.raises(OptionError, match="a summary needs _file, _offset, _length"):
        summary(session.read.format("couchbase_dcp").load(str(tmp_path)))
