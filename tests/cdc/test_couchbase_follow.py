"""Which snapshot and which branch changes are in, and which vbucket responses are about."""

import tracemalloc
from typing import Any

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.cases import each

from wireloom.cdc.couchbase import COLUMNS, follow

SESSION = [
    *dcp.stream(1, 0, (77, 0)),
    dcp.marker(1, 0, 3, 6),
    dcp.mutation(1, 1, "a"),
    *dcp.stream(2, 10, (89, 12), (88, 0)),
    dcp.marker(2, 10, 20),
    dcp.mutation(2, 12, "x"),
    dcp.mutation(1, 3, "b"),
    dcp.deletion(2, 13, "x"),
    dcp.marker(1, 4, 8),
    dcp.prepare(1, 5, "p"),
    dcp.ended("commit", 1, 5, 6, "p"),
    dcp.mutation(1, 9, "outside"),
    dcp.mutation(1, 8, "back"),
    dcp.mutation(3, 4, "nothing in front"),
]
EXPECTED = [
    # vbucket, seqno, snapshot, type, branch, problem
    (1, 1, 0, 3, 6, 77, None),
    (2, 12, 10, 20, 1, 88, None),
    (1, 3, 0, 3, 6, 77, None),
    (2, 13, 10, 20, 1, 89, None),
    (1, 5, 4, 8, 1, 77, None),
    (1, 6, 4, 8, 1, 77, None),
    (1, 9, 4, 8, 1, 77, "outside of its snapshot"),
    (1, 8, 4, 8, 1, 77, "not above the seqno before it"),
    (3, 4, None, None, None, None, "no snapshot marker before it"),
]
NAMES = ("vbucket", "seqno", "snapshot_start_seqno", "snapshot_end_seqno", "snapshot_type", "vb_uuid", "problem")


def changes(batches: Any, names: tuple[str, ...] = NAMES, **options: Any) -> list[tuple[Any, ...]]:
    """Some columns of the rows that are changes."""
    found = pa.Table.from_batches(list(follow(batches, **options)))
    rows = found.select(list(names)).to_pylist()
    kinds = found["message"].to_pylist()
    told = zip(kinds, rows, strict=True)
    return [tuple(row.values()) for kind, row in told if kind not in ("snapshot_marker", "stream_req", *RESPONSES)]


RESPONSES = ("stream_req_response", "failover_log_response", "oso_snapshot", "failover_log_request")


@each("size", [1, 2, 3, 5, 8, 100])
def test_changes_are_in_the_last_snapshot_of_their_vbucket(size: int) -> None:
    assert changes(dcp.in_pieces(dcp.decoded(SESSION), size)) == EXPECTED


def test_selected_columns_are_enough() -> None:
    assert changes(dcp.decoded(SESSION, columns=COLUMNS)) == EXPECTED


def test_a_part_of_a_batch_is_followed_as_a_batch() -> None:
    table = dcp.decoded([dcp.marker(9, 1, 2), *dcp.of_stream(7, [dcp.marker(9, 1, 2)]), *SESSION])
    assert changes([table.to_batches()[0].slice(2)]) == EXPECTED


def test_snapshots_are_told_by_the_names_of_their_flags() -> None:
    found = changes(dcp.decoded(SESSION), ("snapshot_type_flags",))
    assert [flags for (flags,) in found[:2]] == [["Disk", "Checkpoint"], ["Memory"]]


@each("size", [1, 100])
def test_streams_of_one_vbucket_are_told_apart_by_their_ids(size: int) -> None:
    one = dcp.of_stream(1, [dcp.marker(5, 1, 9), dcp.mutation(5, 4, "a"), dcp.mutation(5, 6, "b")])
    two = dcp.of_stream(2, [dcp.marker(5, 2, 7, 2), dcp.mutation(5, 3, "c"), dcp.mutation(5, 5, "d")])
    turns = [frame for pair in zip(one, two, strict=True) for frame in pair]
    opened = [
        dcp.request(5, uuid=6, opaque=31, filter='{"collections": ["0"], "sid": 1}'),
        dcp.begins(31, (6, 0)),
    ]
    found = changes(dcp.in_pieces(dcp.decoded([*opened, *turns]), size), ("stream_id", *NAMES))
    assert found == [
        (1, 5, 4, 1, 9, 1, 6, None),
        (2, 5, 3, 2, 7, 2, 6, None),
        (1, 5, 6, 1, 9, 1, 6, None),
        (2, 5, 5, 2, 7, 2, 6, None),
    ]


def test_changes_between_oso_markers_are_in_no_snapshot_and_in_any_order() -> None:
    begin, end = (dcp.frame("oso_snapshot", {"flags": flag}, vbucket=1) for flag in (1, 2))
    rest = [dcp.mutation(1, 9, "a"), dcp.mutation(1, 2, "b")]
    found = changes(dcp.decoded([*dcp.stream(1, 0, (6, 0)), begin, *rest, end, dcp.mutation(1, 10, "c")]))
    problems = [(seqno, start, problem) for _, seqno, start, *_, problem in found]
    assert problems == [(9, None, None), (2, None, None), (10, None, "no snapshot marker before it")]


def test_a_stream_that_begins_anew_is_in_no_snapshot_yet() -> None:
    frames = [*dcp.stream(1, 0, (6, 0)), dcp.marker(1, 1, 9), dcp.mutation(1, 5, "a")]
    again = [*dcp.stream(1, 4, (6, 0)), dcp.mutation(1, 5, "a"), dcp.marker(1, 4, 9), dcp.mutation(1, 6, "a")]
    found = changes(dcp.decoded([*frames, *again]), ("snapshot_start_seqno", "problem"))
    assert found == [(1, None), (None, "no snapshot marker before it"), (4, None)]


