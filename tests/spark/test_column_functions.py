"""Binary columns decoded and encoded: columns of single records, and columns of several records each."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from support.plain_values import plain

from spark.records_and_rows import CUT_OFF, MARKER, STREAM, UNKNOWN, collected
from wireloom_protocols import couchbase_dcp, databus

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"

# Columns of single records


def test_from_wire_gives_the_rows_of_single_records(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    rows = values.select("id", from_wire("value", "couchbase_dcp").alias("row")).orderBy("id")
    assert rows.schema["row"].dataType == couchbase_dcp.spark_schema
    found = collected(rows)
    assert [row["row"] for row in found] == [
        *(plain(couchbase_dcp.parse(record), local=True) for record in (MARKER, UNKNOWN)),
        None,
    ]


def test_from_wire_of_one_message_is_null_for_others(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    rows = values.select("id", from_wire("value", "couchbase_dcp", message="snapshot_marker").alias("row"))
    assert rows.select("row.end_seqno").collect() == [(2,), (None,), (None,)]
    assert rows.where("row is null").count() == 2


def test_to_wire_gives_the_bytes_back(values: DataFrame) -> None:
    from wireloom.spark import from_wire, to_wire

    rows = values.select("value", from_wire("value", "couchbase_dcp").alias("row"))
    assert rows.where(~to_wire("row", "couchbase_dcp").eqNullSafe(rows.value)).count() == 0


def test_to_wire_fills_in_what_is_derived(session: SparkSession) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import to_wire

    marker = fn.struct(
        fn.lit(1).alias("start_seqno"),
        fn.lit(2).alias("end_seqno"),
        fn.array(fn.lit("Memory")).alias("snapshot_type_flags"),
    )
    row = fn.struct(fn.lit(Decimal(2**64 - 1)).alias("cas"), marker.alias("snapshot_marker"))
    (found,) = session.range(1).select(to_wire(row, "couchbase_dcp").alias("wire")).collect()
    assert bytes(found.wire) == MARKER


def test_malformed_values_fail_unless_permitted(session: SparkSession) -> None:
    from wireloom.spark import from_wire, to_wire

    frame = session.createDataFrame([(CUT_OFF,), (MARKER + UNKNOWN,)], "value binary")
    with pytest.raises(Exception, match=r"truncated: record at byte 0|trailing-bytes: record at byte 44"):
        frame.select(from_wire("value", "couchbase_dcp")).collect()
    rows = frame.select("value", from_wire("value", "couchbase_dcp", mode="PERMISSIVE").alias("row"))
    assert [row._corrupt_reason.partition(":")[0] for row in rows.select("row.*").collect()] == [
        "truncated",
        "trailing-bytes",
    ]
    assert rows.where(to_wire("row", "couchbase_dcp") == rows.value).count() == 2


def test_a_struct_that_cannot_be_written_fails_unless_permitted(session: SparkSession) -> None:
    from wireloom.spark import to_wire

    frame = session.sql("SELECT named_struct('message', 'unknown', 'magic', 300, 'opcode', 1) AS row")
    with pytest.raises(Exception, match=r"magic: 300 does not fit 8 bits"):
        frame.select(to_wire("row", "couchbase_dcp")).collect()
    assert frame.select(to_wire("row", "couchbase_dcp", mode="PERMISSIVE")).collect() == [(None,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "DROPMALFORMED"}, "a column function cannot drop rows"),
        ({"positions": True}, "have no position"),
        ({"modus": "x"}, "did you mean 'mode'"),
    ],
)
def test_column_functions_refuse_options_at_once(
    session: SparkSession, options: dict[str, object], message: str
) -> None:
    from wireloom.options import OptionError
    from wireloom.spark import from_wire

    with pytest.raises(OptionError, match=message):
        from_wire("value", "couchbase_dcp", **options)


def test_a_column_is_called_by_its_function(values: DataFrame) -> None:
    from wireloom.spark import from_wire, from_wire_many, to_wire

    row = from_wire("value", "couchbase_dcp")
    columns = [row, from_wire_many(values.value, "couchbase_dcp"), to_wire(row, "couchbase_dcp")]
    assert values.select(columns).columns == ["from_wire(value)", "from_wire_many", "to_wire"]
    assert values.select(row["message"], row.opcode).where(row.opcode == 0x56).count() == 1


def test_options_of_a_column_are_a_mapping_or_names(values: DataFrame) -> None:
    from wireloom.spark import from_wire

    given = from_wire("value", "couchbase_dcp", {"mode": "PERMISSIVE", "message": "snapshot_marker"}, columns="opcode")
    named = from_wire("value", "couchbase_dcp", mode="PERMISSIVE", message="snapshot_marker", columns="opcode")
    assert values.select(given).schema == values.select(named).schema
    assert values.select(given).collect() == values.select(named).collect()


def test_a_column_that_is_not_binary_fails_when_the_query_is_analysed(session: SparkSession) -> None:
    from pyspark.errors import AnalysisException

    from wireloom.spark import from_wire, from_wire_many

    frame = session.createDataFrame([("x", 1)], "text string, number int")
    for column in (from_wire("text", "couchbase_dcp"), from_wire_many(frame.number, "couchbase_dcp")):
        with pytest.raises(
            AnalysisException, match=r'requires the "BINARY" type, however "(text|number)" has the type'
        ):
            frame.select(column)


def test_a_column_to_encode_that_is_no_struct_fails_when_the_query_is_analysed(values: DataFrame) -> None:
    from pyspark.errors import AnalysisException

    from wireloom.spark import to_wire

    with pytest.raises(AnalysisException, match=r'requires the "STRUCT" type, however "value" has the type "BINARY"'):
        values.select(to_wire("value", "couchbase_dcp"))


# Columns of several records


def test_from_wire_many_gives_arrays(session: SparkSession) -> None:
    from wireloom.spark import from_wire_many

    values = session.createDataFrame(
        [(1, UNKNOWN + MARKER), (2, b""), (3, None), (4, MARKER + UNKNOWN[:5])], "id int, v binary"
    )
    records = from_wire_many("v", "couchbase_dcp", mode="PERMISSIVE", columns="message,_corrupt_record").alias("r")
    found = [row.r for row in values.select("id", records).orderBy("id").collect()]
    assert found == [
        [("unknown", None), ("snapshot_marker", None)], [], None, [("snapshot_marker", None), (None, UNKNOWN[:5])],
    ]  # fmt: skip


def test_from_wire_many_takes_a_whole_stream(session: SparkSession) -> None:
    from wireloom.spark import from_wire_many

    values = session.createDataFrame([(STREAM.read_bytes(),)], "v binary")
    records = values.select(from_wire_many("v", "databus", columns="dbus_event.sequence").alias("r"))
    (row,) = records.collect()
    expected = [event["dbus_event"]["sequence"] for event in databus.iter_records(STREAM.read_bytes())]
    assert [record.dbus_event.sequence for record in row.r] == expected


def test_columns_are_decoded_in_streams(session: SparkSession, tmp_path: Path) -> None:
    from wireloom.spark import from_wire, from_wire_many, to_wire

    (tmp_path / "in").mkdir()
    values = session.createDataFrame([(MARKER,), (UNKNOWN,)], "value binary")
    values.write.mode("append").parquet(str(tmp_path / "in"))
    stream = session.readStream.schema("value binary").parquet(str(tmp_path / "in"))
    rows = stream.select(
        from_wire("value", "couchbase_dcp").getField("message").alias("message"),
        to_wire(from_wire("value", "couchbase_dcp"), "couchbase_dcp").alias("again"),
        from_wire_many("value", "couchbase_dcp", columns="opcode").alias("many"),
    )
    query = rows.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination(600)
    found = session.read.parquet(str(tmp_path / "out")).orderBy("message").collect()
    assert [(row.message, bytes(row.again), len(row.many)) for row in found] == [
        ("snapshot_marker", MARKER, 1),
        ("unknown", UNKNOWN, 1),
    ]


def test_small_batches_of_columns_are_decoded_together(session: SparkSession) -> None:
    from wireloom.spark import from_wire, from_wire_many, to_wire

    given = [None if number % 7 == 3 else MARKER if number % 3 else UNKNOWN * (number % 2) for number in range(100)]
    values = session.createDataFrame(list(enumerate(given)), "id int, v binary").repartitionByRange(2, "id")
    decoded = from_wire("v", "couchbase_dcp", mode="PERMISSIVE")
    rows = values.select(
        "id", decoded.alias("row"), from_wire_many("v", "couchbase_dcp").alias("many"),
        to_wire(from_wire("v", "couchbase_dcp", mode="PERMISSIVE"), "couchbase_dcp", mode="PERMISSIVE").alias("again"),
    )  # fmt: skip
    session.conf.set(BATCH_ROWS, 3)
    try:
        found = rows.orderBy("id").collect()
    finally:
        session.conf.unset(BATCH_ROWS)
    assert [row.id for row in found] == list(range(100))
    for row, value in zip(found, given, strict=True):
        assert (row.row is None, row.many is None) == (value is None, value is None)
        assert row.again == value
        assert value is None or len(row.many) == bool(value)
        assert value is None or (row.row._corrupt_record == b"") == (value == b"")


@pytest.mark.parametrize(
    ("sizes", "together"),
    [
        ([3, 3, 3, 3], [9, 3]),
        ([12, 1, 9, 1], [12, 10, 1]),
        ([0, 0, 10], [10]),
        ([], []),
    ],
)
def test_batches_are_put_together_up_to_so_many_rows(
    sizes: list[int], together: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from wireloom.spark import functions

    monkeypatch.setattr(functions, "BATCH_ROWS", 10)
    every = pa.array(range(sum(sizes)))
    ends = list(accumulate(sizes))
    batches = [(every[end - size : end], every[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
    found = list(functions.together(batches))
    assert [len(columns[0]) for columns in found] == together
    for column in zip(*found, strict=True):
        assert pa.concat_arrays(column).equals(every)


def test_batches_are_put_together_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    from wireloom.spark import functions

    monkeypatch.setattr(functions, "BATCH_BYTES", 100)
    batches = [(pa.array([b"x" * size]),) for size in (40, 30, 200, 10)]
    assert [len(columns[0]) for columns in functions.together(batches)] == [2, 1, 1]
