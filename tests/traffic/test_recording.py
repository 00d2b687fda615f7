"""Rows written as recorded packets: Scapy and our own protocols read what they say, and tshark finds nothing wrong."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from protocols import strangers
from pyarrow import parquet
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.packet import Packet
from scapy.utils import rdpcap
from support.cases import often
from support.dcp_sessions import mutation
from support.paths import ROOT
from support.traffic import NUMBERS, Flow, written
from support.tshark import opened
from wireshark.test_dissectors import emitted

from traffic.recorded_frames import FRAMES, PLAIN
from wireloom.cli import app
from wireloom.codec import EncodeError
from wireloom.codec.protocol import PROVENANCE
from wireloom.columnar.python_values import to_python
from wireloom.json_rows import json_writer
from wireloom.options import CaptureKind, OptionError
from wireloom.recording.recorder import Recorder, Sending
from wireloom.recording.rows import TrafficBuilder
from wireloom_protocols import couchbase_dcp, databus, packets, pcap, pcapng

KINDS = ("pcap", "pcapng")
SENT = ("_time", "_connection", "_from_client", "_gap_before")
ENDS = ("10.0.0.1:11210-10.0.0.7:50000", "10.0.0.1:11207-10.0.0.7:50001", "[2001:db8::1]:11210-[2001:db8::2]:50000")
TIME = 1_714_566_600 * 10**9
"""The first of May 2024, half past noon, in nanoseconds since 1970."""


def run(*arguments: str | Path, stdin: bytes = b"", status: int = 0) -> Result:
    """Call the program in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == status, result.output
    return result


def dns() -> ModuleType:
    """A protocol whose records are datagrams."""
    return strangers.protocol("dns").columnar


def of_dns() -> list[bytes]:
    """Its records, of other programs."""
    return [capture.data for capture in strangers.captures("dns")]


def events(count: int) -> list[bytes]:
    """Events of Databus of several sizes."""
    fields = {"variant": "long_key", "physical_partition_id": 1, "logical_partition_id": 1, "nano_timestamp": 1}
    fields |= {"src_id": 1, "schema_id": bytes(16), "key": 7}
    return [
        databus.build({"message": "dbus_event", "dbus_event": {**fields, "sequence": n, "value": bytes(n % 5000)}})
        for n in range(0, 50 * count, 50)
    ]


RECORDS = {
    "couchbase_dcp": (couchbase_dcp, FRAMES),
    "databus": (databus, events(60)),
    "dns": (None, None),
}


def protocol_and_records(name: str) -> tuple[Any, list[bytes]]:
    """A protocol's module, and records of it."""
    module, records = RECORDS[name]
    return (dns(), of_dns()) if module is None or records is None else (module, records)


def columnar(module: Any) -> Any:
    """What decodes and encodes tables of a protocol."""
    return module if hasattr(module, "decode_columnar") else module.TABLE


def table_of(module: Any, records: list[bytes]) -> pa.Table:
    """The records of a protocol, each decoded alone where it is a datagram."""
    captures = records if module.PROTOCOL.framing.to_the_end else [b"".join(records)]
    return pa.concat_tables([columnar(module).decode_columnar(capture, mode="PERMISSIVE") for capture in captures])


def sent(table: pa.Table, random: Random, ends: tuple[str, ...] = ENDS) -> pa.Table:
    """The rows as if they had been sent, in any direction of several connections, at times that count up."""
    count = table.num_rows
    times, now = [], TIME
    for _ in range(count):
        now += random.choice([0, 1, 999_999, 999_999_999, 5_000_000_000])
        times.append(now)
    columns = (
        pa.array(times, pa.timestamp("ns", tz="UTC")),
        pa.array([random.choice(ends) for _ in range(count)]),
        pa.array([random.random() < 0.5 for _ in range(count)]),
        pa.array([0] * count, pa.int64()),
    )
    for name, column in zip(SENT, columns, strict=True):
        table = table.append_column(name, column)
    return table


