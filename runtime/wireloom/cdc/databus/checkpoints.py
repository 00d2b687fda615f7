"""Checkpoints in a stream, as a table of positions."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from wireloom.cdc.databus.events import CHECKPOINT, EVENTS, REGRESS, EventBatches, each_batch, events

POSITION = pa.schema(
    {
        "consumption_mode": pa.string(),
        "prevScn": pa.int64(),
        "windowScn": pa.int64(),
        "windowOffset": pa.int64(),
        "tsNsecs": pa.int64(),
        "snapshot_offset": pa.int64(),
        "bootstrap_since_scn": pa.int64(),
        "bootstrap_start_scn": pa.int64(),
        "bootstrap_target_scn": pa.int64(),
        "bootstrap_snapshot_source_index": pa.int64(),
        "bootstrap_catchup_source_index": pa.int64(),
    }
)
"""The fields of a checkpoint, by its own names."""

_TAKEN = ("sequence", "partition_id", "nano_timestamp")
_FITS = range(-(1 << 63), 1 << 63)
_LONE = re.compile("[\ud800-\udfff]")
"""Half a pair of surrogates, which JSON can escape, and no column has."""


def checkpoints(batches: EventBatches) -> Iterator[pa.RecordBatch]:
    """The checkpoints of a Databus stream, and its SCN regresses, which name the checkpoint that the stream returns to.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The decoded events, of version 1, 2 or both, with at least ``COLUMNS``.

    Yields
    ------
    pyarrow.RecordBatch
        A row per checkpoint: ``sequence``, ``partition_id`` and ``nano_timestamp`` of the event; ``regress``, true for
        an SCN regress; the columns of ``POSITION``, by the names that the JSON of Java's ``Checkpoint`` has, null if it
        lacks them; ``checkpoint``, the whole JSON, null if it is not an object; and the columns that are not those of
        ``databus``, such as ``_file``.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    for batch in each_batch(batches):
        rows, kinds = events(batch)
        chosen = np.flatnonzero((kinds == CHECKPOINT) | (kinds == REGRESS))
        if len(chosen):
            yield _positions(rows.take(pa.array(chosen)), pa.array(kinds[chosen] == REGRESS))


def _positions(rows: pa.RecordBatch, regress: pa.Array) -> pa.RecordBatch:
    texts = [_text(value) for value in rows.column("value").to_pylist()]
    told = [json.loads(text) if text is not None else {} for text in texts]
    taken = [name for name in rows.schema.names if name in _TAKEN or name not in EVENTS.names]
    columns = {name: rows.column(name) for name in taken}
    columns["regress"] = regress
    for name, kind in zip(POSITION.names, POSITION.types, strict=True):
        columns[name] = pa.array([_fitting(each.get(name), kind) for each in told], kind)
    columns["checkpoint"] = pa.array(texts, pa.string())
    return pa.RecordBatch.from_pydict(columns)


def _text(value: bytes | None) -> str | None:
    """The JSON of a checkpoint, or None if it is not an object."""
    try:
        text = (value or b"").decode()
        return text if isinstance(json.loads(text), dict) else None
    except (ValueError, RecursionError):
        return None


def _fitting(value: object, kind: pa.DataType) -> object:
    """The value if a column of this kind can have it, else None."""
    if kind == pa.string():
        return value if isinstance(value, str) and not _LONE.search(value) else None
    return value if type(value) is int and value in _FITS else None
