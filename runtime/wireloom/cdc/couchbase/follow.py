"""Frames with the columns that following them adds."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from wireloom.cdc.couchbase.columns import UUID, integers, uuids
from wireloom.cdc.couchbase.following import PROBLEMS, FollowedRows, StreamFollower
from wireloom.cdc.couchbase.frames import Batches, Frames, Ints, each_batch

ADDED = pa.schema(
    {
        "request_vbucket": pa.int32(),
        "stream_id": pa.int32(),
        "seqno": pa.int64(),
        "snapshot_start_seqno": pa.int64(),
        "snapshot_end_seqno": pa.int64(),
        "snapshot_type": pa.int64(),
        "snapshot_type_flags": pa.list_(pa.string()),
        "vb_uuid": UUID,
        "problem": pa.string(),
    }
)
"""The columns that ``follow`` adds."""


def follow(batches: Batches, *, connection: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
    """Add to each frame of Couchbase DCP its place in its stream: seqno, snapshot and branch.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The frames of a session, in the order of each connection, with at least ``COLUMNS``.
    connection : sequence of str
        The columns that identify a connection, if the frames are of several.

    Yields
    ------
    pyarrow.RecordBatch
        Each batch with these columns, which are null if a row has none:

        - ``request_vbucket``: of the response to a stream request or failover log request, the vbucket of the request;
        - ``stream_id``: which of several streams of the vbucket it belongs to;
        - ``seqno``: of a change, whatever its message;
        - ``snapshot_start_seqno``, ``snapshot_end_seqno``, ``snapshot_type``, ``snapshot_type_flags``: the snapshot
          that a change belongs to; none for a change between two OSO markers;
        - ``vb_uuid``: the branch of the vbucket's history that a change is on, by the last failover log;
        - ``problem``: what is wrong with the row, such as a change outside its snapshot.

    Raises
    ------
    ValueError
        If a column is missing, or one of the added columns exists already.

    Notes
    -----
    Needs the memory of one batch, and a few numbers per stream.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from wireloom.cdc import couchbase
    >>> from wireloom_protocols import couchbase_dcp
    >>> capture = "examples/captures/couchbase_dcp/session.bin"
    >>> frames = couchbase_dcp.scan(capture, columns=couchbase.COLUMNS, mode="PERMISSIVE")
    >>> followed = pa.Table.from_batches(couchbase.follow(frames))
    >>> changes = followed.filter(followed["message"].is_valid()).filter(followed["seqno"].is_valid())
    >>> changes.select(["vbucket", "seqno", "snapshot_end_seqno"]).slice(0, 2).to_pylist()
    [{'vbucket': 0, 'seqno': 1, 'snapshot_end_seqno': 8}, {'vbucket': 0, 'seqno': 2, 'snapshot_end_seqno': 8}]
    """
    follower = StreamFollower(connection)
    for batch in each_batch(batches):
        schema = followed_schema(batch.schema)
        added = _columns(follower, Frames(batch))
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], schema=schema)


def followed_schema(frames: pa.Schema) -> pa.Schema:
    """The schema of frames with the columns that ``follow`` adds. Raises as ``follow``, if one exists already."""
    taken = set(ADDED.names) & set(frames.names)
    if taken:
        raise ValueError(f"the frames already have a column {min(taken)}, which follow adds; rename it")
    return pa.schema([*frames, *ADDED], frames.metadata)


def _columns(follower: StreamFollower, frames: Frames) -> list[pa.Array]:
    found = follower.follow(frames)
    start, end, kind = found.snapshots.T
    numbers = [_answered(found), np.where(found.stream_ids > 0, found.stream_ids, -1), found.seqnos, start, end, kind]
    arrays = [integers(values, field.type) for values, field in zip(numbers, ADDED, strict=False)]
    kinds, inverse = np.unique(kind, return_inverse=True)
    flags = pa.array([follower.type_flags.get(one) for one in kinds.tolist()], pa.list_(pa.string()))
    problems = pa.array(PROBLEMS, pa.string()).take(pa.array(found.problems))
    return [*arrays, flags.take(pa.array(inverse)), uuids(found.uuids), problems]


def _answered(found: FollowedRows) -> Ints:
    vbuckets = np.full(len(found.vbuckets), -1, np.int64)
    rows = [response.row for response in found.responses if response.request]
    vbuckets[rows] = found.vbuckets[rows]
    return vbuckets
