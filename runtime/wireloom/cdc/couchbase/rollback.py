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
    """The seqno to which a Couchbase producer rolls back a stream request.

    The steps are those of ``FailoverTable::needsRollback`` in the server's ``failover-table.cc``, in their order.

    Parameters
    ----------
    failover_log : iterable of mapping
        The failover log of the producer, newest branch first: entries with ``vb_uuid`` and ``vb_seqno``, as in
        ``stream_req_response.entries``.
    high_seqno : int
        The highest seqno of the producer.
    vb_uuid, start_seqno, snap_start_seqno, snap_end_seqno : int
        The stream request: the branch and seqno of the consumer, and the snapshot that contains this seqno.
    purge_seqno : int, default 0
        The purge seqno of the producer.
    client_purge_seqno : int, optional
        The purge seqno that the consumer knows from a snapshot marker.
    strict_vb_uuid, ignore_purged_tombstones : bool, default False
        Whether the request has the flag ``StrictVbUuid`` or ``IgnorePurgedTombstones``.
    collection_high_seqno : int, optional
        The highest seqno of the collections in the request's filter, if it has one.

    Returns
    -------
    int or None
        The seqno; None if the stream can start at ``start_seqno``.

    Raises
    ------
    ValueError
        If ``start_seqno`` is not within the snapshot; the producer rejects such a request.

    Examples
    --------
    A consumer at seqno 120 of branch 1, which ended at seqno 100 when branch 2 began:

    >>> from wireloom.cdc.couchbase import rollback_point
    >>> log = [{"vb_uuid": 2, "vb_seqno": 100}, {"vb_uuid": 1, "vb_seqno": 0}]
    >>> rollback_point(log, 150, 1, 120, 120, 120)
    100
    >>> rollback_point(log, 150, 1, 90, 90, 90) is None
    True
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
    """The last seqno of a branch, or None if the log does not have it. Of several entries, the oldest counts."""
    found, newer = None, high_seqno
    for entry in failover_log:
        if entry["vb_uuid"] == vb_uuid:
            found = newer
        newer = entry["vb_seqno"]
    return found