def recorded(path: Path, module: Any, table: pa.Table, **parameters: Any) -> Path:
    """A file with the rows of a table, in the format that its name says."""
    kind = path.suffix.removeprefix(".")
    path.write_bytes(columnar(module).encode_columnar(table, capture=kind, **parameters))
    return path


def read(path: Path, module: Any, **options: Any) -> pa.Table:
    """The rows of a file of packets, and how they were sent."""
    return columnar(module).decode_columnar(path, mode="PERMISSIVE", connections=True, **options)


def same(found: pa.Table, expected: pa.Table) -> bool:
    """Whether rows are alike in all columns that were given."""
    return bool(found.select(expected.schema.names).equals(expected))


def test_who_only_listens_acknowledges_before_the_window_is_full(tmp_path: Path) -> None:
    table = sent(table_of(databus, events(150)), Random(1), ENDS[:1])
    table = table.set_column(table.schema.get_field_index(SENT[2]), SENT[2], pa.array([True] * len(table)))
    acknowledged, most = 0, 0
    for packet in rdpcap(str(recorded(tmp_path / "one.pcap", databus, table))):
        if packet[TCP].payload:
            acknowledged = acknowledged or packet[TCP].seq
            most = max(most, packet[TCP].seq + len(packet[TCP].payload) - acknowledged)
        elif most:
            acknowledged = max(acknowledged, packet[TCP].ack)
    assert 1_000 < most <= 2**16 - 1


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


# what packets say


def segments(path: Path) -> list[Packet]:
    """The packets of a file, as Scapy reads them."""
    return list(rdpcap(str(path)))


@pytest.mark.parametrize("kind", KINDS)
def test_scapy_reads_ends_payloads_and_times(kind: str, tmp_path: Path) -> None:
    table = sent(PLAIN, Random(1), ENDS[:2])
    found = segments(recorded(tmp_path / f"trace.{kind}", couchbase_dcp, table))
    sound: dict[tuple[str, int], bytes] = {}
    for packet in found:
        tcp = packet[TCP]
        sender = f"{packet[IP].src}:{tcp.sport}>{packet[IP].dst}:{tcp.dport}"
        sound[sender] = sound.get(sender, b"") + bytes(tcp.payload)
    for name in ENDS[:2]:
        low, high = name.split("-")
        for way, from_client in ((f"{low}>{high}", False), (f"{high}>{low}", True)):
            rows = zip(table["_connection"].to_pylist(), table["_from_client"].to_pylist(), FRAMES, strict=True)
            assert sound[way] == b"".join(frame for *row, frame in rows if row == [name, from_client])
    times = [int(packet.time * 10**9) for packet in found if packet[TCP].payload]
    assert times == table["_time"].cast(pa.int64()).to_pylist()


COMPUTED = ((IP, "len"), (IP, "chksum"), (IPv6, "plen"), (TCP, "chksum"), (UDP, "len"), (UDP, "chksum"))


def test_checksums_are_those_that_scapy_computes(tmp_path: Path) -> None:
    long = databus.decode_columnar(b"".join(events(60)))
    files = [
        recorded(tmp_path / "tcp.pcap", databus, sent(long, Random(2))),
        recorded(tmp_path / "udp.pcap", dns(), sent(table_of(dns(), of_dns()), Random(3))),
    ]
    for packet in (each for file in files for each in segments(file)):
        again = packet.copy()
        for layer, name in COMPUTED:
            if again.haslayer(layer):
                again[layer].delfieldval(name)
        assert bytes(again) == bytes(packet)


def test_a_checksum_of_zero_says_so(tmp_path: Path) -> None:
    recorder = Recorder(dns().PROTOCOL, CaptureKind.PCAP)
    data = [recorder.record(number.to_bytes(2, "big"), Sending()) for number in range(1 << 16)]
    sums = {packet[16 + 26 : 16 + 28] for packet in data}
    assert (b"\0\0" in sums, b"\xff\xff" in sums) == (False, True)
    (tmp_path / "sums.pcap").write_bytes(recorder.begin + next(p for p in data if p[42:44] == b"\xff\xff"))
    (packet,) = segments(tmp_path / "sums.pcap")
    del packet[UDP].chksum
    assert bytes(packet)[26:28] == b"\xff\xff"


