"""Records in recorded HTTP: whatever a connection holds, a reader ends, and each record that was sent is found."""

import gzip
from collections.abc import Sequence
from io import BytesIO
from random import Random
from typing import Any

import pytest
from support.cases import each, often
from support.http_talk import (
    EXCHANGES,
    LAST,
    PORT,
    Burst,
    Talk,
    exchange,
    recorded,
    request,
    response,
    sized,
    steps,
    talk,
)

from traffic.relay_events import EVENTS, _event
from wireloom.responses import dechunked
from wireloom_protocols import databus

STEPS = 1_000_000
"""More than what any of these connections takes, of at most 3,000 packets."""


def read(data: bytes, **options: Any) -> list[dict[str, Any]]:
    """The rows of a recording, in so many steps."""
    with steps(STEPS):
        table = databus.decode_columnar(data, mode="PERMISSIVE", connections=True, ports=[PORT], **options)
    return table.to_pylist()


def found(rows: Sequence[dict[str, Any]], *, from_client: bool = False) -> list[int]:
    """The sequence numbers of sound events of one end."""
    return [
        row["dbus_event"]["sequence"]
        for row in rows
        if row["_corrupt_reason"] is None and row["_from_client"] == from_client
    ]


def reasons(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["_corrupt_reason"] for row in rows if row["_corrupt_reason"]]


class Bodies:
    """Bodies of events that are numbered through."""

    def __init__(self, random: Random) -> None:
        self.random, self.at = random, 0

    def __call__(self) -> bytes:
        count = self.random.randint(1, 4)
        self.at += count
        return b"".join(EVENTS[number % 60] for number in range(self.at - count, self.at))


def sequences(said: Talk, *, from_client: bool) -> list[int]:
    size = len(EVENTS[0])
    body = b"".join(data for way, data in said.bodies if way == from_client)
    return [EVENTS.index(body[at : at + size]) for at in range(0, len(body), size)]


def agrees(said: Talk, random: Random, name: str) -> None:
    size = random.choice([lambda: 1460, lambda: 33, lambda: random.randint(1, 400)])
    rows = read(recorded(said.bursts, size, syn=random.random() < 0.7))
    for way in (True, False):
        assert found(rows, from_client=way) == sequences(said, from_client=way), (name, way)
    assert reasons(rows) == [], name


@each("kind", [*EXCHANGES, *LAST])
def test_each_kind_of_exchange_ends_and_gives_its_events(kind: str) -> None:
    random = Random(kind)
    first, last = (exchange(each, Bodies(random)(), random) for each in ("sized", kind.replace("-", " ")))
    agrees(Talk(first.bursts + last.bursts, first.bodies + last.bodies), random, kind)
    agrees(last, random, kind)


def test_connections_of_any_exchanges_end_and_give_their_events() -> None:
    for seed in range(often(12, 5000)):
        random = Random(seed)
        agrees(talk(Bodies(random), random), random, f"seed {seed}")


def lossy(said: Talk, random: Random, name: str) -> None:
    """See that each event is found that stands whole between gaps, and nothing else."""
    stream = b"".join(burst.data for burst in said.bursts if not burst.from_client)
    runs, chance = [bytearray()], random.choice([0.02, 0.1, 0.3])

    def lost(from_client: bool, at: int, end: int) -> bool:
        if from_client:
            return random.random() < 0.05
        if gap := random.random() < chance:
            runs.append(bytearray())
        else:
            runs[-1].extend(stream[at:end])
        return gap

    size = random.choice([lambda: 200, lambda: random.randint(60, 900)])
    rows = read(recorded(said.bursts, size, syn=random.random() < 0.7, lost=lost))
    sent = sequences(said, from_client=False)
    whole = [number for number in sent if any(EVENTS[number] in run for run in runs)]
    assert set(whole) <= set(found(rows)) <= set(sent), name
    assert found(rows) == [number for number in sent if number in found(rows)], name


