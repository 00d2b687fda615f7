"""Recorded traffic: records out of files of packets, as Scapy writes them."""

from pathlib import Path
from random import Random

import pytest
from support.traffic import Flow, datagram, written

from traffic.recorded_frames import ALL, FRAMES, PLAIN, SENT, reasons, record, seqnos
from traffic.relay_events import EVENTS, chunked
from wireloom.options import OptionError
from wireloom_protocols import couchbase_dcp, databus, packets, pcap, pcapng


@pytest.mark.parametrize("name", ["trace.pcap", "trace.pcapng"])
def test_a_stream_decodes_as_its_bytes_do(tmp_path: Path, name: str) -> None:
    table = record(tmp_path, Flow(size=100).sent(SENT), name)
    assert table.select(PLAIN.schema.names).equals(PLAIN)


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
    with pytest.raises(OptionError, match=r"trace_00000\.pcap is not a recording"):
        pcap.decode_columnar(tmp_path, rotated=True)
    (tmp_path / "raw.bin").write_bytes(SENT)
    with pytest.raises(OptionError, match=r"raw\.bin is not a recording"):
        couchbase_dcp.decode_columnar(tmp_path, rotated=True)
