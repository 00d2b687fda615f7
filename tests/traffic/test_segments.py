"""Records out of segments of TCP that are lost, cut short, sent twice or out of order."""

from pathlib import Path
from random import Random

import pytest
from support.cases import often
from support.traffic import NUMBERS, Flow, disordered, written

from traffic.recorded_frames import ALL, ENDS, FRAMES, PLAIN, SENT, reasons, record, seqnos
from traffic.relay_events import _event
from wireloom.columnar import decoder
from wireloom_protocols import couchbase_dcp, databus

SEEDS = range(often(3, 8))


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