@pytest.mark.parametrize(("kind", "file"), [("pcap", pcap), ("pcapng", pcapng)])
def test_our_own_protocols_write_the_same_packets(kind: str, file: Any, tmp_path: Path) -> None:
    tables = ((couchbase_dcp, sent(PLAIN, Random(4))), (dns(), sent(table_of(dns(), of_dns()), Random(5))))
    for module, table in tables:
        path = recorded(tmp_path / f"trace.{kind}", module, table)
        rows = file.decode_columnar(path, mode="FAILFAST", capture="raw")
        assert file.encode_columnar(rows).to_pybytes() == path.read_bytes()
        for frame in frames(rows):
            row = packets.parse(frame, link_type=101)
            assert row["message"] in ("tcp", "udp")
            assert packets.build(row, link_type=101) == frame


def frames(rows: pa.Table) -> Iterator[bytes]:
    """The packets in the rows of a file of packets."""
    for row in rows.to_pylist():
        if held := row.get("packet") or row.get("enhanced_packet"):
            yield held["data"]


def test_connections_are_begun_acknowledged_and_ended(tmp_path: Path) -> None:
    long = databus.decode_columnar(b"".join(events(300)))
    table = sent(long, Random(6), ENDS[:1])
    found = segments(recorded(tmp_path / "trace.pcap", databus, table))
    flags = [str(packet[TCP].flags) for packet in found]
    assert flags[:3] == ["S", "SA", "A"]
    assert flags[-3:] == ["FA", "FA", "A"]
    said: dict[int, int] = {}
    heard: dict[int, int] = {}
    for packet in found:
        tcp = packet[TCP]
        assert tcp.seq == said.get(tcp.sport, tcp.seq)
        assert tcp.ack == said.get(tcp.dport, 0)
        assert len(packet) <= 1500
        said[tcp.sport] = (tcp.seq + len(tcp.payload) + ("S" in tcp.flags) + ("F" in tcp.flags)) % NUMBERS
        heard[tcp.dport] = tcp.ack
        assert (said[tcp.sport] - heard.get(tcp.sport, tcp.seq)) % NUMBERS <= tcp.window


# what cannot be written


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("_connection", "somewhere", "_connection: two ends such as 10.0.0.1:11210-10.0.0.7:50000 expected"),
        ("_connection", "10.0.0.1:1-10.0.0.1:1", "_connection: two ends"),
        ("_connection", "10.0.0.1:1-10.0.0.300:1", "_connection: two ends"),
        ("_connection", "10.0.0.1:1-10.0.0.3:65536", "_connection: two ends"),
        ("_connection", "[fd00::1]:1-10.0.0.3:1", "_connection: two ends"),
        ("_gap_before", -1, "_gap_before: from 0 to 2147483647 bytes, not -1"),
        ("_time", datetime(1969, 12, 31, tzinfo=UTC), "_time: pcap has times from 1970 to 2106; pcapng has later"),
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
        with pytest.raises(EncodeError, match="_time: pcapng has times from 1970 to 2262"):
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


# the command


