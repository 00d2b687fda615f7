"""memcached over UDP: requests and answers that datagrams with frame headers carry, in any order."""

import struct
from pathlib import Path
from random import Random
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from support.lockstep import Pair
from support.traffic import Flow, datagram, written

from traffic.resumed_recordings import DIGEST, alike, decoder_of
from traffic.resumed_recordings import rows as traffic_rows
from wireloom.columnar.traffic.datagrams import Datagrams
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.resuming import resumed, suspended
from wireloom.endpoints import Endpoints
from wireloom_protocols import memcached

SERVER = Flow(source_port=11211)
CLIENT = SERVER.back
MEMCACHED = Pair.of(memcached)


def answers(count: int, size: int = 40) -> bytes:
    """Values of a server, as frames end to end."""
    value = {"variant": "success", "flags": 5, "key": ""}
    return b"".join(
        memcached.build(
            {
                "message": "get_response", "opcode": 0, "status": 0, "opaque": number, "cas": 1,
                "get_response": value | {"value": bytes([number]) * (size + number)},
            }
        )
        for number in range(count)
    )  # fmt: skip


def framed(request: int, data: bytes, size: int = 100) -> list[bytes]:
    """A message in datagrams of so many bytes."""
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return [struct.pack(">4H", request, number, len(parts), 0) + part for number, part in enumerate(parts)]


def capture(path: Path, sent: list[bytes], flow: Flow = SERVER) -> Path:
    return written(path, [datagram(data, flow) for data in sent])


def rows(path: Path) -> pa.Table:
    return memcached.scan(path, mode="PERMISSIVE", connections=True).read_all()


@pytest.mark.parametrize("seed", range(3))
def test_answers_over_several_datagrams_are_put_in_order(tmp_path: Path, seed: int) -> None:
    random, messages = Random(seed), [answers(number + 1) for number in range(6)]
    sent = [part for number, data in enumerate(messages) for part in framed(number, data)]
    random.shuffle(sent)
    table = rows(capture(tmp_path / "sent.pcap", sent))
    expected = memcached.decode_columnar(b"".join(messages))
    assert table["_corrupt_reason"].null_count == len(table) == len(expected)
    values = [sorted(each["opaque"].to_pylist()) for each in (table, expected)]
    assert values[0] == values[1]
    assert {*table["_from_client"].to_pylist()} == {False}
    assert {*table["_gap_before"].to_pylist()} == {0}


def test_datagrams_in_order_give_the_records_that_were_sent(tmp_path: Path) -> None:
    data = answers(9)
    sent = framed(7, data)
    for name, copies in {"once": sent, "twice": [part for part in sent for _ in range(2)][:-1]}.items():
        table = rows(capture(tmp_path / f"{name}.pcap", copies))
        expected = memcached.decode_columnar(data)
        assert table.select(expected.schema.names).equals(expected)


def test_the_number_of_a_request_is_used_again(tmp_path: Path) -> None:
    first, second = answers(2), answers(3)
    table = rows(capture(tmp_path / "again.pcap", framed(7, first) + framed(7, second)[:-1] + framed(7, first)))
    sound = table.filter(table["_corrupt_reason"].is_null())["opaque"].to_pylist()
    assert sound[:2] == [0, 1]
    assert sound[-2:] == [0, 1]
    assert sound.count(0) == 3


@pytest.mark.parametrize("lost", [0, 2, 4])
def test_what_a_lost_datagram_leaves_is_kept(tmp_path: Path, lost: int) -> None:
    data = answers(10, 30)
    sent = framed(7, data, 130)
    assert len(sent) == 5
    left = [*sent[:lost], *sent[lost + 1 :]]
    table = rows(capture(tmp_path / "lost.pcap", left))
    whole = table.filter(table["_corrupt_reason"].is_null())
    frames = memcached.decode_columnar(data, positions=True).to_pylist()
    gap = 130 * lost, 130 * (lost + 1)
    there = [row["opaque"] for row in frames if row["_offset"] + row["_length"] <= gap[0] or row["_offset"] >= gap[1]]
    assert whole["opaque"].to_pylist() == there
    sizes = [24 + row["total_body_length"] for row in whole.to_pylist()]
    malformed = pc.sum(pc.binary_length(table["_corrupt_record"])).as_py()
    assert sum(sizes) + malformed == sum(len(part) - 8 for part in left)
    (told,) = memcached.summary(tmp_path / "lost.pcap").to_pylist()
    assert told["gaps"] == 1


def test_a_datagram_without_a_header_is_a_capture_of_its_own(tmp_path: Path) -> None:
    odd = [b"short", struct.pack(">4H", 1, 2, 2, 0) + b"none", struct.pack(">4H", 1, 0, 1, 9) + answers(1)]
    table = rows(capture(tmp_path / "odd.pcap", odd))
    assert pc.sum(table["opaque"].is_valid()).as_py() == 1
    assert table["_corrupt_record"].drop_null().to_pylist()[:2] == odd[:2]


