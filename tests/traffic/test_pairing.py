"""Answers get their requests as if there were a queue for each connection, however batches are cut."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import compiled
from support.lockstep import Pair

from wireloom.options import ReadOptions
from wireloom.pairing import Paired, conversations, pair
from wireloom_protocols import couchbase_dcp, memcached

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def frame(magic: int, opcode: int, opaque: int, *, extras: bytes = b"", key: bytes = b"", value: bytes = b"") -> bytes:
    lengths = len(key).to_bytes(2, "big") + bytes([len(extras), 0, 0, 0])
    total = (len(extras) + len(key) + len(value)).to_bytes(4, "big")
    return bytes([magic, opcode]) + lengths + total + opaque.to_bytes(4, "big") + bytes(8) + extras + key + value


class Told(NamedTuple):
    """One frame: what it is, its opaque and connection."""

    what: str
    opaque: int
    connection: int


FRAMES = {
    "stream": frame(0x80, 0x53, 0, extras=bytes(48)),
    "streamed": frame(0x81, 0x53, 0, value=bytes(16)),
    "noop": frame(0x80, 0x5C, 0),
    "control": frame(0x80, 0x5E, 0, key=b"a", value=b"b"),
    "nooped": frame(0x81, 0x5C, 0),
    "controlled": frame(0x81, 0x5E, 0),
    "mutation": frame(0x80, 0x57, 0, extras=bytes(31), key=b"k"),
    "refused": frame(0x81, 0x57, 0),
    "torn": frame(0x80, 0x5C, 0, value=b"not allowed"),
}
ANSWERS = {"streamed": "stream", "nooped": "noop", "controlled": "control", "refused": "mutation"}


def batch(frames: Sequence[Told], start: int = 0) -> pa.RecordBatch:
    data = b"".join(FRAMES[each.what][:12] + each.opaque.to_bytes(4, "big") + FRAMES[each.what][16:] for each in frames)
    table = couchbase_dcp.decode_columnar(data, mode="PERMISSIVE")
    table = table.append_column("number", pa.array(range(start, start + len(frames))))
    table = table.append_column("peer", pa.array([each.connection for each in frames], pa.int64()))
    return table.combine_chunks().to_batches()[0]


def by_queues(frames: Sequence[Told]) -> Iterator[tuple[int | None, str | None]]:
    """The number of each frame's request, and what is told of it."""
    waiting: dict[tuple[str, int, int], deque[int]] = defaultdict(deque)
    for number, (what, opaque, connection) in enumerate(frames):
        asked = ANSWERS.get(what)
        queue = waiting[asked or what, opaque, connection]
        if asked is None:
            queue.append(number)
            yield None, None
        elif not queue:
            yield None, "no request"
        elif asked == "mutation":
            yield queue[-1], f"the latest of {len(queue)}" if len(queue) > 1 else None
        else:
            many = f"the oldest of {len(queue)} that wait" if len(queue) > 1 else None
            yield queue.popleft(), many


told = st.builds(Told, st.sampled_from([*FRAMES]), st.sampled_from([0, 1, 0xFFFFFFFF]), st.integers(0, 1))


@given(frames=st.lists(told, min_size=1, max_size=30), cut=st.integers(1, 12))
def test_requests_are_those_of_a_queue_for_each_connection(frames: list[Told], cut: int) -> None:
    batches = [batch(frames[start : start + cut], start) for start in range(0, len(frames), cut)]
    paired = pair(batches, "couchbase_dcp", connection=["peer"])
    rows = pa.Table.from_batches(list(paired)).to_pylist()
    found = [(row["request"] and row["request"]["number"], row["_pairing"]) for row in rows]
    assert found == list(by_queues(frames))
    left = pending(frames)
    assert sorted(row["request"]["number"] for row in paired.waiting.to_pylist()) == left


def pending(frames: Sequence[Told]) -> list[int]:
    """The requests that have no answer, but for mutations and what is malformed."""
    answered = {number for number, _ in by_queues(frames)}
    asked = {*ANSWERS.values()} - {"mutation"}
    return [number for number, each in enumerate(frames) if each.what in asked and number not in answered]


def test_the_rows_are_as_they_were() -> None:
    before = batch([Told("stream", 7, 0), Told("streamed", 7, 0), Told("mutation", 7, 0)])
    (after,) = pair([before], "couchbase_dcp", connection=["peer"])
    assert after.select(before.schema.names).equals(before)
    request = after["request"][1].as_py()
    assert request["message"] == "stream_req"
    assert (request["opaque"], request["vbucket"], request["stream_req"]["end_seqno"]) == (7, 0, 0)
    assert "mutation" in request
    assert not {"peer", "hello_response", "_corrupt_reason"} & request.keys()


