"""The documents of a session lack no frame that is not named and counted."""

import logging
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.cases import often

from cdc.couchbase_documents import OF_COLLECTIONS, PREPARED, ROLLED_BACK, A
from wireloom.cdc import couchbase
from wireloom.cdc.couchbase.frames import STREAMED
from wireloom_protocols import couchbase_dcp

SESSION = [*ROLLED_BACK, *PREPARED, dcp.ended("commit", 1, 5, 7, "a"), *OF_COLLECTIONS, dcp.dropped(1, 4, 8)]
FRAMES = [couchbase_dcp.build(frame) for frame in SESSION]


def decoded(data: bytes) -> pa.Table:
    return couchbase_dcp.decode_columnar(data, columns=couchbase.STATE_COLUMNS, mode="PERMISSIVE")


def damaged(random: Random) -> bytes:
    """The session with some bytes of one or two frames changed, or cut off."""
    frames = list(FRAMES)
    for _ in range(random.randrange(1, 3)):
        place = random.randrange(len(frames))
        frame = bytearray(frames[place])
        if random.random() < 0.2:
            del frame[random.randrange(len(frame)) :]
        else:
            for _ in range(random.randrange(1, 4)):
                at = random.choice([4, 5, 11, *range(24, len(frame))]) if len(frame) > 24 else 5
                if at < len(frame):
                    frame[at] = random.choice([0, 1, 2, 5, 0x80, 0xFF, random.randrange(256)])
        frames[place] = bytes(frame)
    return b"".join(frames)


def lacking(table: pa.Table) -> list[str]:
    """The reasons of malformed rows that may have been of a session's changes."""
    return [
        row["_corrupt_reason"]
        for row in table.to_pylist()
        if row["_corrupt_reason"] is not None and row["message"] in (None, *STREAMED)
    ]


def test_whatever_is_damaged_is_named() -> None:
    random, times = Random(5), often(20, 2_000)
    tables = [decoded(damaged(random)) for _ in range(times)]
    found = [couchbase.omissions(table) for table in tables]
    told = [[reason for reason in one["_corrupt_reason"].to_pylist() if reason is not None] for one in found]
    assert told == list(map(lacking, tables))
    assert sum(map(bool, told)) > times / 3
    assert couchbase.omissions(dcp.in_pieces(tables[0], 3)).to_pylist() == found[0].to_pylist()


def test_a_session_that_is_whole_lacks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    table = decoded(b"".join(FRAMES))
    found = couchbase.omissions(table)
    assert found.num_rows == 0
    assert found.schema.names == ["vbucket", "stream_id", "message", "problem", "_corrupt_reason"]
    with caplog.at_level(logging.WARNING):
        couchbase.latest(table)
    assert caplog.records == []


def malformed(frame: dcp.Frame, **header: Any) -> bytes:
    """A frame whose key has a collection in more bytes than it needs."""
    data = couchbase_dcp.build({**frame, **header})
    return data.replace(b"\0k", b"\x80\0")


def test_what_is_malformed_is_in_a_row_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    changes = [dcp.mutation(1, 1, "k"), dcp.deletion(1, 2, "k"), dcp.expiration(2, 3, "k"), dcp.prepare(3, 4, "k")]
    changes += [dcp.ended("commit", 3, 4, 5, "k"), dcp.ended("abort", 3, 4, 6, "k")]
    frames = list(dcp.of_stream(7, changes[:1])) + changes[1:]
    table = decoded(b"".join(map(malformed, frames))).append_column("_file", pa.array(["a"] * 6))
    rows = couchbase.omissions(table).to_pylist()
    assert [(row["vbucket"], row["stream_id"], row["message"], row["problem"], row["_file"]) for row in rows] == [
        (1, 7, "mutation", "malformed", "a"),
        (1, None, "deletion", "malformed", "a"),
        (2, None, "expiration", "malformed", "a"),
        (3, None, "prepare", "malformed", "a"),
        (3, None, "commit", "malformed", "a"),
        (3, None, "abort", "malformed", "a"),
    ]
    assert {row["_corrupt_reason"].partition(":")[0] for row in rows} == {"leb128"}
    names = ["_file", "vbucket", "stream_id", "message", "problem", "_corrupt_reason"]
    assert couchbase.omissions(table, connection=["_file"]).schema.names == names
    assert couchbase.omissions(table, vbuckets=[2])["message"].to_pylist() == ["expiration"]
    for state in (couchbase.latest, couchbase.changes):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert state(table).num_rows == 0
        (record,) = caplog.records
        assert record.message.startswith(
            "wireloom: frames missing from the documents: 1 mutation (malformed), 1 deletion"
        )


def test_it_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    history = couchbase.History(decoded(malformed(dcp.mutation(1, 1, "k"))))
    history.latest()
    history.changes()
    assert len(caplog.records) == 1
    history.add(decoded(malformed(dcp.mutation(1, 2, "k"))).to_batches()[0])
    history.latest()
    assert len(caplog.records) == 2


def test_responses_whose_requests_are_not_there_are_named_if_they_move_a_stream() -> None:
    refused = dcp.frame("stream_req_response", {"variant": "error", "error": ""}, status=0x24, opaque=1)
    frames = [dcp.rolls_back(1, 0), dcp.begins(2, A), refused]
    rows = couchbase.omissions(dcp.decoded(frames)).to_pylist()
    assert [(row["vbucket"], row["problem"]) for row in rows] == [(None, "its request is not there")] * 2


def test_the_end_of_a_collection_that_is_not_known_is_named() -> None:
    event = {"by_seqno": 9, "event": 1, "version": 9, "key": ""}
    rows = couchbase.omissions(dcp.decoded([dcp.frame("system_event", event, vbucket=1)])).to_pylist()
    assert [(row["vbucket"], row["message"], row["problem"]) for row in rows] == [
        (1, "system_event", "its collection is not known")
    ]


def test_seqnos_that_are_none_are_named() -> None:
    data = couchbase_dcp.build(dcp.mutation(1, 1, "k")).replace((1).to_bytes(8, "big"), b"\xff" * 8, 1)
    table = couchbase_dcp.decode_columnar(data, columns=couchbase.STATE_COLUMNS, u64="decimal", mode="PERMISSIVE")
    assert couchbase.omissions(table)["problem"].to_pylist() == ["malformed"]
    assert couchbase.latest(table).num_rows == 0


def test_whatever_of_a_session_is_malformed_has_a_problem() -> None:
    marker = bytearray(couchbase_dcp.build(dcp.marker(1, 1, 9)))
    marker[4], marker[11] = 19, 19
    del marker[-1]
    data = couchbase_dcp.build(dcp.mutation(1, 1, "a")) + bytes(marker) + couchbase_dcp.build(dcp.mutation(1, 2, "b"))
    rows = pa.Table.from_batches(list(couchbase.follow(decoded(data)))).to_pylist()
    assert [row["problem"] for row in rows if row["_corrupt_reason"]] == ["malformed"]
