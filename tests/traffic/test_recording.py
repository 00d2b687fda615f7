"""Rows written as recorded packets: they come back as they were sent, or what keeps them from being sent is told."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from support.cases import often
from support.dcp_sessions import mutation
from support.traffic import Flow, written

from traffic.recorded_frames import FRAMES, PLAIN
from traffic.written_packets import (
    ENDS,
    KINDS,
    RECORDS,
    columnar,
    dns,
    lines,
    protocol_and_records,
    read,
    recorded,
    run,
    same,
    sent,
    table_of,
)
from wireloom.codec import EncodeError
from wireloom.options import CaptureKind, OptionError
from wireloom.recording.recorder import Recorder, Sending
from wireloom.recording.rows import TrafficBuilder
from wireloom_protocols import couchbase_dcp


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_come_back_as_they_were_sent(name: str, kind: str, tmp_path: Path) -> None:
    module, records = protocol_and_records(name)
    for seed in range(often(1, 3)):
        table = sent(table_of(module, records), Random(f"{kind} {seed}"))
        assert same(read(recorded(tmp_path / f"trace.{kind}", module, table), module), table)


@pytest.mark.parametrize("name", RECORDS)
def test_rows_of_which_nobody_knows_how_they_were_sent(name: str, tmp_path: Path) -> None:
    module, records = protocol_and_records(name)
    table = table_of(module, records)
    found = read(recorded(tmp_path / "trace.pcap", module, table), module)
    assert same(found, table)
    port = 11210 if name == "couchbase_dcp" else 1
    assert found["_connection"].unique().to_pylist() == [f"127.0.0.1:{port}-127.0.0.1:50000"]
    assert found["_from_client"].unique().to_pylist() == [True]
    first = datetime(2000, 1, 1, tzinfo=UTC)
    assert found["_time"].to_pylist() == [first + timedelta(microseconds=n) for n in range(len(records))]
    again = recorded(tmp_path / "again.pcap", module, table)
    assert again.read_bytes() == (tmp_path / "trace.pcap").read_bytes()


def test_ports_that_are_used_again_begin_a_connection(tmp_path: Path) -> None:
    table = PLAIN.append_column(
        "_connection", pa.array([ENDS[0]] * 100 + [f"{ENDS[0]}#2"] * 100 + [f"{ENDS[0]}#3"] * 100)
    )
    assert same(read(recorded(tmp_path / "trace.pcap", couchbase_dcp, table), couchbase_dcp), table)


def test_what_was_not_recorded_stays_so(tmp_path: Path) -> None:
    lost = [0] * 299 + [77]
    lost[100] = 5000
    table = PLAIN.append_column("_gap_before", pa.array(lost, pa.int64()))
    assert same(read(recorded(tmp_path / "trace.pcap", couchbase_dcp, table), couchbase_dcp), table)


def test_what_packets_lost_is_lost_again(tmp_path: Path) -> None:
    sequence = Flow(size=700).back.sent(b"".join(FRAMES))
    left = [packet for number, packet in enumerate(sequence) if number not in (3, 9)]
    table = read(written(tmp_path / "lost.pcap", left), couchbase_dcp)
    assert sum(table["_gap_before"].to_pylist()) == 1400
    assert table["_corrupt_record"].null_count < table.num_rows
    assert same(read(recorded(tmp_path / "trace.pcap", couchbase_dcp, table), couchbase_dcp), table)


def test_malformed_rows_are_written_as_they_came(tmp_path: Path) -> None:
    data = b"".join(FRAMES[:5]) + b"\x99" * 50 + b"".join(FRAMES[5:])
    table = couchbase_dcp.decode_columnar(data, mode="PERMISSIVE")
    assert table["_corrupt_record"].null_count < table.num_rows
    found = read(recorded(tmp_path / "trace.pcap", couchbase_dcp, table), couchbase_dcp)
    assert found["_corrupt_record"].equals(table["_corrupt_record"])
    assert found["message"].equals(table["message"])


def test_what_one_connection_tells_is_not_told_of_another(tmp_path: Path) -> None:
    told = couchbase_dcp.build({"message": "hello_response", "status": 0, "hello_response": {"features": []}})
    plain, numbered = ([mutation(1, n, f"key{n}", collection=collection) for n in (1, 2)] for collection in (None, 8))
    bare = [couchbase_dcp.build(each, collections=False) for each in plain]
    said = b"".join((told, bare[0])), bare[1], couchbase_dcp.build(numbered[0]), couchbase_dcp.build(numbered[1])
    tables = [couchbase_dcp.decode_columnar(each, collections=n > 1) for n, each in enumerate(said) if n != 0]
    first = couchbase_dcp.decode_columnar(said[0])
    table = pa.concat_tables([first, tables[1], tables[0], tables[2]])
    table = table.append_column("_connection", pa.array([ENDS[0], ENDS[0], ENDS[1], ENDS[0], ENDS[1]]))
    table = table.append_column("_from_client", pa.array([False] * 5))
    found = read(recorded(tmp_path / "trace.pcap", couchbase_dcp, table), couchbase_dcp)
    assert same(found.sort_by("_time"), table)
    built = run("encode", "couchbase_dcp", "--capture", "pcap", stdin=lines(table, couchbase_dcp)).stdout_bytes
    assert built == (tmp_path / "trace.pcap").read_bytes()


# what cannot be written


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("_connection", "somewhere", "_connection: expected two ends, such as 10.0.0.1:11210-10.0.0.7:50000, not"),
        ("_connection", "10.0.0.1:1-10.0.0.1:1", "_connection: expected two ends"),
        ("_connection", "10.0.0.1:1-10.0.0.300:1", "_connection: expected two ends"),
        ("_connection", "10.0.0.1:1-10.0.0.3:65536", "_connection: expected two ends"),
        ("_connection", "[fd00::1]:1-10.0.0.3:1", "_connection: expected two ends"),
        ("_gap_before", -1, "_gap_before: from 0 to 2147483647 bytes, not -1"),
        ("_time", datetime(1969, 12, 31, tzinfo=UTC), "_time: pcap supports times from 1970 to 2106; use pcapng"),
    ],
)
def test_what_is_no_way_to_send_a_record_is_told(column: str, value: Any, what: str) -> None:
    table = PLAIN.append_column(column, pa.array([None] * 299 + [value]))
    with pytest.raises(EncodeError, match=what) as error:
        columnar(couchbase_dcp).encode_columnar(table, capture="pcap")
    assert error.value.row == 299
    builder = TrafficBuilder(couchbase_dcp.PROTOCOL, {}, CaptureKind.PCAP)
    with pytest.raises(EncodeError, match=what):
        builder.build({**mutation(1, 1, "key"), column: -1 if column == "_time" else value})


def test_rows_that_cannot_be_written_have_their_number(tmp_path: Path) -> None:
    table = sent(PLAIN, Random(7))
    broken = table.set_column(table.schema.names.index("mutation"), "mutation", pa.nulls(300, table["mutation"].type))
    with pytest.raises(EncodeError) as error:
        columnar(couchbase_dcp).encode_columnar(pa.concat_tables([table, broken.slice(5)]), capture="pcap")
    assert error.value.row == 300


def test_a_record_that_no_datagram_carries_is_told() -> None:
    recorder = Recorder(dns().PROTOCOL, CaptureKind.PCAP)
    assert len(recorder.record(bytes(65507), Sending())) == 16 + 65535
    with pytest.raises(EncodeError, match="a datagram carries 65507 bytes at most, and this record has 65508 bytes"):
        recorder.record(bytes(65508), Sending())


def test_times_of_any_year(tmp_path: Path) -> None:
    times = pa.array([0, (1 << 63) - 1], pa.timestamp("ns", tz="UTC"))
    table = PLAIN.slice(0, 2).append_column("_time", times)
    assert same(read(recorded(tmp_path / "trace.pcapng", couchbase_dcp, table), couchbase_dcp), table)
    for time in (-1, 1 << 63):
        row = {**mutation(1, 1, "key"), "_time": time}
        with pytest.raises(EncodeError, match="_time: pcapng supports times from 1970 to 2262"):
            TrafficBuilder(couchbase_dcp.PROTOCOL, {}, CaptureKind.PCAPNG).build(row)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_come_back_whatever_they_count(unit: str, kind: str, tmp_path: Path) -> None:
    times = pa.array([1_700_000_000, 1_700_000_007, None], pa.timestamp("s", tz="UTC")).cast(pa.timestamp(unit, "UTC"))
    table = PLAIN.slice(0, 3).append_column("_time", times)
    found = read(recorded(tmp_path / f"trace.{kind}", couchbase_dcp, table), couchbase_dcp)["_time"]
    seconds = [1_700_000_000 * 10**9, 1_700_000_007 * 10**9, 1_700_000_007 * 10**9 + 1000]
    assert found.cast(pa.int64()).to_pylist() == seconds


def test_kinds_of_files() -> None:
    for kind in ("auto", "cap"):
        with pytest.raises(OptionError, match="unknown capture"):
            columnar(couchbase_dcp).encode_columnar(PLAIN, capture=kind)
    assert columnar(couchbase_dcp).encode_columnar(PLAIN, capture="RAW").to_pybytes() == b"".join(FRAMES)