def test_a_request_may_have_many_answers() -> None:
    stat, end = frame(0x80, 0x10, 5), frame(0x81, 0x10, 5)
    one, two = (frame(0x81, 0x10, 5, key=key, value=b"1") for key in (b"pid", b"uptime"))
    rows = stats(stat + one + two + end + stat + one + end + end)
    assert [number for number, _ in rows] == [None, 0, 0, 0, None, 4, 4, None]
    assert [told for _, told in rows] == [None] * 7 + ["no request"]


def stats(data: bytes) -> list[tuple[int | None, str | None]]:
    table = memcached.decode_columnar(data)
    table = table.append_column("number", pa.array(range(len(table))))
    (paired,) = pair(table, "memcached", connection=[])
    return [(row["request"] and row["request"]["number"], row["_pairing"]) for row in paired.to_pylist()]


def test_a_quiet_request_stays_without_an_answer() -> None:
    quiet, found = frame(0x80, 0x09, 1, key=b"a"), frame(0x81, 0x09, 1, extras=bytes(4), value=b"v")
    assert stats(quiet + quiet + found)[2] == (1, "the latest of 2")


@pytest.mark.parametrize("cut", [1, 3, 100])
def test_no_more_requests_wait_than_there_may(cut: int) -> None:
    frames = [Told("noop", opaque, 0) for opaque in range(9)] + [Told("nooped", opaque, 0) for opaque in range(9)]
    batches = [batch(frames[start : start + cut], start) for start in range(0, len(frames), cut)]
    paired: Paired = pair(batches, "couchbase_dcp", connection=[], most=4)
    rows = pa.Table.from_batches(list(paired)).to_pylist()
    lost = 0 if cut == 100 else 5
    assert [row["_pairing"] for row in rows[9:]] == ["no request"] * lost + [None] * (9 - lost)
    assert paired.given_up == lost
    assert not len(paired.waiting)


def test_a_request_has_to_wait() -> None:
    with pytest.raises(ValueError, match="most must be at least 1, not 0"):
        pair([], "couchbase_dcp", connection=[], most=0)


def test_a_column_that_is_missing_is_named() -> None:
    rows = batch([Told("noop", 0, 0)])
    with pytest.raises(ValueError, match="the records lack the column opaque, which matches requests"):
        list(pair([rows.drop_columns("opaque")], "couchbase_dcp", connection=[]))
    with pytest.raises(ValueError, match="the records lack the column _file"):
        list(pair([rows], "couchbase_dcp"))


def test_nothing_at_all_is_paired() -> None:
    paired = pair([], "couchbase_dcp")
    assert list(paired) == []
    assert not len(paired.waiting)


def test_columns_of_what_is_wanted_are_enough() -> None:
    data = FRAMES["stream"] + FRAMES["streamed"]
    (paired,) = pair(couchbase_dcp.decode_columnar(data, columns=NARROW), "couchbase_dcp", connection=[])
    expected: dict[str, Any] = {"message": "stream_req", "opcode": 0x53, "opaque": 0, "stream_req": {"start_seqno": 0}}
    assert paired["request"][1].as_py() == expected


TOO_SHORT = frame(0x80, 0x53, 0, extras=bytes(47))
NARROW = ["message", "opcode", "opaque", "stream_req.start_seqno", "stream_req_response"]


def test_malformed_requests_wait_for_nothing_where_no_reason_is_told() -> None:
    data = TOO_SHORT + FRAMES["streamed"]
    (paired,) = pair(
        couchbase_dcp.decode_columnar(data, columns=NARROW, mode="PERMISSIVE"), "couchbase_dcp", connection=[]
    )
    assert paired.select(["request", "_pairing"]).to_pylist()[1] == {"request": None, "_pairing": "no request"}


def test_rows_of_no_named_connection_are_those_of_one() -> None:
    rows = batch([Told("noop", 7, 0), Told("nooped", 7, 0)])
    rows = rows.set_column(rows.schema.get_field_index("peer"), "peer", pa.nulls(2, pa.int64()))
    (paired,) = pair([rows], "couchbase_dcp", connection=["peer"])
    assert paired["request"][1].as_py()["number"] == 0