def test_requests_and_answers_of_one_number_are_apart(tmp_path: Path) -> None:
    packets = [datagram(part, flow) for flow in (CLIENT, SERVER) for part in framed(7, answers(3))]
    table = rows(written(tmp_path / "both.pcap", 2 * packets))
    assert table["_from_client"].to_pylist() == 2 * [*[True] * 3, *[False] * 3]
    assert table["_corrupt_reason"].null_count == 12


@pytest.mark.parametrize("direction", ["both", "server"])
def test_an_answer_ends_where_its_number_is_asked_with_again(
    tmp_path: Path, direction: Literal["both", "server"]
) -> None:
    begin, end = framed(7, answers(1, 100), 70)
    (asked,) = framed(7, answers(1))
    end = end[:-1] + b"!"
    sent = [datagram(begin, SERVER), datagram(asked, CLIENT), datagram(end, SERVER)]
    path = written(tmp_path / "lost.pcap", sent)
    table = memcached.scan(path, mode="PERMISSIVE", connections=True, direction=direction).read_all()
    answered = table.filter(pc.invert(table["_from_client"]))
    assert answered["_corrupt_reason"].null_count == 0
    assert b"".join(answered["_corrupt_record"].to_pylist()) == begin[8:] + end[8:]


def test_messages_wait_from_file_to_file(tmp_path: Path) -> None:
    data = answers(9)
    packets = [datagram(part, SERVER) for part in framed(7, data)]
    packets[1:3] = reversed(packets[1:3])
    found = alike(MEMCACHED, tmp_path, packets, [1, 2, 4])
    assert [row["opaque"] for row in found] == [*range(9)]


def test_so_many_messages_wait_and_no_more() -> None:
    endpoints = Endpoints("udp", ("10.0.0.1", 11211), ("10.0.0.7", 50000))
    datagrams, out = Datagrams(), 0
    for request in range(6000):
        data = memoryview(struct.pack(">4H", request, 1, 2, 0) + b"abc")
        found = datagrams.take(endpoints, data, [request, 0, 0, 0], upward=True)
        assert found is not None
        out += len([*found])
    assert len(datagrams.waiting) == 4096
    assert out + len([*datagrams.give_up(0)]) == 6000
    assert datagrams.held == 0


def test_datagrams_and_segments_wait_within_one_bound(tmp_path: Path) -> None:
    most, data = 100_000, answers(250, 200)
    assert most / 2 < len(data) < most
    traffic = Traffic(decoder_of(MEMCACHED, maxStreamBytes=str(most)))
    segments = [packet for number, packet in enumerate(SERVER.sent(data)) if number != 1]
    found = traffic_rows(traffic, [written(tmp_path / "0.pcap", segments)], final=False)
    waiting = sum(traffic.waiting.values())
    assert most / 2 < waiting
    parts = framed(7, data)[1:]
    found += traffic_rows(
        traffic, [written(tmp_path / "1.pcap", [datagram(part, SERVER) for part in parts])], final=False
    )
    assert waiting <= traffic.datagrams.held + sum(traffic.waiting.values()) <= most
    assert len(found) > 200
    assert len(found + traffic_rows(traffic, [], final=True)) > 480


def test_datagrams_of_nothing_but_a_header_count(tmp_path: Path) -> None:
    parts = [struct.pack(">4H", 7, number, 0xFFFF, 0) for number in range(300)]
    traffic = Traffic(decoder_of(MEMCACHED, maxStreamBytes="100000"))
    for number in range(3):
        path = written(tmp_path / f"{number}.pcap", [datagram(part, SERVER) for part in parts[number::3]])
        traffic_rows(traffic, [path], final=False)
    assert sum(len(message.parts) for message in traffic.datagrams.waiting.values()) < 100


def test_a_bound_that_is_changed_holds_for_what_waits(tmp_path: Path) -> None:
    parts = framed(7, answers(50))[:-1]
    traffic = Traffic(decoder_of(MEMCACHED, maxStreamBytes="1m"))
    path = written(tmp_path / "0.pcap", [datagram(part, SERVER) for part in parts])
    assert traffic_rows(traffic, [path], final=False) == []
    traffic = resumed(decoder_of(MEMCACHED, maxStreamBytes="1k"), DIGEST, suspended(traffic, DIGEST))
    path = written(tmp_path / "1.pcap", [datagram(framed(8, answers(1), 999)[0], SERVER)])
    assert len(traffic_rows(traffic, [path], final=False)) >= 50
    assert not traffic.datagrams.waiting
