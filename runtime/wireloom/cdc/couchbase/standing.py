"""The current versions: those that no rollback has undone, and of each key the newest."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.cdc.couchbase.frames import Bools, Ints
from wireloom.cdc.couchbase.versions import Effect, Turn, Versions

REMOVED = (None, "deletion", "expiration", "collection", "rollback")
"""Why a document is not there any more; ``collection``: its collection was dropped or flushed."""

_COLLECTION, _ROLLBACK = 3, 4
_REASONS = {Effect.DELETION: 1, Effect.EXPIRATION: 2, Effect.PREPARED_DELETION: 1}


class StandingVersions:
    """The versions by number: ``stands`` whether each is current, ``newest`` the rows of the newest of each key.

    ``groups`` are numbers of keys, ``scopes`` of their collections. ``documents`` are the rows with the documents: for
    a commit that of its prepare, -1 if that did not come. ``removed`` are indexes of ``REMOVED``.
    """

    def __init__(self, versions: Versions) -> None:
        if versions.schema is None:
            raise ValueError("there are no batches, so the columns of documents are unknown")
        self._versions = versions
        numbers = versions.numbers.joined()
        self.arrivals, self.streams, self.seqnos, self._prepared, collections, self.effects, self.uuids = numbers
        self.places = self.streams >> 16
        self.kept = pa.Table.from_batches(versions.pieces, versions.schema)
        self.scopes = _dense(_dense(self.places) * (1 + len(np.unique(collections))) + _dense(collections))
        keys = pc.coalesce(self.kept["document_key"].cast(pa.binary()), self.kept["document_key_bytes"])
        codes = _codes(keys)
        self.groups = self.scopes * (1 + int(codes.max(initial=0))) + codes
        self.stands = self._stands()
        self.visible = np.isin(self.effects, (Effect.WRITE, Effect.DELETION, Effect.EXPIRATION, Effect.COMMIT))
        self.documents = self._documents()
        self.newest = self._newest()
        self.removed = self._removed()

    def rows(self, effect: Effect) -> Bools:
        """Which versions have this effect."""
        found: Bools = self.effects == effect
        return found

    def _stands(self) -> Bools:
        """A stream that is rolled back undoes changes above it; a new one, those above it that are not on its history.

        One that begins at 0 has nothing to begin with.
        """
        stands = np.ones(len(self.streams), np.bool_)
        order = np.lexsort((self.arrivals, self.streams))
        ordered = self.streams[order]
        for (stream, log), turns in _alike(self._versions.turns).items():
            first, end = np.searchsorted(ordered, (stream, stream + 1))
            rows = order[first:end]
            rows = rows[: np.searchsorted(self.arrivals[rows], turns[-1].arrival)]
            since = np.searchsorted([turn.arrival for turn in turns], self.arrivals[rows], side="right")
            lowest = np.minimum.accumulate([turn.seqno for turn in reversed(turns)])[::-1]
            rows = rows[self.seqnos[rows] > lowest[since]]
            if log >= 0:
                logs = np.full(len(rows), log, np.int64)
                branches = self._versions.follower.histories.branches(logs, self.seqnos[rows])
                rows = rows[branches != self.uuids[rows]]
            stands[rows] = False
        return stands

    def _documents(self) -> Ints:
        """The document of a commit is in its prepare; a current commit needs a current prepare."""
        documents = np.arange(len(self.seqnos))
        commits = self.rows(Effect.COMMIT)
        prepares = self.rows(Effect.PREPARE) | self.rows(Effect.PREPARED_DELETION)
        for stands in (True, False):
            of_these = np.flatnonzero(commits & (self.stands == stands))
            among = np.flatnonzero(prepares & (self.stands | (not stands)))
            pairs = np.concatenate((among, of_these))
            said = np.where(commits[pairs], self._prepared[pairs], self.seqnos[pairs])
            _, numbers = np.unique(np.stack((self.groups[pairs], said)), axis=1, return_inverse=True)
            of_number = np.full(len(pairs), -1, np.int64)
            of_number[numbers.ravel()[: len(among)]] = among
            documents[of_these] = of_number[numbers.ravel()[len(among) :]]
        return documents

    def _newest(self) -> Ints:
        """Of each key the row with the highest seqno; of equal ones that which came last."""
        rows = np.flatnonzero(self.visible & self.stands)
        rows = rows[np.lexsort((self.arrivals[rows], self.seqnos[rows], self.groups[rows]))]
        groups = self.groups[rows]
        newest = rows[np.append(groups[1:] != groups[:-1], True)] if len(rows) else rows
        return newest[np.lexsort((self.seqnos[newest], self.places[newest]))]

    def _removed(self) -> Ints:
        """The effect of each version, unless its collection has ended or been flushed since."""
        said = np.where(self.documents >= 0, self.effects[self.documents], Effect.WRITE)
        removed = np.select([said == effect for effect in _REASONS], list(_REASONS.values()), 0)
        collections = self.rows(Effect.COLLECTION) & self.stands
        until = np.full(1 + int(self.scopes.max(initial=0)), -1, np.int64)
        np.maximum.at(until, self.scopes[collections], self.seqnos[collections])
        removed[self.seqnos < until[self.scopes]] = _COLLECTION
        return removed


def _alike(turns: Iterable[Turn]) -> dict[tuple[int, int], list[Turn]]:
    """The turns by their stream, and by the log that decides what they keep, -1 for none; each in order."""
    found: dict[tuple[int, int], list[Turn]] = {}
    for turn in turns:
        found.setdefault((turn.stream, turn.log if turn.seqno > 0 else -1), []).append(turn)
    return found


def rolled_back(rows: Ints) -> Ints:
    """The reason for keys without a current version, one for each row."""
    return np.full(len(rows), _ROLLBACK, np.int64)


def _dense(values: Ints) -> Ints:
    found: Ints = np.unique(values, return_inverse=True)[1]
    return found


def _codes(keys: pa.ChunkedArray) -> Ints:
    """A number for each key, the same for equal ones; 0 for none."""
    encoded = keys.dictionary_encode().unify_dictionaries()
    parts: Sequence[Ints] = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    return 1 + np.concatenate(parts).astype(np.int64) if parts else np.empty(0, np.int64)