def whole(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows of a batch, with all columns."""
    columns = (
        to_python(column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column) for column in batch.columns
    )
    return (dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True))


def lines(table: pa.Table, module: Any) -> bytes:
    """Rows as ``decode`` prints them."""
    write = json_writer([*module.PROTOCOL.columns, *(each for each in PROVENANCE if each.name in table.schema.names)])
    rows = [row for batch in table.to_batches() for row in whole(batch)]
    return b"".join(json.dumps(write(row)).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_writes_what_the_function_does(kind: str, tmp_path: Path) -> None:
    table = sent(PLAIN, Random(8))
    expected = recorded(tmp_path / f"expected.{kind}", couchbase_dcp, table).read_bytes()
    (tmp_path / "rows.jsonl").write_bytes(lines(table, couchbase_dcp))
    parquet.write_table(table, tmp_path / "rows.parquet")
    for source in ("rows.jsonl", "rows.parquet"):
        target = tmp_path / f"{source}.{kind}"
        run("encode", "couchbase_dcp", tmp_path / source, "--capture", kind, "--output", target)
        assert target.read_bytes() == expected
    piped = run("encode", "couchbase_dcp", "--capture", kind, stdin=lines(table, couchbase_dcp))
    assert piped.stdout_bytes == expected


def test_the_command_writes_malformed_rows_and_how_they_were_sent(tmp_path: Path) -> None:
    table = sent(couchbase_dcp.decode_columnar(FRAMES[0] + FRAMES[1][:-3], mode="PERMISSIVE"), Random(9), ENDS[:1])
    table = table.set_column(table.schema.names.index("_from_client"), "_from_client", pa.array([True, False]))
    printed = run("encode", "couchbase_dcp", "--capture", "pcap", stdin=lines(table, couchbase_dcp)).stdout_bytes
    (tmp_path / "trace.pcap").write_bytes(printed)
    assert read(tmp_path / "trace.pcap", couchbase_dcp).select(SENT).equals(table.select(SENT))


def test_rows_that_were_sent_are_written_end_to_end_too(tmp_path: Path) -> None:
    table = sent(PLAIN, Random(10))
    assert run("encode", "couchbase_dcp", stdin=lines(table, couchbase_dcp)).stdout_bytes == b"".join(FRAMES)
    assert couchbase_dcp.encode_columnar(table).to_pybytes() == b"".join(FRAMES)
    assert couchbase_dcp.build({**couchbase_dcp.parse(FRAMES[0]), **dict.fromkeys(SENT)}) == FRAMES[0]


@pytest.mark.parametrize(
    ("options", "status", "what"),
    [
        (["--capture", "cap"], 2, "unknown capture 'cap'; did you mean 'pcap'?"),
        (["--capture", "pcap", "--hex"], 2, "--capture pcap is for bytes; without it there is text"),
        (["--capture", "pcap"], 1, "standard input: line 1: _connection: two ends such as"),
    ],
)
def test_the_command_says_what_is_wrong(options: list[str], status: int, what: str) -> None:
    row = json.dumps({"_corrupt_record": "00", "_connection": "here"}).encode()
    assert what in run("encode", "couchbase_dcp", *options, stdin=row, status=status).stderr


# Wireshark

VERIFIED = [f"-o{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
WARNING = 0x600000


@pytest.mark.wireshark
@pytest.mark.parametrize("name", RECORDS)
def test_wireshark_shows_each_row_and_nothing_wrong(name: str, tmp_path: Path) -> None:
    module, records = protocol_and_records(name)
    shown, ports = name if name != "dns" else "example_dns", (1, 11210)
    script = ROOT / "generated" / "wireshark" / f"{name}.lua"
    if name == "dns":
        script = emitted(strangers.protocol("dns"), tmp_path, shown)
    transport = "udp" if name == "dns" else "tcp"
    told = [f"-d{transport}.port=={port},{shown}" for port in ports if name != "couchbase_dcp"]
    for kind, known in zip(KINDS, (False, True), strict=True):
        table = table_of(module, records)
        table = sent(table, Random(11), (ENDS[0], ENDS[2])) if known else table
        path = recorded(tmp_path / f"trace.{kind}", module, table)
        found = opened(path, tmp_path, "-X", f"lua_script:{script}", *told, *VERIFIED)
        trees = [tree for packet in found for tree in packet.iter("proto") if tree.get("name") == shown]
        assert len(trees) == table.num_rows
        fields = [field for packet in found for field in packet.iter("field")]
        severities = [field for field in fields if field.get("name") == "_ws.expert.severity"]
        assert severities or name == "dns"
        assert [each.get("showname") for each in severities if int(each.get("show", "0")) >= WARNING] == []
        assert {each.get("show") for each in fields if each.get("name", "").endswith(".checksum.status")} == {"1"}
