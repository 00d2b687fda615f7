"""The state of documents where a vbucket goes back, and what is dropped with the branch that it leaves."""

from functools import partial

import pyarrow as pa
import pytest
from support import dcp_sessions as dcp
from support.scaling import LINEAR, growth

from cdc.couchbase_documents import ROLLED_BACK, WRITTEN, A, B, C, documents, told
from wireloom.cdc.couchbase import dropped, latest


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


def test_two_vbuckets_in_turns() -> None:
    other = [*dcp.stream(2, 0, (0xE, 0), opaque=2), dcp.marker(2, 0, 9)]
    other += [dcp.mutation(2, 1, "a", "other"), dcp.deletion(2, 2, "b"), dcp.request(2, 2), dcp.rolls_back(2, 1)]
    turns = [frame for pair in zip(ROLLED_BACK, [*other, *other], strict=False) for frame in pair]
    rows = latest(dcp.decoded(turns)).to_pylist()
    found = [(row["vbucket"], row["document_key"], row["by_seqno"]) for row in rows]
    assert found == [(1, "b", 2), (1, "a", 3), (1, "c", 4), (2, "a", 1)]
