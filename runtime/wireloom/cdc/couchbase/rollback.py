"""Where a producer sends a consumer back to: what the server decides, from what both of them know.

The order of the steps is that of ``failover-table.cc``, ``needsRollback``.
"""

from collections.abc import Iterable, Mapping


def rollback_point(
    failover_log: Iterable[Mapping[str, int]],
    high_seqno: int,
    vb_uuid: int,
    start_seqno: int,
    snap_start_seqno: int,
    snap_end_seqno: int,
    *,
    purge_seqno: int = 0,
    client_purge_seqno: int | None = None,
    strict_vb_uuid: bool = False,
    ignore_purged_tombstones: bool = False,
    collection_high_seqno: int | None = None,
) -> int | None:
    """The seqno that a stream request is rolled back to, None if its stream can begin where it asks.

    ``failover_log`` is the producer's, newest branch first, entries with ``vb_uuid`` and ``vb_seqno`` as in
    ``stream_req_response.entries``; ``high_seqno`` and ``purge_seqno`` are the producer's, too. The request is the
    branch and seqno that the consumer has, and the snapshot which that seqno is in. It may also have the purge seqno
    that the consumer knows from a snapshot marker, the flags ``StrictVbUuid`` and ``IgnorePurgedTombstones``, and a
    filter, of whose collections ``collection_high_seqno`` is the highest seqno.

    Raises ``ValueError`` if the snapshot does not have the seqno in it, which the producer refuses.
    """
    if not snap_start_seqno <= start_seqno <= snap_end_seqno:
        told = f"start_seqno {start_seqno} is not in the snapshot from {snap_start_seqno} to {snap_end_seqno}"
        raise ValueError(told)
    if start_seqno == 0 and not (strict_vb_uuid and vb_uuid != 0):
        return None
    if 0 < start_seqno < purge_seqno:
        knows_purge = client_purge_seqno == purge_seqno
        unaffected = collection_high_seqno is not None and collection_high_seqno <= start_seqno
        if not (knows_purge or unaffected or ignore_purged_tombstones):
            return 0
    upper = end_of_branch(failover_log, vb_uuid, high_seqno)
    if upper is None:
        return 0
    if start_seqno == snap_start_seqno:  # nothing of the snapshot has come yet
        snap_end_seqno = start_seqno
    if snap_end_seqno <= upper:
        return None
    if start_seqno == snap_end_seqno:  # the whole snapshot has come
        snap_start_seqno = start_seqno
    return min(upper, snap_start_seqno)


def end_of_branch(failover_log: Iterable[Mapping[str, int]], vb_uuid: int, high_seqno: int) -> int | None:
    """The last seqno of a branch, None for one that the log does not have. Of several entries the oldest counts."""
    found, newer = None, high_seqno
    for entry in failover_log:
        if entry["vb_uuid"] == vb_uuid:
            found = newer
        newer = entry["vb_seqno"]
    return found
