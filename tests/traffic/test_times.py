"""When packets were captured: rows have nanoseconds as files do, and microseconds where nothing holds more."""

import json
import struct
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from support.dcp_sessions import begins, frame, request

from traffic.forged import enhanced, interface, ip, option, section, tcp
from wireloom.cli import app
from wireloom.codec import EncodeError
from wireloom.codec.meanings import nanoseconds_text
from wireloom.codec.protocol import PROVENANCE
from wireloom.columnar.provenance import fitting
from wireloom.json_rows import json_reader, json_writer
from wireloom.pairing import pair
from wireloom_protocols import couchbase_dcp

SECOND = 1_700_000_000
FRACTIONS = (123_456_789, 123_456_790, 123_457_000, 999_999_999)
TIMES = [SECOND * 10**9 + fraction for fraction in FRACTIONS]
TEXTS = [
    "2023-11-14T22:13:20.123456789Z",
    "2023-11-14T22:13:20.123456790Z",
    "2023-11-14T22:13:20.123457Z",
    "2023-11-14T22:13:20.999999999Z",
]
SENT = [couchbase_dcp.build(frame("dcp_noop", opaque=number)) for number in range(len(TIMES))]
PACKETS = [ip(tcp(data, 1 + 24 * number)) for number, data in enumerate(SENT)]
EARLIEST, LATEST = 1 - (1 << 63), (1 << 63) - 1
"""What nanoseconds in 64 bits reach; the number below is that of no time, as numpy and pandas have it."""
ARROW, SPARK = pa.timestamp("ns", tz="UTC"), pa.timestamp("us", tz="UTC")


