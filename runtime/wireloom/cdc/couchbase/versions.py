"""The versions of documents in a session, and the events that may undo them, in order of arrival.

A version is the effect of a change on a key: a write, a deletion, a prepare or its commit. The start or end of a
collection is a version of all its keys. Versions are kept with their place in the session: a rollback undoes some of
those before it, and brings back older ones.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.cdc.couchbase.following import MALFORMED, NO_COLLECTION, NO_REQUEST, FollowedRows, StreamFollower
from wireloom.cdc.couchbase.frames import COLUMNS, Bools, Frames, Ints, Uints
from wireloom.cdc.couchbase.omission import Omissions

KEY = ("collection_id", "document_key", "document_key_bytes")
"""The identity of a document inside its vbucket: its key is text, or bytes that are not valid text."""

HEADER = ("cas", "datatype")

DOCUMENT = ("flags", "expiration", "expires_at", "delete_time", "deleted_at", "xattrs", "json", "json_bytes", "body")
"""The columns of a table of documents, as far as the frames have them."""

_WRITES = ("mutation", "prepare", "deletion", "expiration")

STATE_COLUMNS = (
    *COLUMNS,
    *HEADER,
    *(f"{message}.{name}" for message in (*_WRITES, "commit") for name in KEY),
    *(f"{message}.{name}" for message in _WRITES for name in ("rev_seqno", "xattrs", "json", "json_bytes", "body")),
    *(f"{message}.{name}" for message in ("mutation", "prepare") for name in ("flags", "expiration", "expires_at")),
    *(f"{message}.{name}" for message in ("deletion", "expiration") for name in ("delete_time", "deleted_at")),
    "prepare.deleted",
    "commit.prepared_seqno",
    *(f"system_event.{name}" for name in ("event_name", "collection_id", "collection", "dropped_collection")),
    "_corrupt_reason",
)
"""The columns that it takes to know the state of documents, as ``columns`` of readers name them."""


class Effect(IntEnum):
    """The effect of a version on its key, or on all keys of its collection."""

    WRITE = 0
    DELETION = 1
    EXPIRATION = 2
    PREPARE = 3
    PREPARED_DELETION = 4
    COMMIT = 5
    COLLECTION = 6
    """The collection ended, or it began: it was created, or flushed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """At ``arrival`` a stream begins at ``seqno`` with the failover log of that number, or goes back to it (−1)."""

    arrival: int
    stream: int
    seqno: int
    log: int


@dataclass
class VersionNumbers:
    """What versions are compared by, one number a version. ``streams`` are those of a source, whichever connection."""

    arrivals: list[Ints] = field(default_factory=list)
    streams: list[Ints] = field(default_factory=list)
    seqnos: list[Ints] = field(default_factory=list)
    prepared: list[Ints] = field(default_factory=list)
    collections: list[Ints] = field(default_factory=list)
    effects: list[Ints] = field(default_factory=list)
    uuids: list[Uints] = field(default_factory=list)

    def joined(self) -> tuple[Any, ...]:
        """Each of them as one array."""
        return tuple(np.concatenate(getattr(self, each.name) or [np.empty(0, np.int64)]) for each in fields(self))


