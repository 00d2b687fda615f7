"""Changes of documents since a position, and the positions of vbuckets."""

from typing import Any

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.cases import each

from cdc.couchbase_documents import AFTER, ROLLED_BACK, WRITTEN, A, B, documents
from wireloom.cdc.couchbase import changes, latest, positions


def merged(rows: pa.Table, into: dict[str, tuple[int, str | None]]) -> dict[str, tuple[int, str | None]]:
    """What becomes of documents when changes are merged into them."""
    found = dict(into)
    for key, row in documents(rows).items():
        found.pop(key, None)
        if row[1] not in ("deletion", "expiration", "collection", "rollback"):
            found[key] = row
    return found


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
