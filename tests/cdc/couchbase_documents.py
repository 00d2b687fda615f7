"""Sessions that are written by hand, and the documents after them."""

from typing import Any

import pyarrow as pa
from support import dcp_sessions as dcp

from wireloom.cdc.couchbase import latest

A, B, C = (0xA, 0), (0xB, 4), (0xC, 2)
"""Branches: A is the first, B began at seqno 4, C at 2."""


def documents(table: pa.Table) -> dict[str, tuple[int, str | None]]:
    """By key the seqno, and the document or why it is gone."""
    rows = table.select(["document_key", "by_seqno", "json", "removed"]).to_pylist()
    found = {row["document_key"]: (row["by_seqno"], row["removed"] or row["json"]) for row in rows}
    assert len(found) == len(rows)
    return found


def told(frames: Any, **options: Any) -> dict[str, tuple[int, str | None]]:
    """The latest documents, the same from one batch and from one batch a frame."""
    table = dcp.decoded(frames)
    whole = latest(table, **options)
    assert latest(dcp.in_pieces(table, 1), **options).to_pylist() == whole.to_pylist()
    return documents(whole)


WRITTEN = [
    *dcp.stream(1, 0, A),
    dcp.marker(1, 0, 4),
    dcp.mutation(1, 1, "a", "a1"),
    dcp.mutation(1, 2, "b", "b2"),
    dcp.mutation(1, 3, "a", "a3"),
    dcp.mutation(1, 4, "c", "c4"),
]


ROLLED_BACK = [
    *WRITTEN,
    dcp.marker(1, 5, 9),
    dcp.mutation(1, 5, "a", "a5"),
    dcp.deletion(1, 6, "b"),
    dcp.mutation(1, 7, "d", "d7"),
    dcp.request(1, 7, 0xA),
    dcp.rolls_back(1, 4),
]


OF_COLLECTIONS = [
    *dcp.stream(1, 0, A),
    dcp.created(1, 1, 8),
    dcp.mutation(1, 2, "a", "a2", collection=8),
    dcp.mutation(1, 3, "b", "b3", collection=9),
]


PREPARED = [*WRITTEN, dcp.marker(1, 5, 20), dcp.prepare(1, 5, "a", "a5"), dcp.prepare(1, 6, "e", "e6")]


AFTER = [
    *dcp.stream(1, 4, B, A),
    dcp.marker(1, 4, 30),
    dcp.mutation(1, 5, "e", "e5"),
    dcp.deletion(1, 6, "c"),
    dcp.prepare(1, 7, "b", "b7"),
    dcp.ended("commit", 1, 7, 8, "b"),
    dcp.mutation(1, 9, "f", "f9", collection=8),
    dcp.dropped(1, 10, 8),
    dcp.mutation(1, 11, "g", "g11"),
]
