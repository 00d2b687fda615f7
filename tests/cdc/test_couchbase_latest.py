"""The state of documents after a session: what is written by hand beside each session."""

import tracemalloc
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.cases import each
from support.scaling import LINEAR, growth

from wireloom.cdc.couchbase import STATE_COLUMNS, changes, dropped, latest, positions

A, B, C = (0xA, 0), (0xB, 4), (0xC, 2)
"""Branches: A is the first, B began at seqno 4, C at 2."""


def documents(table: pa.Table) -> dict[str, tuple[int, str | None]]:
    """By key the seqno, and the document or why it is gone."""
    rows = table.select(["document_key", "by_seqno", "json", "removed"]).to_pylist()
    found = {row["document_key"]: (row["by_seqno"], row["removed"] or row["json"]) for row in rows}
    assert len(found) == len(rows)
    return found


def told(frames: Any, **options: Any) -> dict[str, tuple[int, str | None]]:
    """The latest documents, the same from one batch and from one batch a frame."""
    table = dcp.decoded(frames)
    whole = latest(table, **options)
    assert latest(dcp.in_pieces(table, 1), **options).to_pylist() == whole.to_pylist()
    return documents(whole)


WRITTEN = [
    *dcp.stream(1, 0, A),
    dcp.marker(1, 0, 4),
    dcp.mutation(1, 1, "a", "a1"),
    dcp.mutation(1, 2, "b", "b2"),
    dcp.mutation(1, 3, "a", "a3"),
    dcp.mutation(1, 4, "c", "c4"),
]


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


ROLLED_BACK = [
    *WRITTEN,
    dcp.marker(1, 5, 9),
    dcp.mutation(1, 5, "a", "a5"),
    dcp.deletion(1, 6, "b"),
    dcp.mutation(1, 7, "d", "d7"),
    dcp.request(1, 7, 0xA),
    dcp.rolls_back(1, 4),
]


def test_a_rollback_brings_back_what_was_there() -> None:
    assert told(ROLLED_BACK) == {"a": (3, '"a3"'), "b": (2, '"b2"'), "c": (4, '"c4"')}


def test_after_a_rollback_the_new_branch_counts() -> None:
    new = [*dcp.stream(1, 4, B, A), dcp.marker(1, 4, 6), dcp.mutation(1, 5, "b", "new"), dcp.deletion(1, 6, "c")]
    assert told([*ROLLED_BACK, *new]) == {"a": (3, '"a3"'), "b": (5, '"new"')}
    branches = latest(dcp.decoded([*ROLLED_BACK, *new])).select(["document_key", "vb_uuid"]).to_pylist()
    assert [tuple(row.values()) for row in branches] == [("a", 0xA), ("b", 0xB)]


