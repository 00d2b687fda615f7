"""Unsigned 64-bit numbers as longs or as decimals: by their document, or on request. What is too large is malformed."""

import json
import struct
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from support import accelerator, compiled, specialised
from support.lockstep import Pair, alike_in_turn, capture_alike, captures_alike, rows_alike, tables_alike

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


def with_cas(cas: int) -> bytes:
    """A marker with that CAS."""
    return GOOD[:16] + struct.pack(">Q", cas) + GOOD[24:]


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


CASES = b"".join(with_cas(cas) for cas in (5, 2**63, 2**63 - 1, 2**64 - 1))
TYPES = {"declared": 2, "decimal": 4, "long": 2}
"""How many of four records are sound, by what the numbers are to be."""


@accelerator.off_and_on
def test_all_decoders_agree(accelerated: bool) -> None:
    capture = LOG + GOOD + MARKER + GOOD
    for u64, sound in TYPES.items():
        found = couchbase_dcp.decode_columnar(capture, mode="PERMISSIVE", u64=u64)
        assert found["_corrupt_reason"].null_count == sound
    captures = [*((capture, {"u64": u64}) for u64 in TYPES), (CASES, {"u64": "long"})]
    if accelerated:
        for each, options in captures:
            tables_alike(PAIR, each, mode="PERMISSIVE", **options)
            rows_alike(PAIR, capture_alike(PAIR, each, **options), **options)
    else:
        alike_in_turn(PAIR, captures)


@accelerator.off_and_on
def test_as_longs_they_are_those_that_fit(accelerated: bool) -> None:
    found = capture_alike(PAIR, CASES, u64="long")
    assert found.schema.field("cas").type == pa.int64()
    assert found["cas"].to_pylist() == [5, None, 2**63 - 1, None]
    assert found["_corrupt_reason"].to_pylist()[1::2] == [
        f"range: cas at byte {44 * n + 16}: {cas} does not fit a long; read it with the option u64=decimal"
        for n, cas in ((1, 2**63), (3, 2**64 - 1))
    ]


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


REQUEST = struct.pack(">BBHBBHII", 0x80, 0x53, 0, 48, 0, 1, 48, 9) + bytes(16)


@accelerator.off_and_on
@pytest.mark.parametrize("u64", ["declared", "long"])
def test_a_consumer_may_request_any_seqno(u64: str, accelerated: bool) -> None:
    """Servers clamp what is requested, or set their own with FromLatest: no request is malformed by its numbers."""
    names = ("start_seqno", "end_seqno", "snap_start_seqno", "snap_end_seqno")
    seqnos = [[seqno if name == changed else 4 for name in names] for changed in names for seqno in sorted(SEQNOS)]
    frames = [REQUEST + struct.pack(">QQQQQ", start, end, 5, first, last) for start, end, first, last in seqnos]
    table = capture_alike(PAIR, b"".join(frames), u64=u64)
    rows = [[row["stream_req"][name] for name in names] for row in table.to_pylist()]
    assert rows == seqnos
    assert [couchbase_dcp.build(couchbase_dcp.parse(frame, u64=u64), u64=u64) for frame in frames] == frames


ALL = """
protocol: all_u64
byte_order: big
types:
  - {name: branch, fields: [{name: uuid, type: u64}, {name: seqno, type: leb128_u64}]}
record:
  length: 82
  fields:
    - {name: magic, type: u64, const: 0x89504e470d0a1a0a}
    - {name: number, type: u64}
    - {section: body, size: rest}
---
message: all
match: {}
sections:
  body:
    - {name: sent, type: u64, as: {double: {scale: 1/4294967296}}, raw: sent_ntp}
    - {name: branches, type: branch, repeat: {count: 2}}
    - {name: beyond, type: u64, table_type: decimal}
    - {name: list, type: u64, repeat: {count: 2}}
    - {name: half, compute: number // 2, type: u64}
    - {name: crc, type: u64, checksum: {algorithm: {width: 64, poly: 0x42f0e1eba9ea3693}, from: 0, to: offset(crc)}}
"""


