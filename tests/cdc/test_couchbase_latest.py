"""The state of documents after a session: what is written by hand beside each session."""

import tracemalloc

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.cases import each

from cdc.couchbase_documents import OF_COLLECTIONS, PREPARED, ROLLED_BACK, WRITTEN, A, B, documents, told
from wireloom.cdc.couchbase import STATE_COLUMNS, changes, dropped, latest, positions


def test_of_each_key_it_is_the_newest_version() -> None:
    assert told(WRITTEN) == {"a": (3, '"a3"'), "b": (2, '"b2"'), "c": (4, '"c4"')}


def test_a_row_has_all_that_frames_tell_of_a_document() -> None:
    xattrs = {"pairs": [{"key": "_sync", "value": "1"}]}
    document = {"by_seqno": 7, "rev_seqno": 3, "flags": 5, "expiration": 60, "collection_id": 9, "document_key": "k"}
    document |= {"xattrs": xattrs, "json": "{}"}
    frames = [*dcp.stream(1, 0, A), dcp.frame("mutation", document, vbucket=1, cas=2**63, datatype=5)]
    (row,) = latest(dcp.decoded(frames)).to_pylist()
    assert row.pop("expires_at").timestamp() == 60
    assert row.pop("xattrs")["pairs"][0]["key"] == "_sync"
    assert row == {
        "vbucket": 1,
        "collection_id": 9,
        "document_key": "k",
        "document_key_bytes": None,
        "by_seqno": 7,
        "vb_uuid": 0xA,
        "rev_seqno": 3,
        "cas": 2**63,
        "datatype": 5,
        "flags": 5,
        "expiration": 60,
        "delete_time": None,
        "deleted_at": None,
        "json": "{}",
        "json_bytes": None,
        "body": None,
        "removed": None,
        "problem": None,
    }


def test_deletions_and_expirations_remove() -> None:
    frames = [*WRITTEN, dcp.marker(1, 5, 9), dcp.deletion(1, 5, "a"), dcp.expiration(1, 6, "b")]
    assert told(frames) == {"c": (4, '"c4"')}
    assert told(frames, removed=True) == {"a": (5, "deletion"), "b": (6, "expiration"), "c": (4, '"c4"')}
    assert told([*frames, dcp.mutation(1, 7, "a", "a7")]) == {"a": (7, '"a7"'), "c": (4, '"c4"')}


def test_keys_of_other_collections_and_vbuckets_are_other_keys() -> None:
    frames = [*WRITTEN, dcp.mutation(1, 5, "a", "of 8", collection=8), dcp.mutation(2, 1, "a", "in 2")]
    frames += [dcp.deletion(2, 2, "b"), dcp.deletion(1, 6, "b", collection=8)]
    rows = latest(dcp.decoded(frames)).select(["vbucket", "collection_id", "document_key", "json"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, 0, "b", '"b2"'),
        (1, 0, "a", '"a3"'),
        (1, 0, "c", '"c4"'),
        (1, 8, "a", '"of 8"'),
        (2, 0, "a", '"in 2"'),
    ]


def test_keys_that_are_no_text_are_told_apart() -> None:
    keys = [b"\xff", b"\xfe", b"\xff"]
    frames = [dcp.mutation(1, seqno, "", str(seqno)) for seqno in (1, 2, 3)]
    for frame, key in zip(frames, keys, strict=True):
        frame["mutation"] |= {"document_key": None, "document_key_bytes": key}
    rows = latest(dcp.decoded(frames)).to_pylist()
    assert [(row["document_key_bytes"], row["by_seqno"]) for row in rows] == [(b"\xfe", 2), (b"\xff", 3)]


def test_collections_that_are_each_in_one_vbucket_take_no_room_in_the_others() -> None:
    table = dcp.decoded(dcp.mutation(number, 1, "k", collection=number + 8) for number in range(2000))
    tracemalloc.start()
    assert len(latest(table)) == 2000
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 << 20


