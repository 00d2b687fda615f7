"""Streams followed batch by batch: the snapshot, the branch and the place of each change, without a loop over changes.

A row of numbers per stream, the failover log of each vbucket, and requests without a response are kept between
batches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wireloom.cdc.couchbase.frames import SEQNOS, Bools, Frames, Ints, Uints
from wireloom.cdc.couchbase.grouped import RowGroups
from wireloom.cdc.couchbase.histories import Histories
from wireloom.cdc.couchbase.requests import Requests, Response

PROBLEMS = (
    None,
    "malformed",
    "no snapshot marker before it",
    "outside of its snapshot",
    "not above the seqno before it",
    "its request is not there",
    "its collection is not known",
)
"""What can be wrong with a change, or with the response to a request for a vbucket. The last is of system events."""

MALFORMED, NO_SNAPSHOT, OUTSIDE, NOT_RISING, NO_REQUEST, NO_COLLECTION = range(1, len(PROBLEMS))

WITHIN, START, END, TYPE, PREVIOUS, POSITION, BEGUN, PURGE = range(8)
"""The columns of the state of a stream; the first four are set at the start of a snapshot or a stream."""

_MARKED = {START: "start_seqno", END: "end_seqno", TYPE: "snapshot_type"}

NOTHING, SNAPSHOT, UNORDERED = -1, 0, 1
"""Where a stream is: outside of snapshots, in one from seqno to seqno, or in one without an order."""


@dataclass(frozen=True, slots=True)
class FollowedRows:
    """What each row of a batch is: arrays as long as the batch; −1, of uuids and stream ids 0, where there is none.

    ``vbuckets`` and ``stream_ids`` of a response are those of its request. ``responses`` are those in the batch.
    """

    streams: Ints
    vbuckets: Ints
    stream_ids: Ints
    seqnos: Ints
    snapshots: Ints
    """Start, end and type of the snapshot of each change."""
    uuids: Uints
    problems: Ints
    responses: list[Response]


class StreamFollower:
    """Follows the streams of frames, batch by batch; the columns ``connection`` identify connections."""

    def __init__(self, connection: Sequence[str] = ()) -> None:
        self.histories = Histories()
        self.type_flags: dict[int, list[str]] = {}
        self.known = np.empty((0, 8), np.int64)
        self._connection = tuple(connection)
        self._connections: dict[tuple[Any, ...], int] = {}
        self._streams: dict[int, int] = {}
        self._logs: dict[int, int] = {}
        self._requests = Requests(self._connection)

    def follow(self, frames: Frames) -> FollowedRows:
        """What the rows of the next batch are."""
        connections = frames.identities(self._connection, self._connections)
        responses = self._requests.responses(frames)
        vbuckets, stream_ids = frames.vbuckets.copy(), frames.stream_ids.copy()
        for response in responses:
            if response.request:
                vbuckets[response.row], stream_ids[response.row] = response.request.vbucket, response.request.stream_id
        histories = connections << 17 | vbuckets + 1
        streams = self._numbered(histories << 16 | stream_ids)
        seqnos, changes = _changes(frames)
        uuids = np.zeros(len(frames), np.uint64)
        logs = self._logs_at(changes, histories, responses)
        uuids[changes] = self.histories.branches(logs, seqnos[changes])
        snapshots, problems = self._placed(frames, streams, seqnos, changes, responses)
        problems[[response.row for response in responses if response.request is None]] = NO_REQUEST
        return FollowedRows(streams, vbuckets, stream_ids, seqnos, snapshots, uuids, problems, responses)

    def _numbered(self, packed: Ints) -> Ints:
        """Numbers of streams, and a line for each new one."""
        used, inverse = np.unique(packed, return_inverse=True)
        numbers = [self._streams.setdefault(one, len(self._streams)) for one in used.tolist()]
        new = len(self._streams) - len(self.known)
        self.known = np.concatenate((self.known, np.full((new, 8), -1, np.int64)))
        return np.array(numbers, np.int64)[inverse]

    def _logs_at(self, changes: Ints, histories: Ints, responses: list[Response]) -> Ints:
        """The number of the failover log that is known at each change, of its vbucket on its connection."""
        given, sets = np.zeros(len(histories), np.int64), np.zeros(len(histories), np.bool_)
        for response in responses:
            if response.log is not None and response.request:
                given[response.row], sets[response.row] = self.histories.number(response.log), True
        last = RowGroups(histories).last(sets)[changes]
        used, inverse = np.unique(histories[changes], return_inverse=True)
        before = np.array([self._logs.get(one, 0) for one in used.tolist()], np.int64)[inverse]
        self._logs.update(zip(histories[sets].tolist(), given[sets].tolist(), strict=True))
        return np.where(last >= 0, given[last], before)

    def _placed(
        self, frames: Frames, streams: Ints, seqnos: Ints, changes: Ints, responses: list[Response]
    ) -> tuple[Ints, Ints]:
        """The snapshots and problems of all rows; streams are moved on."""
        grouped = RowGroups(streams)
        given, sets = self._beginnings(frames, responses)
        last = grouped.last(sets)
        current = np.where((last >= 0)[:, None], given[last], self.known[streams, : TYPE + 1])

        reached, moves = seqnos.copy(), seqnos >= 0
        moves |= sets & (given[:, WITHIN] != SNAPSHOT)  # a stream that begins, or a snapshot without an order
        for row, (seqno, _, _) in _positions(responses).items():
            reached[row] = seqno
        before = grouped.before(moves)
        previous = np.where(before >= 0, reached[before], self.known[streams, PREVIOUS])

        snapshots, problems = np.full((len(frames), 3), -1, np.int64), np.zeros(len(frames), np.int64)
        ranged = changes[current[changes, WITHIN] == SNAPSHOT]
        start, end = current[ranged, START], current[ranged, END]
        snapshots[ranged] = current[ranged, START : TYPE + 1]
        problems[ranged[seqnos[ranged] <= previous[ranged]]] = NOT_RISING
        problems[ranged[(seqnos[ranged] < start) | (seqnos[ranged] > end)]] = OUTSIDE
        problems[changes[current[changes, WITHIN] == NOTHING]] = NO_SNAPSHOT
        problems[changes[seqnos[changes] < 0]] = MALFORMED  # with an invalid seqno
        problems[frames.malformed] = MALFORMED
        self._move_on(frames, streams, seqnos, changes, responses)
        rows = grouped.last_rows
        self.known[streams[rows], : TYPE + 1] = current[rows]
        after = grouped.last(moves)[rows]
        self.known[streams[rows], PREVIOUS] = np.where(after >= 0, reached[after], self.known[streams[rows], PREVIOUS])
        return snapshots, problems

    def _beginnings(self, frames: Frames, responses: list[Response]) -> tuple[Ints, Bools]:
        """What rows set of their streams, and which do: markers, and responses that begin streams or send them back."""
        given, sets = np.full((len(frames), TYPE + 1), -1, np.int64), np.zeros(len(frames), np.bool_)
        rows = frames.sound("snapshot_marker")
        if len(rows):
            for column, name in _MARKED.items():
                given[rows, column] = frames.integers("snapshot_marker", name, rows)
            given[rows, WITHIN] = np.where(given[rows, START] >= 0, SNAPSHOT, NOTHING)  # of a version to come
            sets[rows] = True
            self._learn_flags(frames, rows)
        rows = frames.sound("oso_snapshot")
        if len(rows):
            flags = frames.field("oso_snapshot", "flags_flags", rows).to_pylist()
            given[rows, WITHIN] = [UNORDERED if "Start" in each else NOTHING for each in flags]
            sets[rows] = True
        for row, (_, start, end) in _positions(responses).items():
            given[row, START : END + 1] = start, end
            sets[row] = True
        return given, sets

    def _learn_flags(self, frames: Frames, rows: Ints) -> None:
        """The names of the flags of snapshots, by the number that they make."""
        types, first = np.unique(frames.integers("snapshot_marker", "snapshot_type", rows), return_index=True)
        if any(kind not in self.type_flags for kind in types.tolist()):
            flags = frames.field("snapshot_marker", "snapshot_type_flags", rows[first]).to_pylist()
            self.type_flags.update(zip(types.tolist(), flags, strict=True))

    def _move_on(self, frames: Frames, streams: Ints, seqnos: Ints, changes: Ints, responses: list[Response]) -> None:
        """The state of the consumer in each stream: where it started, the highest seqno since, the last purge seqno."""
        markers = frames.sound("snapshot_marker")
        if len(markers):
            purged = frames.integers("snapshot_marker", "purge_seqno", markers)
            self.known[streams[markers[purged >= 0]], PURGE] = purged[purged >= 0]
        since = np.full(len(self.known), -1, np.int64)
        for row, (seqno, _, _) in _positions(responses).items():
            since[streams[row]] = row
            self.known[streams[row], [POSITION, BEGUN]] = seqno
        counted = changes[changes > since[streams[changes]]]
        np.maximum.at(self.known[:, POSITION], streams[counted], seqnos[counted])


def _changes(frames: Frames) -> tuple[Ints, Ints]:
    """The seqno of each row, −1 for none, and the rows that are changes."""
    seqnos = np.full(len(frames), -1, np.int64)
    for message, name in SEQNOS.items():
        rows = frames.sound(message)
        if len(rows):
            seqnos[rows] = frames.integers(message, name, rows)
    return seqnos, frames.rows(*SEQNOS)


def _positions(responses: list[Response]) -> dict[int, tuple[int, int, int]]:
    """The rows at which streams begin or are sent back, and the seqno and snapshot that the consumer has then."""
    return {response.row: response.position for response in responses if response.position}