def test_events_that_stand_whole_between_gaps_are_found() -> None:
    for seed in range(often(12, 5000)):
        random = Random(seed)
        bodies, kinds = Bodies(random), [each for each in EXCHANGES if each != "packed"]
        said = [exchange(random.choice(kinds).replace("-", " "), bodies(), random) for _ in range(random.randint(1, 8))]
        talks = Talk([burst for each in said for burst in each.bursts], [each for one in said for each in one.bodies])
        lossy(talks, random, f"seed {seed}")


def numbered(count: int) -> bytes:
    return b"".join(EVENTS[:count])


def test_a_gap_in_a_body_of_known_length_costs_what_it_touches() -> None:
    """Also where the bytes behind it are those of the next chunk."""
    size = len(EVENTS[0])
    for answer in (sized(numbered(20)), response([numbered(20)[:1000], numbered(20)[1000:]])):
        bursts = [Burst(True, request()), Burst(False, answer + sized(numbered(1)))]
        begins = answer.index(EVENTS[0])
        rows = read(recorded(bursts, lambda: 300, lost=lambda way, at, _: not way and at == 300))
        gap = range(300 - begins, 600 - begins)
        kept = [each for each in range(20) if (each + 1) * size <= gap.start or each * size >= gap.stop]
        assert found(rows) == [*kept, 0]
        assert sum(row["_gap_before"] for row in rows) == 300