def test_without_collections_keys_are_keys() -> None:
    frames = [dcp.mutation(1, seqno, "a", str(seqno)) for seqno in (1, 2)]
    for frame in frames:
        del frame["mutation"]["collection_id"]
    data = b"".join(dcp.couchbase_dcp.build(frame, collections=False) for frame in frames)
    (row,) = latest(dcp.couchbase_dcp.decode_columnar(data, collections=False)).to_pylist()
    assert (row["collection_id"], row["document_key"], row["by_seqno"]) == (None, "a", 2)


@each("version", [0, 2])
def test_a_collection_that_is_dropped_takes_its_keys_along(version: int) -> None:
    frames = [*OF_COLLECTIONS, dcp.dropped(1, 4, 8, version)]
    assert told(frames) == {"b": (3, '"b3"')}
    assert told(frames, removed=True) == {"a": (2, "collection"), "b": (3, '"b3"')}


def test_a_flush_removes_what_is_before_it() -> None:
    flushed = [dcp.created(1, 4, 8, flush_uid=6), dcp.mutation(1, 5, "c", "c5", collection=8)]
    assert told([*OF_COLLECTIONS, *flushed]) == {"b": (3, '"b3"'), "c": (5, '"c5"')}


def test_a_collection_that_is_modified_keeps_its_keys() -> None:
    assert told([*OF_COLLECTIONS, dcp.created(1, 4, 8, event=5, flush_uid=6)]) == told(OF_COLLECTIONS)


@each("collections", [False, True])
def test_an_event_of_a_version_to_come_takes_no_keys_along(collections: bool) -> None:
    unknown = dcp.frame("system_event", {"by_seqno": 9, "event": 1, "version": 9, "key": ""}, vbucket=1)
    frames = [dcp.mutation(1, 3, "a"), dcp.mutation(1, 4, "b"), unknown]
    for frame in frames[:2]:
        frame["mutation"]["collection_id"] = 0 if collections else None
    data = b"".join(dcp.couchbase_dcp.build(frame, collections=collections) for frame in frames)
    assert set(documents(latest(dcp.couchbase_dcp.decode_columnar(data, collections=collections)))) == {"a", "b"}


def test_a_collection_is_back_when_its_drop_is_rolled_back() -> None:
    frames = [*OF_COLLECTIONS, dcp.dropped(1, 4, 8), dcp.request(1, 4, 0xA), dcp.rolls_back(1, 3)]
    assert told(frames) == told(OF_COLLECTIONS)


def test_a_prepare_is_invisible_until_its_commit() -> None:
    assert told(PREPARED) == told(WRITTEN)
    committed = [*PREPARED, dcp.ended("commit", 1, 5, 7, "a")]
    assert told(committed) == {**told(WRITTEN), "a": (7, '"a5"')}
    row = latest(dcp.decoded(committed)).to_pylist()[-1]
    assert (row["cas"], row["rev_seqno"]) == (1005, 1)


def test_a_prepare_that_is_aborted_was_nothing() -> None:
    assert told([*PREPARED, dcp.ended("abort", 1, 5, 7, "a")]) == told(WRITTEN)


def test_a_prepared_deletion_deletes_when_it_is_committed() -> None:
    prepared = [*WRITTEN, dcp.prepare(1, 5, "a", deleted=True)]
    assert told(prepared) == told(WRITTEN)
    frames = [*prepared, dcp.ended("commit", 1, 5, 6, "a")]
    assert told(frames, removed=True) == {**told(WRITTEN), "a": (6, "deletion")}


def test_a_commit_that_is_rolled_back_can_come_again() -> None:
    committed = [*PREPARED, dcp.ended("commit", 1, 5, 7, "a"), dcp.request(1, 7, 0xA), dcp.rolls_back(1, 6)]
    assert told(committed) == told(WRITTEN)
    again = [*dcp.stream(1, 6, (0xD, 6), A), dcp.ended("commit", 1, 5, 8, "a")]
    assert told([*committed, *again]) == {**told(WRITTEN), "a": (8, '"a5"')}


def test_a_commit_does_not_take_a_prepare_that_was_rolled_back() -> None:
    undone = [*PREPARED, dcp.request(1, 6, 0xA), dcp.rolls_back(1, 4), *dcp.stream(1, 4, B, A)]
    frames = [*undone, dcp.prepare(1, 5, "a", "other"), dcp.ended("commit", 1, 5, 6, "a")]
    assert told(frames) == {**told(WRITTEN), "a": (6, '"other"')}