def test_a_stream_has_changes_above_where_it_begins() -> None:
    frames = [*dcp.stream(1, 4, (6, 0)), dcp.marker(1, 4, 9), dcp.mutation(1, 4, "a"), dcp.mutation(1, 5, "a")]
    assert changes(dcp.decoded(frames), ("problem",)) == [("not above the seqno before it",), (None,)]


def test_a_marker_of_a_version_to_come_begins_a_snapshot_that_is_not_known() -> None:
    unknown = dcp.frame("snapshot_marker", {"version": 3, "trailing_value": b"?"}, vbucket=1)
    frames = [dcp.marker(1, 1, 9), dcp.mutation(1, 1, "a"), unknown, dcp.mutation(1, 2, "a")]
    found = changes(dcp.decoded(frames), ("snapshot_start_seqno", "problem"))
    assert found == [(1, None), (None, "no snapshot marker before it")]


def test_a_malformed_change_says_so() -> None:
    frames = [dcp.marker(1, 1, 9), dcp.mutation(1, 5, "a"), dcp.mutation(1, 6, "b")]
    data = bytearray(b"".join(map(dcp.couchbase_dcp.build, frames)))
    data[44 + 4] = 30  # the extras length of the first mutation
    table = dcp.couchbase_dcp.decode_columnar(bytes(data), mode="PERMISSIVE")
    assert changes(table, ("seqno", "problem")) == [(None, "malformed"), (6, None)]


def test_responses_have_the_vbucket_of_their_request() -> None:
    asked = [dcp.frame("failover_log_request", vbucket=vbucket, opaque=7) for vbucket in (4, 5)]
    log = {"variant": "success", "entries": dcp.log_of((6, 0))}
    answer = dcp.frame("failover_log_response", log, status=0, opaque=7)
    frames = [*asked, dcp.request(6, opaque=7), answer, answer, dcp.rolls_back(7, 0), answer, dcp.mutation(4, 3, "a")]
    rows = pa.Table.from_batches(list(follow(dcp.in_pieces(dcp.decoded(frames), 2)))).to_pylist()
    assert [row["request_vbucket"] for row in rows] == [None, None, None, 4, 5, 6, None, None]
    assert rows[6]["problem"] == "its request is not there"
    assert rows[7]["vb_uuid"] == 6


@each("text", ["[1]", "{", '{"sid": "1"}', '{"sid": 65536}', '{"sid": -1}', '{"sid": true}', "[" * 100_000])
def test_a_filter_that_the_producer_refuses_names_no_stream(text: str) -> None:
    frames = [dcp.request(5, filter=text), dcp.begins(5, (6, 0)), dcp.marker(5, 1, 9), dcp.mutation(5, 2, "a")]
    assert changes(dcp.decoded(frames), ("stream_id", "vb_uuid", "problem")) == [(None, 6, None)]


def test_a_long_failover_log_makes_no_other_longer() -> None:
    short = [frame for vbucket in range(300) for frame in dcp.stream(vbucket, 0, (vbucket + 1, 0))]
    long = dcp.stream(300, 0, *((uuid, 20_000 - uuid) for uuid in range(1, 20_001)))
    table = dcp.decoded([*short, *long, dcp.marker(300, 0, 9), dcp.mutation(300, 7, "a")])
    tracemalloc.start()
    assert changes(table, ("vb_uuid",)) == [(19_994,)]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 40 << 20


def test_a_seqno_is_on_the_newest_branch_that_began_below_it_also_where_a_log_does_not_fall() -> None:
    log = [(5, 8), (4, 2), (3, 6), (2, 0), (1, 4)]
    frames = [*dcp.stream(1, 0, *log), *(dcp.mutation(1, seqno, "a") for seqno in (0, 1, 2, 3, 7, 8, 9))]
    assert changes(dcp.decoded(frames), ("vb_uuid",)) == [(uuid,) for uuid in (None, 2, 2, 4, 4, 4, 5)]


def test_connections_are_told_apart() -> None:
    frames = [dcp.request(1, opaque=7), dcp.request(2, opaque=7), dcp.begins(7, (66, 0)), dcp.begins(7, (55, 0))]
    frames += [dcp.marker(1, 1, 5), dcp.marker(1, 6, 9), dcp.mutation(1, 5, "a"), dcp.mutation(1, 6, "a")]
    peers = pa.array(["left", "right", "right", "left", "left", "right", "left", "right"])
    table = dcp.decoded(frames).append_column("peer", peers).append_column("port", pa.array([1] * 8))
    found = changes(dcp.in_pieces(table, 3), ("peer", *NAMES), connection=("peer", "port"))
    assert found == [("left", 1, 5, 1, 5, 1, 55, None), ("right", 1, 6, 6, 9, 1, None, None)]


def test_a_column_that_is_missing_or_taken_is_named() -> None:
    table = dcp.decoded(SESSION)
    with pytest.raises(ValueError, match=r"lack the column opaque;"):
        list(follow(table.drop_columns("opaque")))
    with pytest.raises(ValueError, match=r"lack the column deletion;"):
        list(follow(table.drop_columns("deletion")))
    columns = [*(name for name in COLUMNS if name != "mutation.by_seqno"), "mutation.json"]
    with pytest.raises(ValueError, match=r"lack the column mutation\.by_seqno;"):
        list(follow(dcp.decoded(SESSION, columns=columns)))
    with pytest.raises(ValueError, match=r"already have a column problem"):
        list(follow(table.append_column("problem", table["opaque"])))