def test_a_recording_that_begins_within_a_body_finds_its_chunks() -> None:
    chunks = [numbered(20)[at : at + 250] for at in range(0, 20 * len(EVENTS[0]), 250)]
    answer = response(chunks)
    before = b"".join(dechunked(BytesIO(answer[:500])))
    bursts = [Burst(False, answer[500:] + sized(numbered(3))), Burst(True, request() * 2)]
    rows = read(recorded(bursts, lambda: 1000, syn=False))
    first = -(-len(before) // len(EVENTS[0]))
    assert found(rows) == [*range(first, 20), 0, 1, 2]
    assert rows[0]["_gap_before"] is None


def packed(body: bytes, coding: str = "gzip") -> list[Burst]:
    answer = sized(body, [("Content-Encoding", coding)])
    return [Burst(True, request()), Burst(False, answer + sized(numbered(2)))]


def test_a_body_that_cannot_be_unpacked_is_one_malformed_row() -> None:
    """Its bytes are in that; what unpacks before it goes wrong is read, and what is sent after it."""
    whole = gzip.compress(numbered(40), 0)
    damaged = whole[:700] + bytes([whole[700] ^ 1]) + whole[701:]
    for body, coding, reason in (
        (b"any", "br", "only gzip and deflate are known"),
        (b"\x1f\x8b no such thing", "gzip", "Error -3"),
        (damaged, "gzip", "Error -3 while decompressing data: incorrect data check"),
    ):
        rows = read(recorded(packed(body, coding), lambda: 400))
        (told,) = (row for row in rows if (row["_corrupt_reason"] or "").startswith("http: "))
        assert f"a body with Content-Encoding: {coding} cannot be unpacked: {reason}" in told["_corrupt_reason"]
        assert body.endswith(told["_corrupt_record"])
        assert told["_corrupt_record"]
        assert found(rows)[-2:] == [0, 1]
    assert len(found(rows)) >= 35


@pytest.mark.parametrize("less", [8, 9, 300])
def test_a_packed_body_that_lacks_its_end_is_told(less: int) -> None:
    """Of what is there, all records are read."""
    whole = gzip.compress(numbered(40), 0)
    rows = read(recorded(packed(whole[:-less]), lambda: 400))
    reason = "http: record at byte "
    (told,) = (row["_corrupt_reason"] for row in rows if (row["_corrupt_reason"] or "").startswith(reason))
    assert told.endswith("cannot be unpacked: it ends before its end is marked")
    assert found(rows)[:30] == [*range(30)]
    assert found(rows)[-2:] == [0, 1]


def test_a_packed_body_unpacks_to_no_more_than_a_record_may_have() -> None:
    (told, *after) = read(recorded(packed(gzip.compress(bytes(9_000_000))), lambda: 1460), maxRecordBytes="1m")
    assert "more than 1048576 bytes (maxRecordBytes)" in [*reasons([told, *after])][-1]
    assert found(after) == [0, 1]


def test_behind_a_gap_in_a_packed_body_its_rest_is_kept() -> None:
    body = gzip.compress(numbered(40), 0)
    rows = read(recorded(packed(body), lambda: 300, lost=lambda way, at, _: not way and at == 900))
    (told,) = (row for row in rows if (row["_corrupt_reason"] or "").startswith("http: "))
    assert "bytes before it were not captured" in told["_corrupt_reason"]
    assert body.endswith(told["_corrupt_record"])
    assert len(told["_corrupt_record"]) > 1000
    assert found(rows)[:3] == [0, 1, 2]
    assert found(rows)[-2:] == [0, 1]


def test_a_head_that_is_none_is_told_and_kept() -> None:
    wrong = b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"
    rows = read(recorded([Burst(True, request()), Burst(False, wrong + sized(numbered(2)))], lambda: 29))
    assert reasons(rows) == [
        "http: record at byte 0: no HTTP/1.1: the length of a body expected, found Content-Length: many"
    ]
    assert rows[0]["_corrupt_record"] == wrong
    assert found(rows) == [0, 1]


def test_a_body_may_be_a_recorded_response() -> None:
    """Only where its type says so: else one that begins so shows that there is none, as a HEAD was asked for."""
    body = sized(numbered(2))
    for kind, is_body in (("application/http", True), ("x/y", False)):
        answer = sized(body, [("Content-Type", kind)])
        rows = read(recorded([Burst(True, request()), Burst(False, answer + sized(numbered(1)))], lambda: 99))
        assert found(rows) == [0, 1, 0]
        assert bool(reasons(rows)) == is_body


def test_a_record_in_tiny_chunks_takes_as_many_steps_as_it_has_chunks() -> None:
    event = databus.build({"message": "dbus_event", "version": 0, "dbus_event": {**_event(1), "value": bytes(20_000)}})
    answer = response(event[at : at + 1] for at in range(len(event)))
    (row,) = read(recorded([Burst(True, request()), Burst(False, answer)], lambda: 1460))
    assert row["dbus_event"]["value"] == bytes(20_000)


FRAGMENTS = (
    *(b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 404 none\r\n", b"HTTP/1.1 101 any\r\n", b"HTTP/1.1 100 \r\n", b"HTTP/1.1 2"),
    *(b"GET / HTTP/1.1\r\n", b"CONNECT a:1 HTTP/1.1\r\n", b"HEAD * HTTP/1.1\r\n", b"GET /\r\n", b"PRI * HTTP/2.0\r\n"),
    *(b"Content-Length: 5\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: -1\r\n", b"\r\n", b"\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: gzip\r\n", b"Content-Encoding: gzip\r\n", b" folded\r\n"),
    *(
        b"Content-Encoding: deflate\r\n",
        b"Content-Type: text/x\r\n",
        b"Upgrade: x\r\n",
        b"no field\r\n",
        b"\r",
        b"\0" * 9,
    ),
    *(
        b"5\r\nabcde\r\n",
        b"0\r\n\r\n",
        b"ffffffffffffffff\r\n",
        b"1;x\r\n",
        b"g\r\n",
        gzip.compress(EVENTS[0]),
        EVENTS[0],
    ),
)


def test_whatever_a_connection_holds_a_reader_ends() -> None:
    for seed in range(often(5, 5000)):
        random = Random(seed)
        made = [
            Burst(random.random() < 0.5, b"".join(random.choices(FRAGMENTS, k=random.randint(1, 9)))) for _ in range(20)
        ]
        chance = random.choice([0, 0.1])
        lost = [random.random() < chance for _ in range(40_000)]
        data = recorded(
            made,
            lambda random=random: random.choice([1, 9, 400]),
            syn=random.random() < 0.5,
            lost=lambda way, at, _, lost=lost: lost[at],
        )
        read(data)
