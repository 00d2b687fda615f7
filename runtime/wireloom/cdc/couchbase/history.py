"""The state of documents: the latest by key, the changes since a position, dropped versions, positions of streams."""

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from wireloom.cdc.couchbase.columns import UUID, integers, uuids
from wireloom.cdc.couchbase.following import BEGUN, END, POSITION, PURGE, START, UNORDERED, WITHIN
from wireloom.cdc.couchbase.frames import Batches, Ints, each_batch
from wireloom.cdc.couchbase.histories import FailoverLog
from wireloom.cdc.couchbase.rollback import end_of_branch
from wireloom.cdc.couchbase.standing import REMOVED, StandingVersions, rolled_back
from wireloom.cdc.couchbase.versions import DOCUMENT, HEADER, KEY, Effect, Versions

_NO_PREPARE = "its prepare is not there"
_LOG = pa.list_(pa.struct({"vb_uuid": UUID, "vb_seqno": pa.int64()}))


class History:
    """All versions of the documents of a session of Couchbase DCP.

    Each method gives what the function of its name gives. Use it for several of them on one session, or to add frames
    as they arrive.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The first frames, in the order of each connection, with at least ``STATE_COLUMNS``.
    connection, source, vbuckets
        As in ``latest``.

    Raises
    ------
    ValueError
        If a column is missing.
    """

    def __init__(
        self,
        batches: Batches = (),
        *,
        connection: Sequence[str] = (),
        source: Sequence[str] = (),
        vbuckets: Collection[int] | None = None,
    ) -> None:
        self._versions = Versions(connection, source, vbuckets)
        if hasattr(batches, "schema"):
            self._versions.know(batches.schema)
        for batch in each_batch(batches):
            self.add(batch)

    def add(self, batch: pa.RecordBatch) -> None:
        """Add the next frames."""
        self._versions.add(batch)

    def latest(self, *, removed: bool = False) -> pa.Table:
        """As the function ``latest``, for the frames so far."""
        self._versions.omissions.log()
        found = StandingVersions(self._versions)
        rows = found.newest if removed else found.newest[found.removed[found.newest] == 0]
        return self._table(found, rows, found.removed[rows])

    def dropped(self) -> pa.Table:
        """As the function ``dropped``, for the frames so far."""
        found = StandingVersions(self._versions)
        rows = np.flatnonzero(found.visible & ~found.stands)
        rows = rows[np.lexsort((found.arrivals[rows], found.places[rows]))]
        return self._table(found, rows, found.removed[rows])

    def omissions(self) -> pa.Table:
        """As the function ``omissions``, for the frames so far."""
        return self._versions.omissions.table()

    def changes(self, since: pa.Table | None = None) -> pa.Table:
        """As the function ``changes``, for the frames so far."""
        self._versions.omissions.log()
        found = StandingVersions(self._versions)
        floors = self._floors(since)
        places, inverse = np.unique(found.places, return_inverse=True)
        floor = np.array([floors.get(place, -1) for place in places.tolist()], np.int64)[inverse]
        moved = ~found.stands | (found.seqnos > floor)
        collections = found.scopes[moved & found.rows(Effect.COLLECTION)]
        groups = np.unique(found.groups[found.visible & (moved | np.isin(found.scopes, collections))])
        newest = found.newest[np.isin(found.groups[found.newest], groups)]
        left = np.flatnonzero(found.visible & np.isin(found.groups, np.setdiff1d(groups, found.groups[newest])))
        left = left[np.unique(found.groups[left], return_index=True)[1]]
        told = self._table(found, newest, found.removed[newest])
        gone = self._table(found, left, rolled_back(left)).select([*self._versions.source, "vbucket", *KEY, "removed"])
        return pa.concat_tables([told, gone], promote_options="default")

    def positions(self) -> pa.Table:
        """As the function ``positions``, for the frames so far."""
        follower, versions = self._versions.follower, self._versions
        rows = sorted((stream, number) for stream, (_, number) in versions.last.items())
        streams = np.array([stream for stream, _ in rows], np.int64)
        known = follower.known[[number for _, number in rows]] if rows else follower.known[:0]
        seqnos = np.where(known[:, WITHIN] == UNORDERED, known[:, BEGUN], known[:, POSITION])
        inside = (known[:, START] <= seqnos) & (seqnos <= known[:, END])
        logs = np.array([versions.logs.get(stream >> 16, 0) for stream in streams.tolist()], np.int64)
        some = seqnos >= 0
        arrays = {
            **self._sources(streams[some] >> 32),
            "vbucket": integers(streams[some] >> 16 & 0xFFFF, pa.int32()),
            "stream_id": integers(np.where(streams[some] & 0xFFFF, streams[some] & 0xFFFF, -1), pa.int32()),
            "vb_uuid": uuids(follower.histories.branches(logs, seqnos)[some]),
            "start_seqno": integers(seqnos[some], pa.int64()),
            "snap_start_seqno": integers(np.where(inside, known[:, START], seqnos)[some], pa.int64()),
            "snap_end_seqno": integers(np.where(inside, known[:, END], seqnos)[some], pa.int64()),
            "purge_seqno": integers(known[some, PURGE], pa.int64()),
            "failover_log": pa.array([_entries(follower.histories[log]) for log in logs[some].tolist()], _LOG),
        }
        return pa.table(arrays)

    def _floors(self, since: pa.Table | None) -> dict[int, int]:
        """By source and vbucket, the seqno up to which a position agrees with the vbucket's history."""
        found: dict[int, int] = {}
        versions = self._versions
        for row in [] if since is None else since.to_pylist():
            source = versions.sources.get(tuple(row[name] for name in versions.source))
            if source is None:
                continue
            place, seqno = source << 16 | row["vbucket"], row["start_seqno"]
            log = versions.follower.histories[versions.logs.get(place, 0)]
            if log and row["vb_uuid"] is not None:
                seqno = min(seqno, end_of_branch(_entries(log), int(row["vb_uuid"]), seqno) or 0)
            found[place] = min(seqno, found.get(place, seqno))
        return found

    def _table(self, found: StandingVersions, rows: Ints, removed: Ints) -> pa.Table:
        """Versions as a table: their keys and places, their documents, and their states."""
        documents = found.documents[rows]
        keys, values = found.kept.take(pa.array(rows)), found.kept.take(pa.array(documents, mask=documents < 0))
        arrays = {name: keys[name] for name in self._versions.source}
        arrays["vbucket"] = integers(found.places[rows] & 0xFFFF, pa.int32())
        arrays |= {name: keys[name] for name in KEY}
        arrays["by_seqno"] = integers(found.seqnos[rows], pa.int64())
        arrays["vb_uuid"] = uuids(found.uuids[rows])
        arrays |= {name: values[name] for name in ("rev_seqno", *HEADER, *DOCUMENT) if name in values.schema.names}
        arrays["removed"] = pa.array(REMOVED, pa.string()).take(pa.array(removed))
        arrays["problem"] = pa.array([None, "its prepare is not there"], pa.string()).take(
            pa.array(documents < 0).cast("int8")
        )
        return pa.table(arrays)

    def _sources(self, numbers: Ints) -> dict[str, pa.Array]:
        """The columns that identify sources, by the numbers of these."""
        values = list(self._versions.sources)
        schema = self._versions.schema
        assert schema is not None
        return {
            name: pa.array([values[number][at] for number in numbers.tolist()], schema.field(name).type)
            for at, name in enumerate(self._versions.source)
        }


def _entries(log: FailoverLog) -> list[dict[str, int]]:
    return [{"vb_uuid": vb_uuid, "vb_seqno": seqno} for vb_uuid, seqno in log]
