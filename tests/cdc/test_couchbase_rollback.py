"""Where the producer of a vbucket sends a consumer back to."""

import pytest
from support import vectors
from support.cases import each
from support.vectors import Vector

from wireloom.cdc.couchbase import rollback_point

NOT_GIVEN = ("id", "source", "rollback_seqno")

LOG = [{"vb_uuid": 30, "vb_seqno": 200}, {"vb_uuid": 20, "vb_seqno": 100}, {"vb_uuid": 10, "vb_seqno": 0}]


@each("vector", vectors.parameters("couchbase_dcp_all/rollback.jsonl"))
def test_it_is_where_the_server_sends_the_consumer_to(vector: Vector) -> None:
    given = {name: value for name, value in vector.items() if name not in NOT_GIVEN}
    assert rollback_point(**given) == vector["rollback_seqno"]


def test_purged_tombstones_can_be_ignored() -> None:
    position = {"vb_uuid": 30, "start_seqno": 210, "snap_start_seqno": 210, "snap_end_seqno": 210}
    assert rollback_point(LOG, 300, **position, purge_seqno=250) == 0
    assert rollback_point(LOG, 300, **position, purge_seqno=250, ignore_purged_tombstones=True) is None


def test_of_entries_with_one_branch_the_oldest_counts() -> None:
    log = [{"vb_uuid": 20, "vb_seqno": 200}, *LOG[1:]]
    position = {"vb_uuid": 20, "start_seqno": 250, "snap_start_seqno": 190, "snap_end_seqno": 260}
    assert rollback_point(log, 300, **position) == 190


def test_a_seqno_outside_of_its_snapshot_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"start_seqno 5 is not in the snapshot from 6 to 9"):
        rollback_point(LOG, 300, vb_uuid=30, start_seqno=5, snap_start_seqno=6, snap_end_seqno=9)