def test_versions_that_were_dropped_are_told() -> None:
    rows = dropped(dcp.decoded(ROLLED_BACK)).select(["document_key", "by_seqno", "vb_uuid"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("a", 5, 0xA), ("b", 6, 0xA), ("d", 7, 0xA)]


def test_a_rollback_to_the_beginning_leaves_nothing() -> None:
    frames = [*WRITTEN, dcp.request(1, 4, 0xA), dcp.rolls_back(1, 0)]
    assert told(frames) == {}
    assert told([*frames, *dcp.stream(1, 0, C), dcp.mutation(1, 1, "z", "z1")]) == {"z": (1, '"z1"')}


def test_a_rollback_is_of_its_vbucket_and_stream() -> None:
    one, two = ([dcp.mutation(1, seqno, f"{name}{seqno}") for seqno in (1, 2, 3)] for name in "xy")
    asked = dcp.request(1, 3, 0xA, opaque=9, filter='{"sid": 2}')
    frames = [*dcp.of_stream(1, one), *dcp.of_stream(2, two), dcp.mutation(2, 3, "z"), asked, dcp.rolls_back(9, 1)]
    assert set(told(frames)) == {"x1", "x2", "x3", "y1", "z"}


def test_a_stream_that_begins_further_back_undoes_what_is_on_no_branch_of_it() -> None:
    fell_back = [*dcp.stream(1, 2, C, A), dcp.marker(1, 2, 9)]
    assert told([*WRITTEN, *fell_back]) == {"a": (1, '"a1"'), "b": (2, '"b2"')}


def test_a_stream_that_begins_further_back_on_the_same_branch_undoes_nothing() -> None:
    again = [*dcp.stream(1, 2, A), dcp.marker(1, 2, 9), dcp.mutation(1, 3, "a", "a3")]
    assert told([*WRITTEN, *again]) == told(WRITTEN)
    assert dropped(dcp.decoded([*WRITTEN, *again])).num_rows == 0


def test_an_older_version_that_comes_again_does_not_count() -> None:
    again = [*dcp.stream(1, 2, A), dcp.marker(1, 2, 9), dcp.mutation(1, 3, "a", "a3")]
    frames = [*WRITTEN, dcp.mutation(1, 5, "a", "a5"), *again]
    assert told(frames) == {**told(WRITTEN), "a": (5, '"a5"')}


@pytest.mark.sweep
def test_a_stream_that_begins_very_often_takes_no_longer_for_each() -> None:
    again = dcp.decoded([*dcp.stream(1, 2, A), dcp.marker(1, 2, 9), dcp.mutation(1, 3, "a", "a3")])

    def begun(times: int) -> pa.RecordBatch:
        return again.take(pa.array([*range(again.num_rows)] * times)).combine_chunks()

    assert documents(latest(begun(3_000))) == {"a": (3, '"a3"')}
    assert growth(lambda times: partial(latest, begun(times)), 1_000) < LINEAR


def test_a_stream_from_the_beginning_begins_anew() -> None:
    again = [*dcp.stream(1, 0, A), dcp.marker(1, 0, 9), dcp.mutation(1, 3, "a", "a3")]
    assert told([*WRITTEN, *again]) == {"a": (3, '"a3"')}


def test_a_failover_that_lost_nothing_undoes_nothing() -> None:
    goes_on = [*dcp.stream(1, 4, (0xD, 6), A), dcp.marker(1, 4, 7), dcp.mutation(1, 7, "a", "a7")]
    assert told([*WRITTEN, *goes_on]) == {"a": (7, '"a7"'), "b": (2, '"b2"'), "c": (4, '"c4"')}


OF_COLLECTIONS = [
    *dcp.stream(1, 0, A),
    dcp.created(1, 1, 8),
    dcp.mutation(1, 2, "a", "a2", collection=8),
    dcp.mutation(1, 3, "b", "b3", collection=9),
]


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


PREPARED = [*WRITTEN, dcp.marker(1, 5, 20), dcp.prepare(1, 5, "a", "a5"), dcp.prepare(1, 6, "e", "e6")]


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


def test_two_vbuckets_in_turns() -> None:
    other = [*dcp.stream(2, 0, (0xE, 0), opaque=2), dcp.marker(2, 0, 9)]
    other += [dcp.mutation(2, 1, "a", "other"), dcp.deletion(2, 2, "b"), dcp.request(2, 2), dcp.rolls_back(2, 1)]
    turns = [frame for pair in zip(ROLLED_BACK, [*other, *other], strict=False) for frame in pair]
    rows = latest(dcp.decoded(turns)).to_pylist()
    found = [(row["vbucket"], row["document_key"], row["by_seqno"]) for row in rows]
    assert found == [(1, "b", 2), (1, "a", 3), (1, "c", 4), (2, "a", 1)]


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


def merged(rows: pa.Table, into: dict[str, tuple[int, str | None]]) -> dict[str, tuple[int, str | None]]:
    """What becomes of documents when changes are merged into them."""
    found = dict(into)
    for key, row in documents(rows).items():
        found.pop(key, None)
        if row[1] not in ("deletion", "expiration", "collection", "rollback"):
            found[key] = row
    return found


AFTER = [
    *dcp.stream(1, 4, B, A),
    dcp.marker(1, 4, 30),
    dcp.mutation(1, 5, "e", "e5"),
    dcp.deletion(1, 6, "c"),
    dcp.prepare(1, 7, "b", "b7"),
    dcp.ended("commit", 1, 7, 8, "b"),
    dcp.mutation(1, 9, "f", "f9", collection=8),
    dcp.dropped(1, 10, 8),
    dcp.mutation(1, 11, "g", "g11"),
]


@pytest.mark.sweep
@each("cut", range(1, len(ROLLED_BACK) + len(AFTER)))
def test_changes_make_the_table_of_then_that_of_now(cut: int) -> None:
    table = dcp.decoded([*ROLLED_BACK, *AFTER])
    then = table.slice(0, cut)
    rows = changes(table, positions(then))
    assert merged(rows, documents(latest(then))) == documents(latest(table))


@each("cut", range(1, len(ROLLED_BACK)))
def test_changes_undo_what_was_rolled_back_and_did_not_come_again(cut: int) -> None:
    table = dcp.decoded(ROLLED_BACK)
    then = table.slice(0, cut)
    assert merged(changes(table, positions(then)), documents(latest(then))) == documents(latest(table))


def test_changes_without_a_position_are_all() -> None:
    table = dcp.decoded([*ROLLED_BACK, *AFTER])
    assert merged(changes(table), {}) == documents(latest(table))


def test_changes_are_those_since_the_position() -> None:
    then = dcp.decoded(WRITTEN)
    now = dcp.decoded([*WRITTEN, dcp.mutation(1, 5, "b", "b5"), dcp.deletion(1, 6, "c")])
    assert documents(changes(now, positions(then))) == {"b": (5, '"b5"'), "c": (6, "deletion")}
    assert changes(now, positions(now)).num_rows == 0


def test_frames_about_no_vbucket_move_none() -> None:
    table = dcp.decoded([*dcp.stream(0, 0, A), dcp.mutation(0, 3, "a"), dcp.frame("dcp_noop")])
    table = table.append_column("peer", pa.array([1, 1, 1, 2]))
    (row,) = positions(table, connection=["peer"]).to_pylist()
    assert (row["vbucket"], row["start_seqno"]) == (0, 3)


def test_a_stream_that_goes_back_on_another_connection_moves_the_position() -> None:
    frames = dcp.decoded([*WRITTEN, dcp.request(1, 4, 0xA), dcp.rolls_back(1, 2)])
    peers = pa.array([1] * len(WRITTEN) + [2, 2])
    (row,) = positions(frames.append_column("peer", peers), connection=["peer"]).to_pylist()
    assert (row["start_seqno"], row["snap_start_seqno"], row["snap_end_seqno"]) == (2, 2, 2)


def test_positions_are_what_a_consumer_asks_for_next() -> None:
    marker = dcp.marker(1, 5, 9)
    purged = {"variant": "v2_2", "version": 2, "start_seqno": 3, "end_seqno": 8, "snapshot_type": 2, "purge_seqno": 2}
    purged |= {"max_visible_seqno": 8, "high_completed_seqno": 0, "high_prepared_seqno": 0}
    other = [dcp.frame("snapshot_marker", purged, vbucket=2), dcp.mutation(2, 3, "a")]
    oso = [*dcp.stream(3, 0, A), dcp.frame("oso_snapshot", {"flags": 1}, vbucket=3), dcp.mutation(3, 9, "a")]
    frames = [*WRITTEN, *other, *oso, marker]
    names = ("vbucket", "vb_uuid", "start_seqno", "snap_start_seqno", "snap_end_seqno", "purge_seqno")

    def found(frames: Any) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in names) for row in positions(dcp.decoded(frames)).to_pylist()]

    assert found(WRITTEN) == [(1, 0xA, 4, 0, 4, None)]
    assert found(frames) == [(1, 0xA, 4, 4, 4, None), (2, None, 3, 3, 8, 2), (3, None, 0, 0, 0, None)]
    assert found([*frames, dcp.mutation(1, 6, "a")])[0] == (1, 0xA, 6, 5, 9, None)
    assert found(ROLLED_BACK) == [(1, 0xA, 4, 4, 4, None)]
    (row,) = positions(dcp.decoded([*ROLLED_BACK, *AFTER])).to_pylist()
    assert row["failover_log"] == dcp.log_of(B, A)
    assert (row["stream_id"], row["vb_uuid"], row["start_seqno"]) == (None, 0xB, 11)
