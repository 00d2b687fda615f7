"""What versions of PySpark can do: `make matrix` runs this with the oldest. What one lacks is told in a sentence."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

FORMAT = "couchbase_dcp"
UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "unknown": {}})
MARKER = couchbase_dcp.build(
    {
        "message": "snapshot_marker",
        "snapshot_marker": {"variant": "v1", "start_seqno": 1, "end_seqno": 2, "snapshot_type": 1},
    }
)


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    from wireloom.spark import register

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no SQL functions, which is tested below
        register(spark)
    return spark


@pytest.fixture
def captures(tmp_path: Path) -> str:
    """A folder with a partition, a compressed file, and a record that is cut off."""
    folder = tmp_path / "captures"
    for day, name, data in [
        ("2026-01-01", "a.bin", MARKER + UNKNOWN),
        ("2026-01-02", "b.bin.gz", gzip.compress(UNKNOWN)),
        ("2026-01-02", "c.bin", UNKNOWN[:-1]),
    ]:
        path = folder / f"dt={day}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return str(folder)


@contextmanager
def told_before(version: str, what: str) -> Iterator[None]:
    """What is done inside works with PySpark of that version or a newer one; an older one is told what it lacks."""
    import pyspark

    if tuple(map(int, pyspark.__version__.split(".")[:2])) >= tuple(map(int, version.split("."))):
        yield
    else:
        said = f"{what} needs PySpark {version} or newer; this is {pyspark.__version__}"
        with pytest.raises(Exception, match=said):
            yield


def messages(rows: DataFrame) -> list[str | None]:
    return [row.message for row in rows.orderBy("_file", "_offset").collect()]


def test_captures_are_read(session: SparkSession, captures: str) -> None:
    read = session.read.format(FORMAT).option("positions", True).option("metadata", True)
    rows = read.load(captures)
    assert messages(rows) == ["snapshot_marker", "unknown", "unknown", None]
    last = rows.where("_corrupt_record is not null").select("dt", "_metadata.file_name", "_corrupt_reason").collect()
    reason = f"truncated: record at byte 0: a record of 24 bytes, {len(UNKNOWN) - 1} left"
    assert [tuple(row) for row in last] == [(date(2026, 1, 2), "c.bin", reason)]
    whole = session.read.format(FORMAT).load(captures)
    assert whole.schema["opcode"].metadata["comment"]
    marker = session.read.format(FORMAT).option("message", "snapshot_marker").option("columns", "end_seqno,dt")
    assert [tuple(row) for row in marker.load(captures).collect()] == [(2, date(2026, 1, 1)), (None, date(2026, 1, 2))]


def test_a_large_file_is_read_in_parts(session: SparkSession, tmp_path: Path) -> None:
    fields = {"attributes": 1, "sequence": 5, "physical_partition_id": 1, "logical_partition_id": 2, "src_id": 15}
    fields |= {"nano_timestamp": 7, "schema_id": bytes(16), "key": 1, "value": b"abc"}
    event = databus.build({"message": "dbus_event", "byte_order": "big", "version": 0, "dbus_event": fields})
    (tmp_path / "a.bin").write_bytes(event * 200)
    rows = session.read.format("databus").option("maxPartitionBytes", 2000).load(str(tmp_path))
    assert rows.rdd.getNumPartitions() > 5
    assert rows.groupBy("message").count().collect() == [("dbus_event", 200)]


def test_what_is_wrong_is_told(session: SparkSession, captures: str) -> None:
    with pytest.raises(Exception, match=r"unknown option 'mod'; did you mean 'mode'\?"):
        session.read.format(FORMAT).option("mod", "FAILFAST").load(captures)
    with pytest.raises(Exception, match=r"c\.bin.*truncated: record at byte 0"):
        session.read.format(FORMAT).option("mode", "FAILFAST").load(captures).collect()


def test_captures_are_written(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bin").write_bytes(MARKER + UNKNOWN)
    rows = session.read.format(FORMAT).load(str(tmp_path / "in"))
    rows.write.format(FORMAT).mode("overwrite").option("compression", "gzip").save(str(tmp_path / "out"))
    (written,) = tmp_path.glob("out/*.gz")
    assert gzip.decompress(written.read_bytes()) == MARKER + UNKNOWN


def test_sql_reads_captures(session: SparkSession, captures: str) -> None:
    from wireloom.spark import dataset

    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW some USING {FORMAT} OPTIONS (path '{captures}', columns 'opcode')")
    assert session.sql("SELECT count(*) FROM some WHERE opcode = 86").first() == (1,)
    session.sql("DROP VIEW some")
    dataset(session, "of_versions", format=FORMAT, path=captures, mode="DROPMALFORMED")
    session.sql("CREATE TABLE every USING of_versions")
    try:
        assert session.sql("SELECT count(*) FROM every").first() == (3,)
        assert session.sql("DESCRIBE every").where("col_name = 'opcode'").first().comment
    finally:
        session.sql("DROP TABLE every")


def test_columns_are_decoded_and_encoded(session: SparkSession) -> None:
    from wireloom.spark import from_wire, from_wire_many, to_wire

    rows = session.createDataFrame([(1, MARKER), (2, None), (3, UNKNOWN)], "id int, value binary")
    with told_before("4.1", "from_wire"):
        decoded = rows.select("id", from_wire("value", FORMAT).alias("frame"))
        assert [row.frame and row.frame.message for row in decoded.orderBy("id").collect()] == [
            "snapshot_marker",
            None,
            "unknown",
        ]
        again = decoded.select(to_wire("frame", FORMAT).alias("value"))
        assert {row.value and bytes(row.value) for row in again.collect()} == {MARKER, None, UNKNOWN}
    with told_before("4.1", "from_wire_many"):
        many = rows.select(from_wire_many("value", FORMAT, columns="opcode").alias("frames"))
        assert sorted(len(row.frames or ()) for row in many.collect()) == [0, 1, 1]


def test_sql_calls_functions(spark: SparkSession) -> None:
    from wireloom.spark import register

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with told_before("4.1", f"from_{FORMAT} in SQL"):
            register(spark, FORMAT)
            found = spark.sql(f"SELECT to_{FORMAT}(from_{FORMAT}(X'{UNKNOWN.hex()}')) AS value").first()
            assert found is not None
            assert bytes(found.value) == UNKNOWN


def test_streams_take_what_is_new(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    found: list[int] = []
    for data, name in ((MARKER, "a.bin"), (UNKNOWN * 2, "b.bin")):
        (tmp_path / "in" / name).write_bytes(data)
        arriving = session.readStream.format(FORMAT).load(str(tmp_path / "in")).writeStream
        arriving = arriving.foreachBatch(lambda rows, _: found.append(rows.count())).trigger(availableNow=True)
        with told_before("4.2", "readStream"):
            arriving.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination(600)
    assert found in ([1, 2], [])  # nothing before 4.2


def test_older_versions_are_told_from_newer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.spark.versions import lacking, needs, since

    monkeypatch.setattr("pyspark.__version__", "4.1.0.dev2")
    assert [since(version) for version in ("3.5", "4.0", "4.1", "4.2", "4.10", "5.0")] == [True] * 3 + [False] * 3
    assert lacking("this", "4.1") is None
    with pytest.raises(OptionError, match=r"^this needs PySpark 4.2 or newer; this is 4.1.0.dev2$"):
        needs("this", "4.2")
    monkeypatch.setattr("pyspark.__version__", "4.10.1")
    assert since("4.9")