def test_what_goes_beyond_longs_stays_a_decimal() -> None:
    protocol = compiled.of(ALL).codec
    columns = View(protocol, ReadOptions.of({"u64": "long"}, protocol.parameters, protocol.messages)).columns
    kinds = {column.name: str(column.type) for column in columns}
    assert kinds["magic"] == "decimal(20,0)"
    assert kinds["number"] == "long"
    assert kinds["all"] == (
        "struct<sent:double,sent_ntp:decimal(20,0),branches:array<struct<uuid:long,seqno:long>>,"
        "beyond:decimal(20,0),list:array<decimal(20,0)>,half:decimal(20,0),crc:decimal(20,0)>"
    )


def test_what_stays_a_decimal_may_be_of_any_size() -> None:
    protocol, most = compiled.of(ALL).codec, 2**64 - 1
    branches = [{"uuid": 5, "seqno": 2**63 - 1}, {"uuid": 2**63 - 1, "seqno": 5}]
    values = {"sent": None, "sent_ntp": most, "branches": branches, "beyond": most, "list": [most, 2**63]}
    data = protocol.build({"number": 2**63 - 1, "all": values})
    (row,) = captures_alike(Pair(protocol), data, u64="long").to_pylist()
    assert row["_corrupt_reason"] is None
    assert row["all"]["list"] == [most, 2**63]


def test_numbers_in_flatbuffers_must_fit_too() -> None:
    pair = Pair(compiled.feature("flatbuffers").codec)
    fits, larger = (pair.codec.build({"monster": {"monster": {"experience": n}}}) for n in (2**63 - 1, 2**63))
    found = captures_alike(pair, fits + larger, u64="long")
    assert found["_corrupt_reason"].to_pylist() == [
        None,
        f"range: monster.monster.experience at byte {len(fits) + larger.index(0x80) - 7}: {2**63} does not fit a long;"
        " read it with the option u64=decimal",
    ]
    with pytest.raises(EncodeError, match="experience: 9223372036854775808 does not fit a long; it needs the option"):
        pair.codec.build(pair.codec.parse(larger), u64="long")


@pytest.mark.parametrize("cas", [7, 2**63 - 1, 2**63])
def test_functions_leave_what_is_too_large_to_the_parts(cas: int) -> None:
    specialised.parse_alike(PAIR.codec, with_cas(cas), u64="long")
    specialised.build_alike(PAIR.codec, couchbase_dcp.parse(with_cas(cas)), u64="long")


@accelerator.off_and_on
def test_filters_compare_longs(tmp_path: Path, accelerated: bool) -> None:
    numbers = (5, 2**63, 2**63 - 1, 3)
    tmp_path.joinpath("capture.bin").write_bytes(b"".join(map(with_cas, numbers)))
    found = couchbase_dcp.scan(tmp_path, filters=[("cas", ">=", 5)], mode="PERMISSIVE", u64="long").read_all()
    assert found["cas"].to_pylist() == [5, None, 2**63 - 1]  # whose header cannot be read, might be wanted


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


@pytest.mark.spark
def test_longs_in_spark(spark: "SparkSession", tmp_path: Path) -> None:
    from pyspark.sql import functions as fn

    from wireloom.spark import from_wire, register, to_wire

    frames = [with_cas(cas) for cas in (5, 2**63 - 1, 2**63)]
    tmp_path.joinpath("capture.bin").write_bytes(b"".join(frames))
    register(spark, "couchbase_dcp")
    rows = spark.read.format("couchbase_dcp").options(u64="long").load(str(tmp_path))
    assert rows.schema["cas"].dataType.simpleString() == "bigint"
    assert rows.schema["stream_req_response"].dataType.simpleString().count("vb_uuid:bigint") == 1
    assert [row.cas for row in rows.collect()] == [5, 2**63 - 1, None]
    assert [row.cas for row in rows.where("cas > 5").collect()] == [2**63 - 1]
    sound = rows.where("_corrupt_reason is null")
    values = sound.select(to_wire(fn.struct(*rows.columns), "couchbase_dcp", u64="long").alias("v"))
    assert [bytes(row.v) for row in values.collect()] == frames[:2]
    again = values.select(from_wire("v", "couchbase_dcp", u64="long").alias("r")).select("r.*")
    assert again.collect() == sound.collect()
    sound.write.format("couchbase_dcp").mode("append").save(str(tmp_path / "written"))
    assert [file.read_bytes() for file in tmp_path.glob("written/*.bin")] == [b"".join(frames[:2])]


def ends(rows: Any) -> list[Any]:
    return [row[0] for row in rows.select("snapshot_marker.end_seqno").collect()]