def in_pcap(order: str, magic: int, parts: int) -> bytes:
    """A file whose times count so many parts of a second."""
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 0x40000, 101)
    stamps = [(SECOND, fraction * parts // 10**9) for fraction in FRACTIONS]
    sizes = [(len(packet), len(packet)) for packet in PACKETS]
    return head + b"".join(
        struct.pack(f"{order}4I", *stamp, *size) + packet
        for stamp, size, packet in zip(stamps, sizes, PACKETS, strict=True)
    )


def in_pcapng(resolution: int | None) -> bytes:
    """A file whose times count such a part of a second, which is the sixth if nothing is said."""
    options = b"" if resolution is None else option(9, bytes([resolution])) + option(0, b"")
    parts = 10 ** (6 if resolution is None else resolution)
    stamps = [SECOND * parts + fraction * parts // 10**9 for fraction in FRACTIONS]
    packets = (enhanced(packet, stamp=stamp) for packet, stamp in zip(PACKETS, stamps, strict=True))
    return section() + interface(options=options) + b"".join(packets)


NANO = {
    "nano.pcap": in_pcap("<", 0xA1B23C4D, 10**9),
    "other_order.pcap": in_pcap(">", 0xA1B23C4D, 10**9),
    "nano.pcapng": in_pcapng(9),
}
MICRO = {
    "micro.pcap": in_pcap("<", 0xA1B2C3D4, 10**6),
    "micro.pcapng": in_pcapng(6),
    "untold.pcapng": in_pcapng(None),
}
FILES = [(name, data, TIMES) for name, data in NANO.items()] + [
    (name, data, [each // 1000 * 1000 for each in TIMES]) for name, data in MICRO.items()
]
EVERY = pytest.mark.parametrize(("name", "data", "times"), FILES, ids=[name for name, _, _ in FILES])


def numbers(column: pa.ChunkedArray) -> list[int]:
    """Times in nanoseconds since 1970."""
    assert column.type == ARROW
    found: list[int] = column.cast(pa.int64()).to_pylist()
    return found


def run(*arguments: str | Path) -> bytes:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


@EVERY
def test_rows_have_the_times_of_their_file(tmp_path: Path, name: str, data: bytes, times: list[int]) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert numbers(couchbase_dcp.decode_columnar(data, connections=True)["_time"]) == times
    assert numbers(couchbase_dcp.scan(path, ["_time"], connections=True).read_all()["_time"]) == times


@EVERY
def test_the_command_keeps_them(tmp_path: Path, name: str, data: bytes, times: list[int]) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    given = ("decode", "couchbase_dcp", path, "--connections", "--columns", "_time")
    run(*given, "--format", "parquet", "--output", tmp_path / "rows.parquet")
    assert numbers(parquet.read_table(tmp_path / "rows.parquet")["_time"]) == times
    run(*given, "--format", "arrow", "--output", tmp_path / "rows.arrow")
    assert numbers(pa.ipc.open_file(tmp_path / "rows.arrow").read_all()["_time"]) == times
    found = [json.loads(line)["_time"] for line in run(*given).splitlines()]
    expected = [text if name in NANO else f"{text[:26].removesuffix('Z')}Z" for text in TEXTS]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "kind", "rows"),
    [
        ("nano.pcap", "pcap", "jsonl"),
        ("nano.pcap", "pcapng", "parquet"),
        ("other_order.pcap", "pcap", "parquet"),
        ("nano.pcapng", "pcapng", "jsonl"),
    ],
)
def test_what_is_exported_has_the_times_that_were_read(tmp_path: Path, name: str, kind: str, rows: str) -> None:
    (tmp_path / name).write_bytes(NANO[name])
    table, trace = tmp_path / f"rows.{rows}", tmp_path / f"again.{kind}"
    run("decode", "couchbase_dcp", tmp_path / name, "--connections", "--format", rows, "--output", table)
    run("encode", "couchbase_dcp", table, "--capture", kind, "--output", trace)
    assert numbers(couchbase_dcp.decode_columnar(trace, connections=True)["_time"]) == TIMES


def test_queries_calculate_with_microseconds(tmp_path: Path) -> None:
    path = tmp_path / "nano.pcap"
    path.write_bytes(NANO["nano.pcap"])
    call = f"couchbase_dcp('{path}', connections := true)"
    rows = [json.loads(line) for line in run("sql", f"select _time from {call}").splitlines()]
    assert [row["_time"] for row in rows] == [f"{text[:26].removesuffix('Z')}Z" for text in TEXTS]
    (row,) = map(json.loads, run("sql", f"select epoch_us(max(_time) - min(_time)) as n from {call}").splitlines())
    assert row["n"] == 876_543
    for condition, count in (
        ("_time = timestamptz '2023-11-14 22:13:20.123456Z'", 2),
        ("_time > timestamptz '2023-11-14 22:13:20.123456Z'", 2),
        ("_time < timestamptz '9999-01-01 00:00:00Z'", 4),
    ):
        (row,) = map(json.loads, run("sql", f"select count(*) as n from {call} where {condition}").splitlines())
        assert row["n"] == count


def test_answers_are_paired_with_requests(tmp_path: Path) -> None:
    asked, answered = (couchbase_dcp.build(row) for row in (request(7), begins(7, (1, 0))))
    packets = [ip(tcp(asked, ports=(50000, 11210)), host=0x0A000002), ip(tcp(answered), host=0x0A000002)]
    data = section() + interface(options=option(9, b"\x09") + option(0, b""))
    data += b"".join(enhanced(packet, stamp=time) for packet, time in zip(packets, TIMES, strict=False))
    table = couchbase_dcp.decode_columnar(data, connections=True)
    paired = pa.Table.from_batches(pair(table, "couchbase_dcp", connection=["_connection"]))
    assert [paired["request"][1]["_time"].value, paired["_time"][1].value] == TIMES[:2]


@pytest.mark.parametrize("time", [*TIMES, 0, -1, -1001, 999, (1 << 63) - 1, -(1 << 63)])
def test_texts_have_all_digits_that_are_needed(time: int) -> None:
    text = nanoseconds_text(time)
    assert text.endswith("Z")
    seconds, _, digits = text[:-1].partition(".")
    moment = int(datetime.fromisoformat(seconds).replace(tzinfo=UTC).timestamp())
    assert moment * 10**9 + int(digits.ljust(9, "0")) == time
    assert json_reader(PROVENANCE)(json_writer(PROVENANCE)({"_time": time}))["_time"] == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1970-01-01T00:00:00.5Z", 500_000_000),
        ("1970-01-01T00:00:00.0000001Z", 100),
        ("1970-01-01T01:00:00,000000012+01:00", 12),
        ("1969-12-31T23:59:59.999999999Z", -1),
    ],
)
def test_other_texts_of_times(text: str, time: int) -> None:
    assert json_reader(PROVENANCE)({"_time": text})["_time"] == time


@pytest.mark.parametrize("value", ["2024-05-01T12:30:00.123456789", 5, "yesterday.1234567Z"])
def test_what_is_no_time_is_told(value: Any) -> None:
    with pytest.raises(EncodeError, match="_time: a time as text expected"):
        json_reader(PROVENANCE)({"_time": value})


@pytest.mark.parametrize(
    ("unit", "offset", "stamp", "time"),
    [
        (6, -(10**10), 10**16, 0),
        (6, -(9 * 10**12), 9 * 10**18, 0),
        (6, -(9 * 10**12), 9 * 10**18 + 1, 1000),
        (9, -(10**10), (1 << 63) - 1, (1 << 63) - 1 - 10**19),
        (9, -(10**10), (1 << 64) - 1, (1 << 64) - 1 - 10**19),
        (9, 10**10, 0, LATEST),
        (0, -((1 << 63) - 1), (1 << 63) - 1, 0),
        (6, -9_223_372_036, 5, -9_223_372_036_000_000_000 + 5000),
        (6, -9_223_372_037, 145_225, -9_223_372_036_854_775_000),
        (6, -9_223_372_037, 145_224, EARLIEST),
        (0, -(1 << 62), 1, EARLIEST),
        (6, 0, (1 << 63) // 1000, (1 << 63) // 1000 * 1000),
        (6, 0, (1 << 63) // 1000 + 1, LATEST),
        (6, 0, 1 << 63, LATEST),
        (9, 0, (1 << 63) + 5, LATEST),
        (9, 0, (1 << 64) - 1, LATEST),
        (0, 0, (1 << 64) - 1, LATEST),
        (0xBF, 0, (1 << 64) - 1, 1_999_999_999),
        (0xFF, 0, (1 << 63) - 1, 0),
        (127, 0, (1 << 64) - 1, 0),
        (0, -(1 << 63), 0, EARLIEST),
        (0, (1 << 63) - 1, 0, LATEST),
    ],
)
def test_units_and_offsets_of_any_size(unit: int, offset: int, stamp: int, time: int) -> None:
    """Stamps are unsigned. Times that nanoseconds in 64 bits do not reach are the earliest or the latest."""
    options = option(9, bytes([unit])) + option(14, struct.pack("<q", offset)) + option(0, b"")
    data = section() + interface(options=options) + enhanced(PACKETS[0], stamp=stamp)
    (batch,) = couchbase_dcp.decode_columnar(data, ["_time"], connections=True).to_batches()
    assert batch["_time"].cast(pa.int64()).to_pylist() == [time]
    assert fitting(batch["_time"], SPARK).cast(pa.int64()).to_pylist() == [time // 1000]


def test_microseconds_are_the_earlier_ones() -> None:
    cut = fitting(pa.array([1999, 1000, 0, -1, -1000, None], ARROW), SPARK)
    assert cut.type == SPARK
    assert cut.cast(pa.int64()).to_pylist() == [1, 1, 0, -1, -1, None]


@pytest.mark.spark
def test_spark_has_microseconds(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql.types import TimestampType

    from wireloom.spark import conversations, paired, register

    register(spark)
    (tmp_path / "nano.pcap").write_bytes(NANO["nano.pcap"])
    expected = [each // 1000 for each in TIMES]
    frames = spark.read.format("couchbase_dcp").option("connections", True).load(str(tmp_path))
    assert frames.schema["_time"].dataType == TimestampType()
    assert [row.at for row in frames.selectExpr("unix_micros(_time) AS at").collect()] == expected
    packets = spark.read.format("packets").options(positions=True, connections=True).load(str(tmp_path))
    found = conversations(packets, "couchbase_dcp").selectExpr("unix_micros(_time) AS at")
    assert sorted(row.at for row in found.collect()) == expected
    assert paired(frames, "couchbase_dcp", connection=["_connection"], order=["_time"]).count() == len(TIMES)
