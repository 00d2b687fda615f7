"""Recorded traffic: records out of packets, as Scapy writes them."""

import gzip
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from scapy.packet import Packet
from support.cases import often
from support.dcp_sessions import mutation
from support.traffic import CLIENT, NUMBERS, PORT, SERVER, Flow, datagram, disordered, written

from wireloom.columnar import decoder
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.ledgers import Ledger
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import Recording
from wireloom.options import CaptureKind, OptionError, ReadOptions
from wireloom_protocols import couchbase_dcp, databus, packets, pcap, pcapng

SEEDS = range(often(3, 8))


def frames(count: int) -> list[bytes]:
    """Mutations of several lengths, whose seqnos count from 1."""
    return [
        couchbase_dcp.build(mutation(1, number + 1, f"key{number}", "x" * (7 * number % 90))) for number in range(count)
    ]


FRAMES = frames(300)
SENT = b"".join(FRAMES)
PLAIN = couchbase_dcp.decode_columnar(SENT)
ENDS = list(accumulate(map(len, FRAMES)))


def record(tmp_path: Path, packets: list[Packet], name: str = "trace.pcap", **options: Any) -> pa.Table:
    """The table of packets, malformed rows in it."""
    path = written(tmp_path / name, packets)
    return couchbase_dcp.decode_columnar(path, mode="PERMISSIVE", positions=True, connections=True, **options)


def seqnos(table: pa.Table) -> list[int]:
    """The seqnos of the sound frames."""
    sound = table.filter(table["_corrupt_reason"].is_null())
    return [each["by_seqno"] for each in sound["mutation"].to_pylist()]


def reasons(table: pa.Table) -> list[str]:
    """Why others are malformed."""
    return table["_corrupt_reason"].drop_null().to_pylist()


ALL = list(range(1, len(FRAMES) + 1))


@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng"])
def test_a_stream_decodes_as_its_bytes_do(tmp_path: Path, name: str) -> None:
    table = record(tmp_path, Flow(size=100).sent(SENT), name)
    assert table.select(PLAIN.schema.names).equals(PLAIN)