def test_connections_may_be_in_dictionaries() -> None:
    batches = [batch([Told("noop", 7, 0), Told("noop", 7, 1)]), batch([Told("nooped", 7, 1), Told("nooped", 7, 0)], 2)]
    column = batches[0].schema.get_field_index("peer")
    coded = [each.set_column(column, "peer", each["peer"].dictionary_encode()) for each in batches]
    rows = pa.Table.from_batches(list(pair(coded, "couchbase_dcp", connection=["peer"]))).to_pylist()
    assert [row["request"] and row["request"]["number"] for row in rows] == [None, None, 1, 0]


def test_requests_are_found_by_fields_of_their_own() -> None:
    found = compiled.feature("answers")
    known = [(kind.requests, kind.responses) for kind in conversations(found.codec)]
    assert known == [(("ask", "tell"), ("page",)), (("publish",), ("published", "refused"))]
    frames = ["01 03 0001 61", "01 02 0002", "04 02 0001", "05 02 0001", "03 02 0002", "02 02 0001", "06 03 0001 61"]
    data = bytes.fromhex("".join([*frames, "06 02 0001"]))
    decoder = Pair(found.codec).decoder(ReadOptions())
    (paired,) = Paired(decoder.capture(data), found.codec, (), 9)
    requests = [row["request"] and (row["request"]["message"], row["_pairing"]) for row in paired.to_pylist()[4:]]
    oldest = ("ask", "the oldest of 2 that wait")
    assert requests == [("publish", None), ("publish", None), oldest, oldest]


CASES = [
    Told("stream", 1, 0), Told("stream", 1, 0), Told("streamed", 1, 0), Told("streamed", 1, 0), Told("streamed", 1, 0),
    Told("noop", 1, 0), Told("noop", 1, 1), Told("nooped", 1, 1), Told("nooped", 2, 0), Told("torn", 2, 0),
    Told("mutation", 1, 0), Told("mutation", 1, 0), Told("refused", 1, 0), Told("refused", 1, 0), Told("refused", 3, 0),
    Told("control", 9, 0), Told("noop", 2, 0), Told("noop", 2, 0), Told("nooped", 2, 0), Told("noop", 2, 0),
    Told("nooped", 2, 0), Told("nooped", 2, 0), Told("nooped", 2, 0), Told("controlled", 9, 0), Told("stream", 8, 0),
]  # fmt: skip


@pytest.mark.spark
def test_spark_pairs_alike(spark: "SparkSession") -> None:
    from wireloom.spark import paired

    table = pa.Table.from_batches([batch(CASES)])
    expected = pa.Table.from_batches(list(pair(table, "couchbase_dcp", connection=["peer"])))
    found = paired(spark.createDataFrame(table), "couchbase_dcp", connection=["peer"], order=["number"])
    assert found.toArrow().sort_by("number").to_pylist() == expected.to_pylist()


@pytest.mark.spark
def test_spark_pairs_many_answers_alike(spark: "SparkSession") -> None:
    from wireloom.spark import paired

    stat, end = frame(0x80, 0x10, 5), frame(0x81, 0x10, 5)
    one, quiet = frame(0x81, 0x10, 5, key=b"pid", value=b"1"), frame(0x80, 0x09, 5, key=b"a")
    answer = frame(0x81, 0x09, 5, extras=bytes(4), value=b"v")
    table = memcached.decode_columnar(stat + one + quiet + one + end + answer + one + stat + end)
    table = table.append_column("number", pa.array(range(len(table))))
    expected = pa.Table.from_batches(list(pair(table, "memcached", connection=[])))
    rows = paired(spark.createDataFrame(table), "memcached", connection=[], order=["number"])
    assert rows.toArrow().sort_by("number").to_pylist() == expected.to_pylist()


@pytest.mark.spark
def test_spark_pairs_alike_where_no_reason_and_no_connection_is_told(spark: "SparkSession") -> None:
    from wireloom.spark import paired

    data = TOO_SHORT + FRAMES["stream"] + FRAMES["streamed"] + FRAMES["streamed"]
    table = couchbase_dcp.decode_columnar(data, columns=NARROW, mode="PERMISSIVE")
    table = table.append_column("number", pa.array(range(4))).append_column("peer", pa.nulls(4, pa.int64()))
    expected = pa.Table.from_batches(list(pair(table, "couchbase_dcp", connection=["peer"])))
    assert expected["_pairing"].to_pylist() == [None, None, None, "no request"]
    rows = paired(spark.createDataFrame(table), "couchbase_dcp", connection=["peer"], order=["number"])
    assert rows.toArrow().sort_by("number").to_pylist() == expected.to_pylist()
