"""The frames that the state of documents lacks, named and counted: changes and what moves streams."""

import logging
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from wireloom.cdc.couchbase.columns import integers
from wireloom.cdc.couchbase.following import PROBLEMS, FollowedRows
from wireloom.cdc.couchbase.frames import Frames, Ints

LOG = logging.getLogger("wireloom")

_PLACES = ("_file", "_offset", "_corrupt_reason")
"""The columns of readers with the place and the error of a frame."""


class Omissions:
    """Collects them batch by batch; ``columns`` of the reader identify connections."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = tuple(dict.fromkeys(columns))
        self._schema: pa.Schema | None = None
        self._pieces: list[pa.RecordBatch] = []
        self._logged = 0

    def know(self, frames: pa.Schema) -> None:
        """Learn what frames are like."""
        own = {"vbucket": pa.int32(), "stream_id": pa.int32(), "message": pa.string(), "problem": pa.string()}
        names = dict.fromkeys(name for name in (*self._columns, *own, *_PLACES) if name in (*own, *frames.names))
        self._schema = pa.schema([pa.field(name, own.get(name) or frames.field(name).type) for name in names])

    def take(self, frames: Frames, found: FollowedRows, problems: Ints) -> None:
        """Take up the rows of a batch that have one of ``PROBLEMS``, by their numbers; 0 is none."""
        rows = np.flatnonzero(problems)
        if not len(rows):
            return
        assert self._schema is not None
        own = {
            "vbucket": integers(found.vbuckets[rows], pa.int32()),
            "stream_id": integers(np.where(found.stream_ids[rows] > 0, found.stream_ids[rows], -1), pa.int32()),
            "problem": pa.array(PROBLEMS, pa.string()).take(pa.array(problems[rows])),
        }
        taken = pa.array(rows)
        arrays = [own[name] if name in own else frames.column(name).take(taken) for name in self._schema.names]
        self._pieces.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def table(self) -> pa.Table:
        """A row for each, in order of arrival."""
        if self._schema is None:
            raise ValueError("there are no batches, so the columns of frames are unknown")
        return pa.Table.from_batches(self._pieces, self._schema)

    def log(self) -> None:
        """Warn of those that have come since the last warning."""
        counts: Counter[tuple[str, str]] = Counter()
        for piece in self._pieces[self._logged :]:
            counts.update(zip(piece["message"].to_pylist(), piece["problem"].to_pylist(), strict=True))
        self._logged = len(self._pieces)
        if counts:
            told = [f"{count} {message or 'of no message'} ({what})" for (message, what), count in counts.items()]
            LOG.warning("wireloom: frames missing from the documents: %s; omissions() lists them", ", ".join(told))