class Versions:
    """The versions of frames given batch by batch: their numbers, and in ``pieces`` their keys and documents."""

    def __init__(self, connection: Sequence[str], source: Sequence[str], vbuckets: Collection[int] | None) -> None:
        self.follower = StreamFollower([*source, *connection])
        self.source = tuple(source)
        self.sources: dict[tuple[Any, ...], int] = {}
        self.turns: list[Turn] = []
        self.logs: dict[int, int] = {}
        """By source and vbucket the failover log last seen."""
        self.last: dict[int, tuple[int, int]] = {}
        """By stream of a source the arrival of its last change, and the number that its stream has in following."""
        self.numbers = VersionNumbers()
        self.omissions = Omissions([*source, *connection])
        self.pieces: list[pa.RecordBatch] = []
        self.schema: pa.Schema | None = None
        self._arrived = 0
        self._wanted = None if vbuckets is None else np.isin(np.arange(1 << 16), list(vbuckets))

    def know(self, frames: pa.Schema) -> None:
        """Learn what frames are like, if that is not known yet."""
        if self.schema is None:
            self.schema = _schema(frames, self.source)
            self.omissions.know(frames)

    def add(self, batch: pa.RecordBatch) -> None:
        """Take up the versions of the next batch."""
        frames = Frames(batch)
        self.know(batch.schema)
        found = self.follower.follow(frames)
        places = frames.identities(self.source, self.sources) << 16 | np.maximum(found.vbuckets, 0)
        streams = places << 16 | found.stream_ids
        wanted = found.vbuckets >= 0 if self._wanted is None else self._wanted[found.vbuckets] & (found.vbuckets >= 0)
        self._take_responses(found, streams)
        self.omissions.take(frames, found, _problems(frames, found, wanted))
        moves = found.seqnos >= 0  # other frames, such as a noop, say vbucket 0 and mean none
        moves[[response.row for response in found.responses if response.position]] = True
        rows = np.flatnonzero(wanted & moves)
        used, last = np.unique(streams[rows][::-1], return_index=True)
        for stream, row in zip(used.tolist(), rows[::-1][last].tolist(), strict=True):
            self.last[stream] = self._arrived + row, int(found.streams[row])
        for message in (*_WRITES, "commit", "system_event"):
            rows = frames.sound(message)
            rows = rows[wanted[rows] & (found.seqnos[rows] >= 0)]
            if len(rows):
                self._take(frames, found, streams, message, rows)
        self._arrived += len(frames)

    def _take_responses(self, found: FollowedRows, streams: Ints) -> None:
        for response in found.responses:
            if response.request is None:
                continue
            stream, log = int(streams[response.row]), -1
            if response.log is not None:
                log = self.follower.histories.number(response.log)
                self.logs[stream >> 16] = log
            if response.position:
                self.turns.append(Turn(self._arrived + response.row, stream, response.position[0], log))

    def _take(self, frames: Frames, found: FollowedRows, streams: Ints, message: str, rows: Ints) -> None:
        assert self.schema is not None
        effects = np.full(len(rows), _EFFECTS[message], np.int64)
        prepared = np.full(len(rows), -1, np.int64)
        match message:
            case "prepare":
                deleted = frames.field(message, "deleted", rows).fill_null(False).to_numpy(zero_copy_only=False)
                effects[deleted] = Effect.PREPARED_DELETION
            case "commit":
                prepared = frames.integers(message, "prepared_seqno", rows)
            case "system_event":
                rows = rows[_of_keys(frames, rows) & _are_known(frames, rows)]
                effects, prepared = effects[: len(rows)], prepared[: len(rows)]
        collections = _collections(frames, message, rows)
        arrays = [_column(frames, message, kept, rows) for kept in self.schema]
        self.pieces.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        numbers = self.numbers
        numbers.arrivals.append(self._arrived + rows)
        numbers.streams.append(streams[rows])
        numbers.seqnos.append(found.seqnos[rows])
        numbers.prepared.append(prepared)
        numbers.collections.append(collections.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False))
        numbers.effects.append(effects)
        numbers.uuids.append(found.uuids[rows])


_OF_KEYS = ("BeginCollection", "EndCollection")
"""The system events that take the keys of a collection along."""

_EFFECTS = {
    "mutation": Effect.WRITE,
    "deletion": Effect.DELETION,
    "expiration": Effect.EXPIRATION,
    "prepare": Effect.PREPARE,
    "commit": Effect.COMMIT,
    "system_event": Effect.COLLECTION,
}


def _problems(frames: Frames, found: FollowedRows, wanted: Bools) -> Ints:
    """The problems of rows that the state of documents lacks, as numbers of ``PROBLEMS``."""
    problems = np.where((found.problems == MALFORMED) & (wanted | (found.vbuckets < 0)), MALFORMED, 0)
    problems[frames.damage] = MALFORMED
    problems[[one.row for one in found.responses if one.request is None and one.tells]] = NO_REQUEST
    events = frames.sound("system_event")
    if len(events):
        problems[events[wanted[events] & _of_keys(frames, events) & ~_are_known(frames, events)]] = NO_COLLECTION
    return problems


def _of_keys(frames: Frames, events: Ints) -> Bools:
    """Which system events take the keys of a collection along."""
    found: Bools = pc.is_in(frames.field("system_event", "event_name", events), pa.array(_OF_KEYS)).to_numpy(False)
    return found


def _are_known(frames: Frames, events: Ints) -> Bools:
    """Of which system events the collection is known."""
    found: Bools = _collections(frames, "system_event", events).is_valid().to_numpy(False)
    return found


def _schema(frames: pa.Schema, source: Sequence[str]) -> pa.Schema:
    """The columns of frames with this schema that are kept."""
    found = [frames.field(name).remove_metadata() for name in (*source, *HEADER) if name in frames.names]
    for name in ("rev_seqno", *KEY, *DOCUMENT):
        structs = [frames.field(message).type for message in (*_WRITES, "commit") if message in frames.names]
        types = [struct.field(name).type for struct in structs if struct.get_field_index(name) >= 0]
        found += [pa.field(name, kind) for kind in types[:1]]
    missing = [name for name in KEY if name not in (each.name for each in found)]
    if missing:
        raise ValueError(f"no message of the frames has the column {missing[0]}, which identifies documents")
    return pa.schema(found)


def _column(frames: Frames, message: str, kept: pa.Field, rows: Ints) -> pa.Array:
    inside = kept.name in ("rev_seqno", *KEY, *DOCUMENT)
    if not inside:
        return frames.column(kept.name).take(pa.array(rows))
    optional = kept.name not in KEY and frames.column(message).type.get_field_index(kept.name) < 0
    if optional or message == "system_event":
        return pa.nulls(len(rows), kept.type)
    return frames.field(message, kept.name, rows)


def _collections(frames: Frames, message: str, rows: Ints) -> pa.Array:
    """The collection that each version is in, null without collections."""
    if message != "system_event":
        return frames.field(message, "collection_id", rows)
    tables = [
        pc.struct_field(frames.field(message, table, rows), "collectionId")
        for table in ("collection", "dropped_collection")
    ]
    return pc.coalesce(frames.field(message, "collection_id", rows), *tables)
