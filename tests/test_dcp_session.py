"""A session of DCP that an example makes up: what is decoded of it is what its maker knows to be in it."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import each
from lockstep import Pair, capture_alike

from wireloom.cdc.couchbase import rollback_point
from wireloom_protocols import couchbase_dcp

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
try:
    import dcp_documents
    import dcp_frames
    import dcp_session
    from dcp_frames import Stream, Write
finally:
    sys.path.pop(0)

Row = dict[str, Any]
CHANGES = ("mutation", "deletion", "expiration", "prepare", "commit", "abort", "system_event")
COLUMNS = ("message", "vbucket", "opaque", "cas", *CHANGES, "stream_req", "stream_req_response")
SMALL = {"count": 2_000, "vbuckets": 32}


@pytest.fixture(scope="module")
def session() -> dcp_session.Session:
    return dcp_session.make(**SMALL)


def test_the_same_session_is_made_of_the_same_seed(session: dcp_session.Session) -> None:
    assert dcp_session.make(**SMALL) == session
    assert dcp_session.make(**SMALL, seed=8).captures != session.captures


def test_all_that_can_happen_happens(session: dcp_session.Session) -> None:
    assert {*couchbase_dcp.messages} - {*session.frames} == {
        "add_stream",  # asked of the consumer, on a connection of its own
        "add_stream_response",
        "cache_transfer",  # replaces a backfill where nodes are made anew
        "cache_transfer_end",
        "flush",  # never sent
        "noop",  # of connections that are not DCP
        "system_event_response",
        "unknown",
    }
    kinds = {
        document.content.packed(snappy=snappy)[0] for document in session.documents.values() for snappy in (False, True)
    }
    assert kinds == {0, 1, 2, 3, 5, 7}


def test_every_frame_is_decoded_to_its_fields(session: dcp_session.Session) -> None:
    sound(session)


def test_it_is_the_same_row_by_row_and_in_columns(session: dcp_session.Session) -> None:
    for data in session.captures.values():
        capture_alike(Pair.of(couchbase_dcp.columnar), data)


def test_every_byte_comes_back(session: dcp_session.Session) -> None:
    for data in session.captures.values():
        assert b"".join(map(couchbase_dcp.build, couchbase_dcp.iter_records(data))) == data


def test_the_documents_at_the_end_are_there(session: dcp_session.Session) -> None:
    assert latest(session) == expected(session)


def test_consumers_are_sent_back_to_where_the_server_says(session: dcp_session.Session) -> None:
    """The response to the request that follows has the failover log by which it was decided."""
    asked: dict[int, Row] = {}
    waiting: dict[int, tuple[Row, int]] = {}
    kinds: Counter[str] = Counter()
    for data in session.captures.values():
        asked.clear()
        waiting.clear()
        for row in rows(data):
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
    return rollback_point(log, 2**63, **asked)


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


def rows(data: bytes) -> Iterator[Row]:
    for batch in couchbase_dcp.decode_columnar(data, COLUMNS).to_batches(5_000):
        yield from batch.to_pylist()


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
    """The documents by vbucket, collection and key, as somebody finds them who keeps all changes in memory."""
    found: dict[Any, Any] = {}
    for data in session.captures.values():
        changes: dict[int, dict[int, Row]] = {}
        asked: dict[int, int] = {}
        for row in rows(data):
            if row["message"] == "stream_req":
                asked[row["opaque"]] = row["vbucket"]
            elif row["message"] == "stream_req_response":
                kept = changes.setdefault(asked.pop(row["opaque"]), {})
                if row["stream_req_response"]["variant"] == "rollback":
                    for seqno in [seqno for seqno in kept if seqno > row["stream_req_response"]["rollback_seqno"]]:
                        del kept[seqno]
            elif row["message"] in CHANGES:
                change = row[row["message"]] | {"message": row["message"], "cas": row["cas"]}
                seqno = next(change[name] for name in ("commit_seqno", "abort_seqno", "by_seqno") if name in change)
                changes[row["vbucket"]][seqno] = change
        for vbucket, kept in changes.items():
            documents = of_changes(kept)
            found |= {(vbucket, *key): document for key, document in documents.items()}
    return found


def of_changes(changes: dict[int, Row]) -> dict[Any, Any]:
    """The documents of one vbucket after changes by their seqnos."""
    documents: dict[Any, Any] = {}
    for seqno, change in sorted(changes.items()):
        key = change.get("collection_id"), change.get("document_key")
        match change["message"]:
            case "mutation":
                documents[key] = document(seqno, change)
            case "commit":
                prepared = changes[change["prepared_seqno"]]
                assert (prepared["collection_id"], prepared["document_key"]) == key
                documents[key] = document(seqno, prepared)
                if prepared["deleted"]:
                    del documents[key]
            case "deletion" | "expiration":
                del documents[key]
            case "system_event" if change["event_name"] in ("BeginCollection", "EndCollection"):
                table = (
                    change["collection"] or change["dropped_collection"] or {"collectionId": change["collection_id"]}
                )
                for gone in [key for key in documents if key[0] == table["collectionId"]]:
                    del documents[gone]
    return documents


def document(seqno: int, change: Row) -> tuple[Any, ...]:
    xattrs = tuple((pair["key"], pair["value"]) for pair in (change["xattrs"] or {"pairs": ()})["pairs"])
    numbers = (int(change["rev_seqno"]), int(change["cas"]), change["flags"], change["expiration"])
    return (seqno, *numbers, change["json"], change["body"], xattrs)


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
