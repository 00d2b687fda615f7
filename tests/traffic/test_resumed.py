"""A recording that is left and goes on, file by file: its rows are those of the whole, wherever it is cut."""

import pickle
from collections.abc import Sequence
from functools import cached_property
from gzip import compress
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pytest
from codec.telling_records import NOTE, WIDE, hello
from scapy.layers.inet import fragment
from scapy.packet import Packet
from support import compiled
from support.cases import often
from support.http_talk import request, sized
from support.lockstep import Pair
from support.traffic import Flow, datagram, disordered, written

from traffic.recorded_frames import FRAMES, SENT
from traffic.relay_events import EVENTS, chunked
from traffic.resumed_recordings import DIGEST, alike, decoder_of, rows
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.resuming import UnfitStateError, resumed, suspended
from wireloom_protocols import couchbase_dcp, databus

DCP, DATABUS, FOUND = map(Pair.of, (couchbase_dcp, databus, compiled.feature("found").columnar))


def some(random: Random, packets: Sequence[Packet]) -> list[int]:
    return sorted(random.sample(range(1, len(packets)), min(7, len(packets) - 1)))


@pytest.mark.parametrize("seed", range(often(3, 6)))
def test_packets_that_are_lost_sent_twice_and_out_of_order(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    flow = Flow(size=random.choice([60, 100, 700]), first=random.choice([5, 2**32 - 999]))
    client = Flow(size=200).back
    packets = disordered([*flow.sent(SENT), *client.sent(b"".join(FRAMES[:40]), syn=False)], random)
    for _ in range(seed):
        del packets[random.randrange(len(packets))]
    found = alike(DCP, tmp_path, packets, some(random, packets))
    assert sum(row["_corrupt_reason"] is None for row in found) > 100


def test_every_place_of_a_short_one(tmp_path: Path) -> None:
    flow = Flow(size=50)
    packets = flow.sent(b"".join(FRAMES[:5]))
    packets[3:5] = reversed(packets[3:5])
    for at in range(1, len(packets)):
        found = alike(DCP, tmp_path, packets, [at])
        assert [row["mutation"]["by_seqno"] for row in found] == [*range(1, 6)]


def test_files_are_known_as_long_as_bytes_of_them_wait(tmp_path: Path) -> None:
    size = 10
    packets = Flow(size=size).sent(b"".join(FRAMES[:5]))
    packets[7:9] = reversed(packets[7:9])
    ends = [0, *accumulate(map(len, FRAMES[:5]))]
    traffic = Traffic(decoder_of(DCP))
    for number, packet in enumerate(packets):
        rows(traffic, [written(tmp_path / f"{number:03}.pcap", [packet])], final=False)
        traffic = resumed(decoder_of(DCP), DIGEST, suspended(traffic, DIGEST))
        reached = min(size * (6 if number == 7 else number), ends[-1])  # then the eighth packet waits for the seventh
        begun = max(end for end in ends if end <= reached)
        waiting = range(begun // size + 1, number + 1) if begun < reached else ()
        assert sorted(Path(name).name for name in traffic.files.values()) == [f"{each:03}.pcap" for each in waiting]
    assert ends[-1] == reached


def test_ports_that_are_used_again(tmp_path: Path) -> None:
    packets = [*Flow(size=1000, first=5).sent(SENT), *Flow(size=1000, first=2_000_000_000).sent(SENT)]
    found = alike(DCP, tmp_path, packets, [3, len(packets) // 2, len(packets) - 4])
    assert {row["_connection"].partition("#")[2] for row in found} == {"", "2"}


@pytest.mark.parametrize("lost", [None, 3])
def test_bodies_of_http(tmp_path: Path, lost: int | None) -> None:
    relay = Flow(source_port=11115, size=333)
    asks = b"".join(b"GET /stream?checkPoint=%d HTTP/1.1\r\nHost: relay\r\n\r\n" % number for number in range(3))
    known = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(EVENTS[0]) + EVENTS[0]
    answers = relay.sent(chunked(b"".join(EVENTS), 100_000) + known, syn=False)
    packets = [relay.back.syn(), relay.syn(answers=True), *relay.back.sent(asks, syn=False), *answers]
    if lost is not None:
        del packets[lost]
    found = alike(DATABUS, tmp_path, packets, [1, 4, 9, 12, len(packets) - 1])
    assert sum(row["_corrupt_reason"] is None for row in found) > 50


@pytest.mark.parametrize("lost", [None, 5, 7])
def test_packed_bodies_of_http(tmp_path: Path, lost: int | None) -> None:
    relay = Flow(source_port=11115, size=200)
    body = sized(compress(b"".join(EVENTS[:20]), 0), [("Content-Encoding", "gzip")])
    answers = sized(bytes(50), method=b"HEAD") + body + sized(EVENTS[0])
    packets = [*relay.back.sent(request(method=b"HEAD") + request() * 2), *relay.sent(answers)]
    if lost is not None:
        del packets[lost]
    found = alike(DATABUS, tmp_path, packets, range(1, len(packets)))
    events = [row["dbus_event"]["sequence"] for row in found if row["_corrupt_reason"] is None]
    assert events[-1] == 0
    assert (len(events) == 21) == (lost is None)


def test_tls_is_told_once(tmp_path: Path) -> None:
    hello_of_client = bytes.fromhex("1603010200010001fc0303") + bytes(501)
    server = Flow(size=100)
    packets = [*server.back.sent(hello_of_client), *server.sent(bytes.fromhex("160303007a020000760303") + bytes(900))]
    (row,) = alike(DCP, tmp_path, packets, [3, 8, 10])
    assert row["_corrupt_reason"].startswith("tls: ")


def test_fragments_of_ip(tmp_path: Path) -> None:
    packets = [datagram(frame, Flow()) for frame in FRAMES[:9]]
    for number, packet in enumerate(packets):
        packet["IP"].id = number
    parts = [part for packet in packets for part in fragment(packet, 48)]
    Random(3).shuffle(parts)
    found = alike(DCP, tmp_path, parts, some(Random(4), parts))
    assert sorted(row["mutation"]["by_seqno"] for row in found) == [*range(1, 10)]


@pytest.mark.parametrize("size", [2, 7])
def test_what_a_stream_has_told_of_its_parameters(tmp_path: Path, size: int) -> None:
    stream = hello(2) + hello(9) + NOTE * 7 + WIDE * 3
    packets = Flow(size=size).sent(stream)
    for cuts in ([2], [3, 6], range(1, len(packets), 5), [len(packets) - 2]):
        found = alike(FOUND, tmp_path, packets, cuts)
        assert [row["reading"]["number"]["wide"] for row in found if row["reading"]] == [6, 6, 6]


class Harm:
    """What runs something when it is read as a pickle."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def signed(data: bytes) -> bytes:
    """Bytes as someone would write them who means harm."""
    told = suspended(Traffic(decoder_of(DCP)), DIGEST).partition(b"\n")[0]
    return told + b"\n" + blake2b(data, digest_size=16).digest() + data


def test_what_is_left_is_read_with_care(tmp_path: Path) -> None:
    decoder = decoder_of(DCP)
    traffic = Traffic(decoder)
    rows(traffic, [written(tmp_path / "a.pcap", Flow(size=100).sent(SENT)[:50])], final=False)
    left = suspended(traffic, DIGEST)
    assert resumed(decoder, DIGEST, left).count == 50
    harm, touched = pickle.dumps(Harm(tmp_path / "harm")), tmp_path / "harm"
    told = left[: left.index(b"\n") + 1]
    for data in (signed(harm), signed(pickle.dumps(5)), signed(pickle.dumps({})), told, left[:-3], b"", harm):
        with pytest.raises(UnfitStateError):
            resumed(decoder, DIGEST, data)
    for at in Random(5).sample(range(len(left)), 99):
        with pytest.raises(UnfitStateError):
            resumed(decoder, DIGEST, left[:at] + bytes([left[at] ^ 4]) + left[at + 1 :])
    assert not touched.exists()
    pickle.loads(harm)
    assert touched.exists()
    with pytest.raises(UnfitStateError, match="or with other options"):
        resumed(decoder, "that of another one", left)


@pytest.mark.parametrize("named", [bytearray, print, cached_property])
def test_what_is_no_part_of_conversations_is_not_made(named: Any) -> None:
    with pytest.raises(UnfitStateError, match="is no part of it"):
        resumed(decoder_of(DCP), DIGEST, signed(pickle.dumps(named)))


OTHERS = (
    {"direction": "server"},
    {"u64": "long"},
    {"collections": "true"},
    {"maxRecordBytes": "1m"},
    {"resync": "proof"},
)


@pytest.mark.parametrize("options", OTHERS, ids=lambda options: next(iter(options)))
def test_what_is_left_is_not_read_in_another_way(options: dict[str, str]) -> None:
    left = suspended(Traffic(decoder_of(DCP)), DIGEST)
    with pytest.raises(UnfitStateError, match="or with other options"):
        resumed(decoder_of(DCP, **options), DIGEST, left)
    other = suspended(Traffic(decoder_of(DCP, **options)), DIGEST)
    assert resumed(decoder_of(DCP, **options), DIGEST, other).count == 0
