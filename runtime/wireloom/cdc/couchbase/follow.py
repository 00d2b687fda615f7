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
    """The batches, each row with what it is in the stream that it belongs to.

    ``connection`` names the columns of the reader that tell connections apart, if the frames are of several; those of
    each are in its order. The columns added are these, null where a row has none:

    - ``request_vbucket``: the vbucket of the request that a response to a stream request or to a request for a
      failover log answers;
    - ``stream_id``: which of several streams of the vbucket it is;
    - ``seqno``: that of a change, of whichever message;
    - ``snapshot_start_seqno``, ``snapshot_end_seqno``, ``snapshot_type``, ``snapshot_type_flags``: the snapshot that a
      change belongs to; a change between two OSO markers belongs to none;
    - ``vb_uuid``: the branch of the vbucket's history that a change is on, by the failover log last seen;
    - ``problem``: what is wrong with the row, such as a change outside of its snapshot.

    Memory is that of a batch, and some numbers for each stream. Raises ``ValueError`` for a column that it takes and
    that is not there (``COLUMNS`` are enough), and for one that is there already.
    """
    follower = StreamFollower(connection)
    for batch in each_batch(batches):
        schema = followed_schema(batch.schema)
        added = _columns(follower, Frames(batch))
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], schema=schema)


def followed_schema(frames: pa.Schema) -> pa.Schema:
    """The schema of frames with the columns that ``follow`` adds. Raises as that does for one that is there already."""
    taken = set(ADDED.names) & set(frames.names)
    if taken:
        raise ValueError(f"the frames have a column {min(taken)} already, which following them adds")
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