def test_a_commit_whose_prepare_did_not_come_says_so() -> None:
    rows = latest(dcp.decoded([*WRITTEN, dcp.ended("commit", 1, 5, 6, "a")])).to_pylist()
    last = rows[-1]
    assert [last[name] for name in ("document_key", "by_seqno", "json", "cas", "problem")] == [
        "a", 6, None, None, "its prepare is not there"
    ]  # fmt: skip
    assert [row["problem"] for row in rows[:-1]] == [None, None]


def test_a_commit_whose_prepare_was_rolled_back_says_so() -> None:
    undone = [*PREPARED, dcp.request(1, 6, 0xA), dcp.rolls_back(1, 4), *dcp.stream(1, 4, B, A)]
    row = latest(dcp.decoded([*undone, dcp.ended("commit", 1, 5, 6, "a")])).to_pylist()[-1]
    assert (row["document_key"], row["json"], row["problem"]) == ("a", None, "its prepare is not there")


def test_sources_have_vbuckets_of_their_own() -> None:
    frames = [dcp.mutation(1, 1, "a", "x"), dcp.mutation(1, 1, "a", "y"), dcp.mutation(1, 2, "b", "y")]
    frames += [dcp.request(1, 2, 0xA), dcp.rolls_back(1, 1)]
    table = dcp.decoded(frames).append_column("bucket", pa.array(list("xyyyy")))
    rows = latest(dcp.in_pieces(table, 2), source=["bucket"]).select(["bucket", "document_key", "json"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("x", "a", '"x"'), ("y", "a", '"y"')]
    found = positions(dcp.in_pieces(table, 2), source=["bucket"]).select(["bucket", "start_seqno"]).to_pylist()
    assert [tuple(row.values()) for row in found] == [("x", 1), ("y", 1)]


def test_selected_columns_are_enough() -> None:
    frames = [*ROLLED_BACK, *OF_COLLECTIONS, *PREPARED, dcp.dropped(1, 9, 8)]
    narrow = latest(dcp.decoded(frames, columns=STATE_COLUMNS), removed=True)
    assert narrow.to_pylist() == latest(dcp.decoded(frames), removed=True).to_pylist()


def test_numbers_may_be_decimals_and_too_large() -> None:
    build = dcp.couchbase_dcp.build
    session = b"".join(map(build, ROLLED_BACK))
    seqno, entry, back = (build(frame) for frame in (dcp.mutation(2, 1, "z"), dcp.begins(2, A), dcp.rolls_back(2, 0)))
    large = [seqno[:24] + b"\x80" + seqno[25:], entry[:32] + b"\xff" + entry[33:], back[:24] + b"\xff" + back[25:]]
    asked = build(dcp.request(2, 1))
    data = build(dcp.mutation(2, 1, "y")) + large[0] + asked + large[1] + asked + large[2] + session
    found = latest(dcp.couchbase_dcp.decode_columnar(data, u64="decimal"))
    assert documents(found) == {**told(ROLLED_BACK), "y": (1, '""')}


def test_numbers_may_be_longs() -> None:
    session = b"".join(map(dcp.couchbase_dcp.build, ROLLED_BACK))
    assert documents(latest(dcp.couchbase_dcp.decode_columnar(session, u64="long"))) == told(ROLLED_BACK)


def test_vbuckets_can_be_left_out() -> None:
    table = dcp.decoded([*ROLLED_BACK, *dcp.stream(2, 0, A), dcp.mutation(2, 1, "a"), dcp.mutation(3, 1, "b")])
    parts = [latest(table, vbuckets=part) for part in (range(2), range(2, 1024))]
    assert [set(part["vbucket"].to_pylist()) for part in parts] == [{1}, {2, 3}]
    assert pa.concat_tables(parts).to_pylist() == latest(table).to_pylist()


def test_nothing_gives_nothing() -> None:
    table = dcp.decoded([])
    assert latest(table).schema == latest(dcp.decoded(WRITTEN)).schema
    assert [made(table).num_rows for made in (latest, changes, dropped, positions)] == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="no batches"):
        latest([])