def test_rows_say_how_they_were_sent(tmp_path: Path) -> None:
    packets = Flow(size=100).sent(SENT)
    table = record(tmp_path, packets)
    assert table["_connection"].unique().to_pylist() == [f"{SERVER}:{PORT}-{CLIENT}:50000"]
    assert table["_length"].to_pylist() == [len(frame) for frame in FRAMES]
    begins = [1 + (end - len(frame)) // 100 for end, frame in zip(ENDS, FRAMES, strict=True)]
    times = [round(float(packets[number].time) * 1000) for number in begins]
    assert [round(each.timestamp() * 1000) for each in table["_time"].to_pylist()] == times
    sizes = [24, *accumulate((16 + len(packet) for packet in packets), initial=24)][1:]
    assert table["_offset"].to_pylist() == [sizes[number] for number in begins]
    assert set(table["_gap_before"].to_pylist()) == {0}


def test_who_sends_syn_is_the_client_and_who_answers_it_is_not(tmp_path: Path) -> None:
    server = Flow()
    packets = [server.back.syn(), server.syn(answers=True), *server.sent(SENT, syn=False)]
    assert set(record(tmp_path, packets)["_from_client"].to_pylist()) == {False}
    assert set(record(tmp_path, server.sent(SENT))["_from_client"].to_pylist()) == {True}


@pytest.mark.parametrize("seed", SEEDS)
def test_packets_out_of_order_and_sent_twice_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    monkeypatch.setattr(decoder, "BATCH_ROWS", random.choice([5, 64, decoder.BATCH_ROWS]))
    flow = Flow(size=random.choice([50, 400, 1460]), first=NUMBERS - random.randrange(len(SENT)))
    packets = disordered(flow.sent(SENT), random, reach=random.choice([1, 4, 30]))
    table = record(tmp_path, packets)
    assert table.select(PLAIN.schema.names).equals(PLAIN)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_lies_outside_of_gaps_is_found_and_nothing_else(tmp_path: Path, seed: int) -> None:
    random, flow = Random(seed), Flow(size=700)
    packets = flow.sent(SENT)
    lost = sorted(random.sample(range(1, len(packets) - 2), 3))
    table = record(tmp_path, [packet for number, packet in enumerate(packets) if number not in lost])
    gaps = [range((number - 1) * 700, number * 700) for number in lost]
    touched = [
        any(end - len(frame) < gap.stop and gap.start < end for gap in gaps)
        for end, frame in zip(ENDS, FRAMES, strict=True)
    ]
    assert seqnos(table) == [number for number, hit in zip(ALL, touched, strict=True) if not hit]
    assert sum(table["_gap_before"].to_pylist()) == 700 * len(lost)


def test_behind_a_gap_nothing_is_found_where_no_guess_is_wanted(tmp_path: Path) -> None:
    packets = Flow(size=700).sent(SENT)
    del packets[2]
    table = record(tmp_path, packets, resync="proof")
    assert seqnos(table) == [number for number, end in zip(ALL, ENDS, strict=True) if end <= 700]
    assert reasons(table)[-1] == "gap: record at byte 1400: 700 bytes before it were not captured"


def test_a_capture_that_begins_in_the_middle_finds_the_next_record(tmp_path: Path) -> None:
    packets = Flow(size=100).sent(SENT, syn=False)[5:]
    table = record(tmp_path, packets)
    first = next(number for number, end in enumerate(ENDS, 2) if end >= 500)
    assert seqnos(table) == ALL[first - 1 :]
    guess = "; that a record follows is a guess"
    assert reasons(table) == [f"gap: record at byte 0: what came before it was not captured{guess}"]
    assert table["_gap_before"].to_pylist()[:2] == [None, 0]


def test_a_capture_without_syn_that_begins_with_a_record_misses_none(tmp_path: Path) -> None:
    table = record(tmp_path, Flow(size=100).sent(SENT, syn=False))
    assert seqnos(table) == ALL
    assert reasons(table) == []


def test_numbers_that_wrap_in_the_first_segment(tmp_path: Path) -> None:
    assert seqnos(record(tmp_path, Flow(size=100, first=NUMBERS - 50).sent(SENT))) == ALL


def test_fin_in_front_of_what_it_overtook(tmp_path: Path) -> None:
    flow = Flow(size=1000)
    *packets, last = flow.sent(SENT)
    packets += [flow.segment(len(SENT), b"", "FA"), last]
    assert seqnos(record(tmp_path, packets)) == ALL


def test_acknowledgements_and_data_of_the_other_side_are_no_proof_of_loss(tmp_path: Path) -> None:
    flow = Flow(size=1000)
    packets = flow.sent(SENT)
    noise = [flow.back.segment(at, b"", "A") for at in range(0, 5000, 100)]
    late = packets.pop(3)
    packets[6:6] = noise
    packets.insert(30, late)
    assert seqnos(record(tmp_path, packets)) == ALL


def test_keepalives_have_a_byte_that_is_none(tmp_path: Path) -> None:
    flow = Flow(size=1000)
    packets = flow.sent(SENT)
    packets[5:5] = [flow.segment(4 * 1000 - 1, b"\0")] * 3
    assert seqnos(record(tmp_path, packets)) == ALL


def test_the_first_bytes_win_where_others_differ(tmp_path: Path) -> None:
    flow = Flow(size=1000)
    packets = flow.sent(SENT)
    early, forged = packets.pop(2), flow.segment(2000, b"\xff" * 1000)
    packets[3:3] = [forged, early]
    assert seqnos(record(tmp_path, packets)) == ALL


def test_ports_that_are_used_again(tmp_path: Path) -> None:
    first = Flow(size=1000, first=5)
    again = Flow(size=1000, first=2_000_000_000)
    table = record(tmp_path, [*first.sent(SENT), *again.sent(SENT)])
    assert seqnos(table) == ALL + ALL
    name = f"{SERVER}:{PORT}-{CLIENT}:50000"
    assert table["_connection"].to_pylist() == [name] * len(ALL) + [f"{name}#2"] * len(ALL)


def test_ports_that_are_used_again_where_the_first_syn_was_not_captured(tmp_path: Path) -> None:
    first = Flow(size=1000, first=3_000_000_000)
    again = Flow(size=1000, first=5)
    opened = [again.back.syn(), again.syn(answers=True)]
    table = record(tmp_path, [*first.sent(SENT, syn=False), *opened, *again.sent(SENT, syn=False)])
    assert seqnos(table) == ALL + ALL
    assert reasons(table) == []
    assert table["_gap_before"].unique().to_pylist() == [None, 0]
    assert [name.partition("#")[2] for name in table["_connection"].unique().to_pylist()] == ["", "2"]


def test_a_syn_that_comes_late(tmp_path: Path) -> None:
    syn, *sent = Flow(size=100, first=3_000_000_000).sent(SENT)
    table = record(tmp_path, [*sent[:9], syn, *sent[9:]])
    assert seqnos(table) == ALL
    assert set(table["_gap_before"].to_pylist()) == {0}
    assert table["_connection"].unique().to_pylist() == [f"{SERVER}:{PORT}-{CLIENT}:50000"]


def test_what_the_snapshot_length_cut_off_is_a_gap(tmp_path: Path) -> None:
    packets = Flow(size=1000).sent(SENT)
    path = written(tmp_path / "whole.pcap", packets)
    data, cut, at = path.read_bytes(), bytearray(path.read_bytes()[:24]), 24
    while at < len(data):
        kept = min(int.from_bytes(data[at + 8 : at + 12], "little"), 600)
        size = int.from_bytes(data[at + 8 : at + 12], "little")
        cut += data[at : at + 8] + kept.to_bytes(4, "little") + data[at + 12 : at + 16 + kept]
        at += 16 + size
    (tmp_path / "cut.pcap").write_bytes(cut)
    table = couchbase_dcp.decode_columnar(tmp_path / "cut.pcap", mode="PERMISSIVE", connections=True)
    kept = [range(at, at + 600 - 54) for at in range(0, len(SENT), 1000)]
    whole = [
        any(end - len(frame) in part and end <= part.stop for part in kept)
        for end, frame in zip(ENDS, FRAMES, strict=True)
    ]
    found = seqnos(table)
    assert set(found) <= {number for number, is_whole in zip(ALL, whole, strict=True) if is_whole}
    assert len(found) >= 0.9 * sum(whole)


def test_many_connections_at_once(tmp_path: Path) -> None:
    flows = [Flow(size=300, destination_port=50000 + number, first=7 * number) for number in range(5)]
    every = [packet for packets in zip(*(flow.sent(SENT) for flow in flows), strict=True) for packet in packets]
    table = record(tmp_path, every)
    assert table.num_rows == 5 * len(FRAMES)
    for connection in table["_connection"].unique():
        assert seqnos(table.filter(pa.compute.equal(table["_connection"], connection))) == ALL


def test_only_some_ports_hosts_and_directions(tmp_path: Path) -> None:
    server, other = Flow(size=1000), Flow(size=1000, source_port=12000, source="192.168.1.1")
    answers = b"".join(FRAMES[:10])
    packets = [
        server.back.syn(),
        *server.sent(SENT, syn=False),
        *server.back.sent(answers, syn=False),
        *other.sent(SENT),
    ]
    assert record(tmp_path, packets, ports="11210").num_rows == len(FRAMES) + 10
    assert record(tmp_path, packets, ports="11210", direction="client").num_rows == 10
    assert record(tmp_path, packets, ports="11210", direction="server").num_rows == len(FRAMES)
    assert record(tmp_path, packets, ports="12000,11210").num_rows == 2 * len(FRAMES) + 10
    assert record(tmp_path, packets, ports="12000,11210", hosts="192.168.0.0/16").num_rows == len(FRAMES)


def test_one_end_tells_connections_apart_for_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture that begins in the middle; then the client connects again from the same port, and no answer is seen."""
    monkeypatch.setattr(decoder, "BATCH_ROWS", 1)
    data, server, again = b"".join(frames(3)), Flow(), Flow(first=500_000)
    said = [*server.back.sent(data, syn=False), *server.sent(data, syn=False)]
    said += [again.back.syn(), *again.sent(data, syn=False), *again.back.sent(data, syn=False)]
    columns = ["_offset", "_connection", "_from_client", "_gap_before", "_corrupt_reason"]
    both = record(tmp_path, said, columns=columns)
    assert sorted(set(both["_connection"].to_pylist())) == [f"{SERVER}:11210-{CLIENT}:50000{at}" for at in ("", "#2")]
    for end, is_client in (("client", True), ("server", False)):
        rows = record(tmp_path, said, columns=columns, direction=end)
        assert rows.to_pylist() == [row for row in both.to_pylist() if row["_from_client"] == is_client]
        assert rows.num_rows == 6


def test_requests_and_answers_come_in_the_order_of_the_capture(tmp_path: Path) -> None:
    server = Flow()
    packets, ask, answer = [server.back.syn(), server.syn(answers=True)], 0, 0
    for frame in FRAMES[:50]:
        packets += [server.back.segment(ask, frame), server.segment(answer, frame + frame)]
        ask, answer = ask + len(frame), answer + 2 * len(frame)
    assert record(tmp_path, packets)["_from_client"].to_pylist() == [True, False, False] * 50


def test_what_waits_for_a_gap_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "BATCH_ROWS", 8)
    sent = range(1, 101)
    packets = Flow(size=100).sent(SENT[: ENDS[99]])
    packets.append(packets.pop(10))
    assert seqnos(record(tmp_path, packets)) == [*sent]
    table = record(tmp_path, packets, maxStreamBytes=200)
    ends = zip(sent, ENDS, strict=False)
    lost = [number for number, end in ends if end > 900 and end - len(FRAMES[number - 1]) < 1000]
    assert seqnos(table) == [number for number in sent if number not in lost]
    assert sum(table["_gap_before"].to_pylist()) == 100


def test_events_find_themselves_behind_gaps(tmp_path: Path) -> None:
    sent = [databus.build({"message": "dbus_event", "version": 0, "dbus_event": _event(n)}) for n in range(200)]
    packets = Flow(size=500, source_port=9000).sent(b"".join(sent))
    path = written(tmp_path / "trace.pcap", [packet for number, packet in enumerate(packets) if number not in (3, 9)])
    table = databus.decode_columnar(path, mode="PERMISSIVE", connections=True)
    sound = table.filter(table["_corrupt_reason"].is_null())["dbus_event"].to_pylist()
    size = len(sent[0])
    lost = {
        number
        for number in range(200)
        for gap in (range(1000, 1500), range(4000, 4500))
        if gap.start < (number + 1) * size and number * size < gap.stop
    }
    assert [each["sequence"] for each in sound] == [number for number in range(200) if number not in lost]


def _event(number: int) -> dict[str, Any]:
    fields = {"sequence": number, "physical_partition_id": 1, "logical_partition_id": 1, "nano_timestamp": 1}
    return {"variant": "long_key", **fields, "src_id": 1, "schema_id": bytes(16), "key": number, "value": b"value"}


def test_datagrams_are_captures_of_their_own(tmp_path: Path) -> None:
    packets = [datagram(frame, Flow()) for frame in FRAMES[:20]]
    table = record(tmp_path, packets)
    assert seqnos(table) == ALL[:20]
    assert reasons(table) == []


def test_other_files_are_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "raw.bin").write_bytes(SENT)
    table = couchbase_dcp.decode_columnar(tmp_path / "raw.bin", connections=True)
    assert table.select(PLAIN.schema.names).equals(PLAIN)
    assert table["_time"].null_count == table["_connection"].null_count == len(FRAMES)


EVENTS = [databus.build({"message": "dbus_event", "version": 0, "dbus_event": _event(n)}) for n in range(60)]


def chunked(data: bytes, size: int) -> bytes:
    """A response of HTTP in chunks."""
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [7, 100, 100_000])
def test_a_relay_is_read_behind_http(tmp_path: Path, size: int) -> None:
    relay = Flow(source_port=11115, size=333)
    asks = b"".join(b"GET /stream?checkPoint=%d HTTP/1.1\r\nHost: relay\r\n\r\n" % number for number in range(3))
    sources = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"
    known = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(EVENTS[0]) + EVENTS[0]
    answers = sources + chunked(b"".join(EVENTS), size) + known
    begun = [relay.back.syn(), relay.syn(answers=True), *relay.back.sent(asks, syn=False)]
    path = written(tmp_path / "trace.pcap", [*begun, *relay.sent(answers, syn=False)])
    table = databus.decode_columnar(path, mode="PERMISSIVE", connections=True)
    assert table["_corrupt_reason"].null_count == table.num_rows
    assert [each["sequence"] for each in table["dbus_event"].to_pylist()] == [*range(60), 0]
    assert set(table["_from_client"].to_pylist()) == {False}


def test_events_are_found_behind_a_gap_in_http(tmp_path: Path) -> None:
    relay = Flow(source_port=11115, size=400)
    packets = relay.sent(chunked(b"".join(EVENTS), 100_000))
    del packets[3]
    path = written(tmp_path / "trace.pcap", packets)
    table = databus.decode_columnar(path, mode="PERMISSIVE", connections=True)
    sound = table.filter(table["_corrupt_reason"].is_null())
    found = [each["sequence"] for each in sound["dbus_event"].to_pylist()]
    assert found == [number for number in range(60) if number in found]
    assert len(found) >= 60 - 2 - 400 // len(EVENTS[0])


def test_tls_is_told_in_one_row(tmp_path: Path) -> None:
    hello = bytes.fromhex("1603010200010001fc0303") + bytes(501)
    answer = bytes.fromhex("160303007a020000760303") + bytes(116)
    server = Flow(size=100)
    packets = [server.back.syn(), server.syn(answers=True), *server.back.sent(hello, syn=False)]
    table = record(tmp_path, [*packets, *server.sent(answer + bytes(5000), syn=False)])
    assert table.num_rows == 1
    assert reasons(table)[0].startswith("tls: record at byte 0: the connection is encrypted by TLS")


def test_fragments_of_ip_are_put_together(tmp_path: Path) -> None:
    from scapy.layers.inet import fragment

    random = Random(3)
    packets = [datagram(frame, Flow()) for frame in FRAMES[:20]]
    for number, packet in enumerate(packets):
        packet["IP"].id = number
    parts = [part for packet in packets for part in fragment(packet, 48)]
    random.shuffle(parts)
    for part in parts:
        part.time = 1_700_000_000
    table = record(tmp_path, parts)
    assert len(parts) > 40
    assert sorted(seqnos(table)) == ALL[:20]
    assert len(seqnos(record(tmp_path, parts[1:]))) == 19


@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng"])
def test_packets_are_records_of_their_own_protocol(tmp_path: Path, name: str) -> None:
    sent = Flow(size=1000).sent(SENT)
    path = written(tmp_path / name, sent)
    table = packets.decode_columnar(path, positions=True, connections=True)
    assert table.num_rows == len(sent)
    assert b"".join(each["payload"] for each in table["tcp"].to_pylist()) == SENT
    assert table["_length"].to_pylist() == [len(packet) for packet in sent]
    assert table["_time"][0].as_py().timestamp() == pytest.approx(Flow().at)
    assert table["_connection"].null_count == table["_from_client"].null_count == len(sent)


def test_packets_cut_inside_their_headers_are_accounted_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    flow = Flow(size=1000)
    whole = written(tmp_path / "whole.pcap", [flow.back.segment(0, b"", "A"), flow.back.segment(0, b"", "A")])
    data = whole.read_bytes()
    (tmp_path / "cut.pcap").write_bytes(data[:32] + (40).to_bytes(4, "little") + data[36:80] + data[94:])
    caplog.set_level("INFO", "wireloom")
    ledger = ledger_of(tmp_path / "cut.pcap")
    assert ledger.packets == {"damaged or cut": 1, "without data": 1, "read": 0}
    assert caplog.messages == ["wireloom: cut.pcap: 2 packets, 1 damaged or cut, 1 without data"]


def test_no_packet_but_some_cut_inside_their_headers(tmp_path: Path) -> None:
    data = written(tmp_path / "whole.pcap", [Flow().back.segment(0, b"", "A")]).read_bytes()
    (tmp_path / "cut.pcap").write_bytes(data[:32] + (40).to_bytes(4, "little") + data[36:80])
    assert ledger_of(tmp_path / "cut.pcap").packets == {"damaged or cut": 1}


def test_packets_of_the_other_end_are_told_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wireloom")
    server = Flow(size=700)
    lost = [packet for number, packet in enumerate(server.sent(SENT, syn=False)) if number != 2]
    sent = [server.back.syn(), *lost, *server.back.sent(SENT[:1400], syn=False)]
    record(tmp_path, sent, direction="client")
    told = f"{len(sent)} packets, {len(lost)} of the other direction, 2 read, 1 without data"
    assert caplog.messages[0] == f"wireloom: {tmp_path / 'trace.pcap'}: {told}"


def test_packets_that_lack_their_ends_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = written(tmp_path / "whole.pcap", Flow(size=1000).sent(SENT[:1000])).read_bytes()
    size, last = len(data) - 7, 24 + 16 + 54
    length = (1000 + 54 - 7).to_bytes(4, "little")
    (tmp_path / "cut.pcap").write_bytes(data[: last + 8] + length + data[last + 12 : size])
    couchbase_dcp.decode_columnar(tmp_path / "cut.pcap", mode="PERMISSIVE")
    told = "2 packets, 1 read, 1 without data, 1 of these cut short"
    assert caplog.messages[0] == f"wireloom: {tmp_path / 'cut.pcap'}: {told}"


def ledger_of(path: Path) -> Ledger:
    """What became of packets in which there is no record."""
    traffic = Traffic(Decoder(couchbase_dcp.PROTOCOL, ReadOptions(), pa.schema([])))
    with path.open("rb") as file:
        assert list(traffic.cuts([Recording(path.name, CaptureKind.PCAP, file.readinto)])) == []
    return traffic.ledger


@pytest.mark.spark
@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng.gz"])
def test_spark_reads_recorded_packets(spark: Any, tmp_path: Path, name: str) -> None:
    from wireloom.spark import register

    register(spark)
    folder = tmp_path / "traces"
    folder.mkdir()
    flow = Flow(size=1000)
    packets = [flow.back.syn(), flow.syn(answers=True), *flow.sent(SENT, syn=False)]
    path = written(folder / name.removesuffix(".gz"), packets)
    if name.endswith(".gz"):
        (folder / name).write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    reader = spark.read.format("couchbase_dcp").option("connections", True)
    read = reader.option("maxPartitionBytes", 2000).load(str(folder))
    assert read.rdd.getNumPartitions() == 1
    rows = read.select("mutation.by_seqno", "_time", "_connection", "_from_client", "_gap_before").collect()
    assert [row.by_seqno for row in rows] == ALL
    assert {row._connection for row in rows} == {f"{SERVER}:{PORT}-{CLIENT}:50000"}
    assert {(row._from_client, row._gap_before) for row in rows} == {(False, 0)}
    assert rows[0]._time.timestamp() == pytest.approx(flow.at + 0.001)
    stream = spark.readStream.format("couchbase_dcp").option("maxPartitionBytes", 2000).load(str(folder))
    query = stream.writeStream.format("memory").queryName("recorded").trigger(availableNow=True)
    started = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    assert started.awaitTermination(120)
    assert spark.sql("select mutation.by_seqno from recorded").count() == len(ALL)


def test_spark_tells_the_kind_of_a_file_from_the_header_of_one(tmp_path: Path) -> None:
    from wireloom.spark.sources import source_of

    written(tmp_path / "trace.pcap", Flow(size=1000).sent(SENT))
    source = source_of("couchbase_dcp")

    def count(**options: str) -> int:
        reader = source({"path": str(tmp_path), **options}).reader(source({"path": str(tmp_path)}).schema())
        return sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part))

    assert count(capture="pcap") == count(Capture="auto") == len(ALL)
    assert count(capture="raw") > len(ALL)  # with malformed rows for what is between them
    for wrong, told in (("pcpa", "did you mean 'pcap'"), ('{"magic": 1}', "an option of writing")):
        with pytest.raises(OptionError, match=told):
            count(capture=wrong)


@pytest.mark.spark
def test_conversations_span_files_and_tasks(spark: Any, tmp_path: Path) -> None:
    from wireloom.spark import conversations, register

    register(spark)
    flows = [Flow(size=500, destination_port=50000 + number) for number in range(5)]
    every = [packet for some in zip(*(flow.sent(SENT) for flow in flows), strict=True) for packet in some]
    folder = tmp_path / "traces"
    folder.mkdir()
    for number in range(4):
        written(folder / f"trace_{number:05}.pcap", every[number::4])
    reader = spark.read.format("packets").option("positions", True).option("connections", True)
    found = conversations(reader.load(str(folder)), "couchbase_dcp").where("_corrupt_reason IS NULL")
    rows = found.select("mutation.by_seqno", "_connection", "_from_client").collect()
    for flow in flows:
        name = f"{SERVER}:{PORT}-{CLIENT}:{flow.destination_port}"
        assert [row.by_seqno for row in rows if row._connection == name] == ALL
    assert len(rows) == 5 * len(ALL)
    with pytest.raises(OptionError, match="_time"):
        conversations(reader.load(str(folder)).drop("_time"), "couchbase_dcp")
    with pytest.raises(OptionError, match="ends of tunnels"):
        conversations(reader.load(str(folder)), "couchbase_dcp", tunnels=True)


def test_bytes_in_memory_are_recognised_too(tmp_path: Path) -> None:
    data = written(tmp_path / "trace.pcap", Flow(size=100).sent(SENT)).read_bytes()
    assert couchbase_dcp.decode_columnar(data).select(PLAIN.schema.names).equals(PLAIN)


@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng"])
def test_files_with_packets_are_records_to_their_own_protocols(tmp_path: Path, name: str) -> None:
    sent = Flow(size=1000).sent(SENT)
    path = written(tmp_path / name, sent)
    table = {"trace.pcap": pcap, "trace.pcapng": pcapng}[name].decode_columnar(path)
    kind = {"trace.pcap": "packet", "trace.pcapng": "enhanced_packet"}[name]
    assert table["message"].to_pylist().count(kind) == len(sent)


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path / "trace.pcap", Flow(size=1000).sent(SENT))
    record(tmp_path, Flow(size=1000).sent(SENT), ports="80")
    assert [each.getMessage() for each in caplog.records] == [f"wireloom: {path}: 34 packets, 34 of others"]
    caplog.clear()
    path.write_bytes(path.read_bytes()[:-5])
    couchbase_dcp.decode_columnar(path, mode="PERMISSIVE")
    told = [each.getMessage() for each in caplog.records if "no packets" in each.getMessage()]
    assert len(told) == 1


def test_parts_of_one_recording_go_on_where_the_one_before_ended(tmp_path: Path) -> None:
    sent = Flow(size=100).sent(SENT)
    paths = [written(tmp_path / f"trace_{part:05}.pcap", sent[50 * part : 50 * part + 50]) for part in range(7)]
    apart = couchbase_dcp.decode_columnar(tmp_path, mode="PERMISSIVE")
    assert len(seqnos(apart)) < len(ALL)
    table = couchbase_dcp.decode_columnar(tmp_path, mode="PERMISSIVE", rotated=True, positions=True, connections=True)
    assert seqnos(table) == ALL
    assert table["_file"].unique().to_pylist() == [str(path) for path in paths]
    assert reasons(table) == []
    (tmp_path / "trace_00007.pcap").touch()  # which a recorder has just begun
    for kind in ("auto", "pcap"):
        assert couchbase_dcp.decode_columnar(tmp_path, capture=kind, rotated=True).num_rows == len(ALL)
    with pytest.raises(OptionError, match=r"trace_00000\.pcap is none"):
        pcap.decode_columnar(tmp_path, rotated=True)
    (tmp_path / "raw.bin").write_bytes(SENT)
    with pytest.raises(OptionError, match=r"raw\.bin is none"):
        couchbase_dcp.decode_columnar(tmp_path, rotated=True)
