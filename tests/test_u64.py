"""Unsigned numbers that are larger than their document says: malformed, with what to do, or as decimals on request."""

import json
import struct
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import accelerator
import pyarrow as pa
import pytest
from lockstep import Pair, captures_alike

from wireloom import columnar
from wireloom.codec import EncodeError
from wireloom.json_rows import json_writer, row_reader
from wireloom.options import ReadOptions
from wireloom.views import View
from wireloom_protocols import couchbase_dcp

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEQNOS = (2**64 - 1, 7, 2**63, 2**63 - 1)
LOG = struct.pack(">BBHBBHIIQ", 0x81, 0x54, 0, 0, 0, 0, 16 * len(SEQNOS), 1, 0) + b"".join(
    struct.pack(">QQ", 9, seqno) for seqno in SEQNOS
)
MARKER = struct.pack(">BBHBBHIIQQQI", 0x80, 0x56, 0, 20, 0, 0, 20, 1, 0, 1, 2**64 - 1, 1)
GOOD = struct.pack(">BBHBBHIIQQQI", 0x80, 0x56, 0, 20, 0, 0, 20, 1, 0, 1, 2, 1)
PAIR = Pair(couchbase_dcp.PROTOCOL)


def test_the_reason_says_what_to_do() -> None:
    (row,) = couchbase_dcp.iter_records(LOG, "PERMISSIVE")
    assert row["_corrupt_reason"] == (
        "range: failover_log_response.entries[0].vb_seqno at byte 32: 18446744073709551615 does not fit a long; "
        "read it with the option u64=decimal"
    )


def test_as_decimals_they_are_values() -> None:
    row = couchbase_dcp.parse(LOG, u64="decimal")
    assert [entry["vb_seqno"] for entry in row["failover_log_response"]["entries"]] == list(SEQNOS)
    assert couchbase_dcp.parse(MARKER, u64="decimal")["snapshot_marker"]["end_seqno"] == 2**64 - 1


@accelerator.off_and_on
@pytest.mark.parametrize("u64", ["declared", "decimal"])
def test_all_decoders_agree(u64: str, accelerated: bool) -> None:
    found = captures_alike(PAIR, LOG + GOOD + MARKER + GOOD, u64=u64)
    assert found["_corrupt_reason"].null_count == (4 if u64 == "decimal" else 2)


def test_the_table_has_decimals_where_the_numbers_are() -> None:
    table = couchbase_dcp.decode_columnar(MARKER + LOG, u64="decimal")
    marker = table.schema.field("snapshot_marker").type
    assert marker.field("end_seqno").type == pa.decimal128(20, 0)
    assert table["snapshot_marker"][0]["end_seqno"].as_py() == 2**64 - 1
    whole = columnar.arrow_schema(View(PAIR.codec, ReadOptions.of({}, PAIR.codec.parameters, ())).columns)
    assert whole.equals(couchbase_dcp.arrow_schema)
    assert whole.field("snapshot_marker").type.field("end_seqno").type == pa.int64()


@pytest.mark.parametrize("data", [LOG, MARKER])
def test_rows_with_them_are_written_as_they_came(data: bytes) -> None:
    row = couchbase_dcp.parse(data, u64="decimal")
    assert couchbase_dcp.build(row, u64="decimal") == data
    text = json.dumps(json_writer(PAIR.codec.columns)(row))
    assert couchbase_dcp.build(row_reader(PAIR.codec)(json.loads(text)), u64="decimal") == data
    with pytest.raises(EncodeError, match="seqno: 18446744073709551615 does not fit a long; it needs the option u64="):
        couchbase_dcp.build(row)


@pytest.mark.spark
def test_in_spark(spark: "SparkSession", tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import from_wire, register, to_wire

    tmp_path.joinpath("capture.bin").write_bytes(LOG + GOOD + MARKER)
    register(spark, "couchbase_dcp")
    rows = spark.read.format("couchbase_dcp").option("u64", "decimal").load(str(tmp_path))
    assert rows.schema["snapshot_marker"].dataType["end_seqno"].dataType.simpleString() == "decimal(20,0)"  # type: ignore[attr-defined, index]
    assert ends(rows) == [None, Decimal(2), Decimal(2**64 - 1)]
    values = rows.select(to_wire(fn.struct(*rows.columns), "couchbase_dcp", u64="decimal").alias("v"))
    again = values.select(from_wire("v", "couchbase_dcp", u64="decimal").alias("r")).select("r.*")
    assert ends(again) == ends(rows)


def ends(rows: Any) -> list[Any]:
    return [row[0] for row in rows.select("snapshot_marker.end_seqno").collect()]
