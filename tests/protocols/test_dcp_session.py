"""A session of DCP that an example makes up: what is decoded of it is what its maker knows to be in it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from support.cases import each
from support.lockstep import Pair, capture_alike
from support.paths import ROOT

from protocols.made_up_sessions import Stream, Write, dcp_documents, dcp_frames, dcp_session
from wireloom.cdc import couchbase
from wireloom.pairing import pair
from wireloom_protocols import couchbase_dcp

Row = dict[str, Any]
ASKED = ("message", "vbucket", "opaque", "stream_req", "stream_req_response")
CHANGES = ("mutation", "deletion", "expiration", "prepare", "commit", "abort", "system_event", "seqno_advanced")
SMALL = {"count": 2_000, "vbuckets": 32}


@pytest.fixture(scope="module")
def session() -> dcp_session.Session:
    return dcp_session.make(**SMALL)


def test_the_same_session_is_made_of_the_same_seed(session: dcp_session.Session) -> None:
    assert dcp_session.make(**SMALL) == session
    assert dcp_session.make(**SMALL, seed=8).captures != session.captures


def test_all_that_can_happen_happens(session: dcp_session.Session) -> None:
    specs = ROOT / "specs"
    folders = ("couchbase/*", "memcached/items", "memcached/server")  # which test_connection_life is about
    commands = {path.stem for folder in folders for path in specs.glob(f"{folder}/*.yaml")}
    assert {*couchbase_dcp.messages} - {*session.frames} - commands == {
        "add_stream",  # asked of the consumer, on a connection of its own
        "add_stream_response",
        "cache_transfer",  # replaces a backfill where nodes are made anew
        "cache_transfer_end",
        "noop",  # of connections that are not DCP
        "quit",
        "system_event_response",
        "unknown",
    }
    kinds = {
        document.content.packed(snappy=snappy)[0] for document in session.documents.values() for snappy in (False, True)
    }
    assert kinds == {0, 1, 2, 3, 5, 7}


def test_every_frame_is_decoded_to_its_fields(session: dcp_session.Session) -> None:
    sound(session)


def test_every_response_has_its_request(session: dcp_session.Session) -> None:
    found: Counter[str] = Counter()
    for data in session.captures.values():
        paired = pair(couchbase_dcp.decode_columnar(data), "couchbase_dcp", connection=[])
        for row in pa.Table.from_batches(list(paired)).to_pylist():
            assert row["_pairing"] is None
            if row["request"]:
                found[row["message"]] += 1
                log = (row["stream_req_response"] or {}).get("entries")
                assert log is None or row["request"]["stream_req"]["vb_uuid"] in [0, *(one["vb_uuid"] for one in log)]
        assert not len(paired.waiting)
    assert found == {name: count for name, count in session.frames.items() if name.endswith("response")}


def test_it_is_the_same_row_by_row_and_in_columns(session: dcp_session.Session) -> None:
    for data in session.captures.values():
        capture_alike(Pair.of(couchbase_dcp.columnar), data)


def test_every_byte_comes_back(session: dcp_session.Session) -> None:
    for data in session.captures.values():
        assert b"".join(map(couchbase_dcp.build, couchbase_dcp.iter_records(data))) == data


def test_the_documents_at_the_end_are_there(session: dcp_session.Session) -> None:
    assert latest(session) == expected(session)


def test_each_change_has_its_snapshot_and_branch(session: dcp_session.Session) -> None:
    followed = pa.Table.from_batches(couchbase.follow(decoded(session, couchbase.COLUMNS), connection=["connection"]))
    assert followed["problem"].null_count == len(followed)
    changes = followed.filter(followed["seqno"].is_valid())
    assert len(changes) == sum(session.frames[message] for message in CHANGES)
    assert changes["vb_uuid"].null_count == 0
    assert changes["snapshot_start_seqno"].null_count < len(changes) / 3  # those of OSO snapshots


def test_consumers_are_sent_back_to_where_the_server_says(session: dcp_session.Session) -> None:
    """The response to the request that follows has the failover log by which it was decided."""
    asked: dict[int, Row] = {}
    waiting: dict[int, tuple[Row, int]] = {}
    kinds: Counter[str] = Counter()
    for data in session.captures.values():
        asked.clear()
        waiting.clear()
        for row in couchbase_dcp.decode_columnar(data, ASKED).to_pylist():
            if row["message"] == "stream_req":
                asked[row["opaque"]] = row
            elif row["message"] == "stream_req_response":
                request, answer = asked.pop(row["opaque"]), row["stream_req_response"]
                position, vbucket = request["stream_req"], request["vbucket"]
                if answer["variant"] == "rollback":
                    waiting[vbucket] = position, answer["rollback_seqno"]
                elif answer["variant"] == "success" and vbucket in waiting:
                    position, given = waiting.pop(vbucket)
                    assert decided(answer["entries"], position) == given
                    kinds["to 0" if given == 0 else "back"] += 1
                elif answer["variant"] == "success":
                    assert decided(answer["entries"], position) is None
                    kinds["kept" if position["start_seqno"] else "new"] += 1
    assert {*kinds} == {"to 0", "back", "kept", "new"}


def decided(log: list[Row], position: Row) -> int | None:
    asked = {name: int(position[name]) for name in ("vb_uuid", "start_seqno", "snap_start_seqno", "snap_end_seqno")}
    return couchbase.rollback_point(log, 2**63, **asked)


@pytest.mark.long
def test_all_of_it_holds_at_full_size() -> None:
    session = dcp_session.make()
    assert session.frames["mutation"] > dcp_session.DOCUMENTS
    sound(session)
    assert latest(session) == expected(session)


def sound(session: dcp_session.Session) -> None:
    """All frames are there, none of them malformed, unknown, or with bytes that nothing describes."""
    found: Counter[str] = Counter()
    for data in session.captures.values():
        for name, table in couchbase_dcp.decode_by_message(data).items():
            found[name] += table.num_rows
            trailing = [column for column in table.column_names if column.startswith("trailing_")]
            assert [column for column in trailing if table[column].null_count < table.num_rows] == []
    assert found == session.frames


def expected(session: dcp_session.Session) -> dict[Any, Any]:
    return {
        (vbucket, *key): (
            document.seqno,
            document.rev,
            document.cas,
            document.flags,
            document.expiration,
            *document.content,
        )
        for (vbucket, key), document in session.documents.items()
    }


def latest(session: dcp_session.Session) -> dict[Any, Any]:
    """The documents as those who follow the vbuckets have them."""
    table = couchbase.latest(decoded(session, couchbase.STATE_COLUMNS), connection=["connection"])
    assert table["problem"].null_count == len(table)
    return {(row["vbucket"], row["collection_id"], row["document_key"]): document(row) for row in table.to_pylist()}


def document(row: Row) -> tuple[Any, ...]:
    xattrs = tuple((pair["key"], pair["value"]) for pair in (row["xattrs"] or {"pairs": ()})["pairs"])
    numbers = (row["by_seqno"], int(row["rev_seqno"]), int(row["cas"]), row["flags"], row["expiration"])
    return (*numbers, row["json"], row["body"], xattrs)


def decoded(session: dcp_session.Session, columns: Sequence[str]) -> pa.Table:
    """All frames, with their connection."""
    tables = []
    for name, data in session.captures.items():
        table = couchbase_dcp.decode_columnar(data, columns)
        tables.append(table.append_column("connection", pa.array([name] * len(table))))
    return pa.concat_tables(tables)


STREAM, HEADER = Stream(513, 0xBEEF, 7), {"vbucket": 513, "opaque": 0xBEEF, "frame_infos": [{"id": 2, "stream_id": 7}]}
BODY = b'{"order":1}'
WRITE = Write(11, 3, 2**63 + 5, b"\xac\x02order", BODY, datatype=1, flags=2**25, expiration=99)
FIELDS = {"by_seqno": 11, "rev_seqno": 3, "flags": 2**25, "expiration": 99}
KEY = {"collection_id": 300, "document_key": "order"}
CONTENT = KEY | {"json": BODY.decode()}
SENT = HEADER | {"magic": 8, "datatype": 1, "cas": 2**63 + 5}
GONE = Write(11, 3, 5, b"\xac\x02order")
PAIRS = (("_sync", "{}"), ("source", '"web"'))
XATTRS = {"pairs": [{"key": key, "value": value} for key, value in PAIRS]}
RANGE = {"start_seqno": 9, "end_seqno": 12, "snapshot_type": 6, "max_visible_seqno": 12, "high_completed_seqno": 0}


@each(
    ("frame", "header", "values"),
    [
        (dcp_frames.mutation(STREAM, WRITE), SENT, FIELDS | {"nru": 2} | CONTENT),
        (
            dcp_frames.mutation(STREAM, WRITE._replace(value=dcp_frames.xattrs(PAIRS) + BODY, datatype=5)),
            SENT | {"datatype": 5},
            FIELDS | {"nru": 2} | CONTENT | {"xattrs": XATTRS},
        ),
        (
            dcp_frames.mutation(
                STREAM,
                WRITE._replace(value=dcp_documents.Content(BODY.decode(), None).packed(snappy=True)[1], datatype=3),
            ),
            SENT | {"datatype": 3},
            FIELDS | {"nru": 2} | CONTENT,
        ),
        (
            dcp_frames.prepare(STREAM, WRITE, deleted=False, level=3),
            SENT,
            FIELDS | {"nru": 2, "deleted": False, "durability_level": 3} | CONTENT,
        ),
        (
            dcp_frames.deletion(STREAM, GONE, None),
            SENT | {"datatype": 0, "cas": 5},
            {"variant": "v1", "by_seqno": 11, "rev_seqno": 3, "body": b""} | KEY,
        ),
        (
            dcp_frames.deletion(STREAM, GONE, 77),
            SENT | {"datatype": 0, "cas": 5},
            {"variant": "v2", "by_seqno": 11, "rev_seqno": 3, "delete_time": 77, "body": b""} | KEY,
        ),
        (
            dcp_frames.expiration(STREAM, GONE, 77),
            SENT | {"datatype": 0, "cas": 5},
            {"by_seqno": 11, "rev_seqno": 3, "delete_time": 77, "body": b""} | KEY,
        ),
        (dcp_frames.commit(STREAM, GONE.key, 8, 11), HEADER, KEY | {"prepared_seqno": 8, "commit_seqno": 11}),
        (dcp_frames.abort(STREAM, GONE.key, 8, 11), HEADER, KEY | {"prepared_seqno": 8, "abort_seqno": 11}),
        (dcp_frames.seqno_acknowledged(STREAM, 8), HEADER, {"prepared_seqno": 8}),
        (
            dcp_frames.marker_v1(STREAM, 9, 12, 6),
            HEADER,
            {"variant": "v1", "start_seqno": 9, "end_seqno": 12, "snapshot_type": 6},
        ),
        (dcp_frames.marker_v2_0(STREAM, 9, 12, 6), HEADER, {"variant": "v2_0", "version": 0} | RANGE),
        (
            dcp_frames.marker_v2_2(STREAM, 9, 12, 6),
            HEADER,
            {"variant": "v2_2", "version": 2, "purge_seqno": 0, "high_prepared_seqno": 0} | RANGE,
        ),
        (dcp_frames.stream_end(STREAM, 2), HEADER, {"end_status": 2}),
        (dcp_frames.oso_snapshot(STREAM, 1), HEADER, {"flags": 1}),
        (dcp_frames.seqno_advanced(STREAM, 12), HEADER, {"by_seqno": 12}),
    ],
)
def test_frames_are_those_of_the_builder(frame: dcp_frames.Frame, header: Row, values: Row) -> None:
    header = {"magic": 8} | header
    assert couchbase_dcp.build({"message": frame.message, **header, frame.message: values}).hex() == frame.data.hex()
