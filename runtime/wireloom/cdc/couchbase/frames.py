"""A batch of decoded frames for those who follow them: rows by message, fields as numpy arrays."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Ints = np.ndarray[Any, np.dtype[np.int64]]
Uints = np.ndarray[Any, np.dtype[np.uint64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

SEQNOS = {
    "mutation": "by_seqno",
    "deletion": "by_seqno",
    "expiration": "by_seqno",
    "prepare": "by_seqno",
    "commit": "commit_seqno",
    "abort": "abort_seqno",
    "system_event": "by_seqno",
    "seqno_advanced": "by_seqno",
}
"""The messages that are changes of a vbucket, and the field that each has its seqno in."""

REQUESTS = ("stream_req", "failover_log_request")
"""The messages that ask about a vbucket."""
RESPONSES = ("stream_req_response", "failover_log_response")
"""The messages that answer them, and do not say which vbucket."""

STREAMED = (*SEQNOS, "snapshot_marker", "oso_snapshot", *REQUESTS, *RESPONSES)
"""The messages that it takes to follow vbuckets."""

HEADER = ("message", "vbucket", "opcode", "opaque", "status", "frame_infos")

COLUMNS = (
    *HEADER,
    *(f"{message}.{seqno}" for message, seqno in SEQNOS.items()),
    *(f"snapshot_marker.{name}" for name in ("start_seqno", "end_seqno", "snapshot_type", "snapshot_type_flags")),
    "snapshot_marker.purge_seqno",
    "oso_snapshot.flags_flags",
    *(f"stream_req.{name}" for name in ("start_seqno", "snap_start_seqno", "snap_end_seqno", "filter")),
    *(f"stream_req_response.{name}" for name in ("entries", "rollback_seqno")),
    "failover_log_request",
    "failover_log_response.entries",
)
"""The columns that it takes to follow vbuckets, as ``columns`` of readers name them."""

Batches: TypeAlias = Iterable[pa.RecordBatch] | pa.Table
"""Frames as readers give them, all columns or some, in the order in which they went over their connections."""


def each_batch(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The batches that have rows, one by one."""
    for batch in batches.to_batches() if isinstance(batches, pa.Table) else batches:
        if batch.num_rows:
            yield batch


class Frames:
    """A batch of decoded frames. Raises ``ValueError`` for a column that is needed and not there."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch
        for name in HEADER:
            self.column(name)

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def column(self, name: str) -> pa.Array:
        """A column of the header, or one of the reader's."""
        index = self.batch.schema.get_field_index(name)
        if index < 0:
            raise ValueError(f"the frames lack the column {name}; COLUMNS lists those that are needed")
        return self.batch.column(index)

    @cached_property
    def _rows(self) -> dict[str, Ints]:
        encoded = self.column("message").dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return {name: np.flatnonzero(codes == code) for code, name in enumerate(encoded.dictionary.to_pylist())}

    def rows(self, *messages: str) -> Ints:
        """The rows of these messages, malformed ones included, in order."""
        found = [self._rows[message] for message in messages if message in self._rows]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)

    def sound(self, message: str) -> Ints:
        """The rows of a message that could be decoded."""
        rows = self.rows(message)
        return rows[self.column(message).is_valid().to_numpy(zero_copy_only=False)[rows]] if len(rows) else rows

    @cached_property
    def malformed(self) -> Ints:
        """The rows of ``STREAMED`` that could not be decoded."""
        return np.sort(np.concatenate([np.setdiff1d(self.rows(name), self.sound(name)) for name in STREAMED]))

    @cached_property
    def damage(self) -> Ints:
        """The rows of bytes that might be anything."""
        return np.flatnonzero(self.column("message").is_null().to_numpy(zero_copy_only=False))

    def field(self, message: str, name: str, rows: Ints) -> pa.Array:
        """A field of a message in some of its rows."""
        struct = self.column(message)
        if struct.type.get_field_index(name) < 0:
            raise ValueError(f"the frames lack the column {message}.{name}; COLUMNS lists those that are needed")
        return struct.field(name).take(rows)

    def integers(self, message: str, name: str, rows: Ints, absent: int = -1) -> Ints:
        """A field of whole numbers below 2^63 in some rows of its message."""
        return _integers(self.field(message, name, rows), absent)

    @cached_property
    def vbuckets(self) -> Ints:
        """The vbucket of each row, −1 of a response."""
        return _integers(self.column("vbucket"), -1)

    @cached_property
    def stream_ids(self) -> Ints:
        """The stream id among the framing extras of each row, 0 for none."""
        found = np.zeros(len(self), np.int64)
        infos = self.column("frame_infos")
        ids = infos.flatten().field("stream_id")
        has = ids.is_valid().to_numpy(zero_copy_only=False)
        rows = pc.list_parent_indices(infos).to_numpy(zero_copy_only=False)
        found[rows[has]] = _integers(ids, 0)[has]
        return found

    def identities(self, columns: Sequence[str], known: dict[tuple[Any, ...], int]) -> Ints:
        """A number for the values of ``columns`` in each row, the same as in ``known``, which takes up new ones."""
        codes = np.zeros(len(self), np.int64)
        values: list[tuple[Any, ...]] = [()]
        for name in columns:
            encoded = self.column(name).dictionary_encode(null_encoding="encode")
            further = encoded.dictionary.to_pylist()
            both = codes * len(further) + encoded.indices.to_numpy(zero_copy_only=False)
            used, codes = np.unique(both, return_inverse=True)
            values = [(*values[one // len(further)], further[one % len(further)]) for one in used]
        return np.array([known.setdefault(value, len(known)) for value in values], np.int64)[codes]


HIGHEST = 2**63 - 1
"""No seqno is above. Readers that give them as decimals (``u64="decimal"``) let larger numbers through."""


def _integers(array: pa.Array, absent: int) -> Ints:
    if pa.types.is_decimal(array.type):
        array = pc.if_else(pc.less_equal(array, HIGHEST), array, None)
    found: Ints = array.cast(pa.int64()).fill_null(absent).to_numpy(zero_copy_only=False)
    return found


def unsigned(array: pa.Array) -> Uints:
    """Numbers below 2^64, which tables have as decimals; 0 for none."""
    found: Uints = array.cast(pa.uint64()).fill_null(0).to_numpy(zero_copy_only=False)
    return found
