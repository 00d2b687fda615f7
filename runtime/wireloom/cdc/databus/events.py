"""Events of both versions as one table: what each is in the stream, and its values under one name each."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LOG = logging.getLogger("wireloom")

EventBatches: TypeAlias = Iterable[pa.RecordBatch] | pa.Table
"""Events as readers give them, with all columns of ``databus`` or ``COLUMNS``, malformed ones among them, in order."""

Kinds: TypeAlias = "np.ndarray[Any, np.dtype[np.int8]]"

DATA, END, REGRESS, CHECKPOINT, CONTROL, DAMAGE = range(6)
"""The kinds of rows in a stream: a change, the end of a window, an SCN regress, a checkpoint, another control event, or
bytes that could not be decoded.
"""

DELETE, CHECKPOINT_SOURCE, REGRESS_SOURCE = 2, -3, -51
"""Numbers of the enums ``DbusOpcode`` and ``SourceId``."""

EVENTS = pa.schema(
    {
        "sequence": pa.int64(),
        "partition_id": pa.int16(),
        "logical_partition_id": pa.int16(),
        "src_id": pa.int32(),
        "opcode": pa.int16(),
        "deleted": pa.bool_(),
        "key": pa.int64(),
        "key_bytes": pa.binary(),
        "key_schema_id": pa.binary(),
        "key_schema_version": pa.int16(),
        "schema_id": pa.binary(),
        "schema_version": pa.int16(),
        "value": pa.binary(),
        "trace": pa.bool_(),
        "ext_replicated": pa.bool_(),
        "nano_timestamp": pa.int64(),
        "event_time": pa.timestamp("us", "UTC"),
    }
)
"""The columns of an event, of whichever version.

The key is ``key``, or ``key_bytes``; of a key with a schema these are its data, and the two columns of its schema are
not null. ``opcode`` is null where an event has none. Version 2 has no logical partition, and no value without payload.
"""

_SAME = (
    "sequence",
    "src_id",
    "opcode",
    "key",
    "trace",
    "ext_replicated",
    "nano_timestamp",
    "event_time",
    "end_of_period",
)
_V1: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in (*_SAME, "logical_partition_id", "key_bytes", "schema_id", "schema_version", "value")},
    "partition_id": ("physical_partition_id",),
}
_V2: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in (*_SAME, "partition_id")},
    "key_bytes": ("key_bytes", "key_with_schema.data"),
    "key_schema_id": ("key_with_schema.digest",),
    "key_schema_version": ("key_with_schema.schema_version",),
    "schema_id": ("payload.digest",),
    "schema_version": ("payload.schema_version",),
    "value": ("payload.data",),
}
"""Where a version has the values of a column; no two of the places have one in the same event."""

_STRUCTS = {"dbus_event": _V1, "dbus_event_v2": _V2}

COLUMNS = tuple(
    dict.fromkeys(
        f"{message}.{path.partition('.')[0]}"
        for message, columns in _STRUCTS.items()
        for paths in columns.values()
        for path in paths
    )
)
"""The columns that it takes to follow a stream, as ``columns`` of readers name them."""

_READ = {"end_of_period": pa.bool_()} | {field.name: field.type for field in EVENTS if field.name != "deleted"}
_OWN = {"message", "byte_order", "version", *_STRUCTS, "_corrupt_record", "_corrupt_reason"}


def each_batch(batches: EventBatches) -> Iterator[pa.RecordBatch]:
    """The batches that have rows, one by one."""
    for batch in batches.to_batches() if isinstance(batches, pa.Table) else batches:
        if batch.num_rows:
            yield batch


def beside(columns: Iterable[str]) -> list[str]:
    """The columns that are not those of ``databus``, such as ``_file``, which events keep.

    Raises ``ValueError`` if one has the name of a column of events.
    """
    found = [name for name in columns if name not in _OWN]
    taken = set(found) & set(EVENTS.names)
    if taken:
        raise ValueError(f"the events have a column {min(taken)}, which conflicts with a field of events; rename it")
    return found


def events(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, Kinds]:
    """The rows of a batch as events, and what each of them is; all is null in a row that is ``DAMAGE``.

    Raises ``ValueError`` for a column that is not there.
    """
    found = [name for name in _STRUCTS if name in batch.schema.names]
    if not found:
        raise ValueError("the events have neither the column dbus_event nor dbus_event_v2")
    known = {}
    for name, kind in _READ.items():
        columns = [_field(batch, message, path) for message in found for path in _STRUCTS[message].get(name, ())]
        known[name] = pc.coalesce(pa.nulls(batch.num_rows, kind), *(column.cast(kind) for column in columns))
    known["opcode"] = pc.if_else(pc.equal(known["opcode"], 0), None, known["opcode"])
    known["deleted"] = pc.fill_null(pc.equal(known["opcode"], DELETE), False)
    stay = beside(batch.schema.names)
    columns = [*map(batch.column, stay), *(known[name] for name in EVENTS.names)]
    schema = pa.schema([*map(batch.schema.field, stay), *EVENTS])
    return pa.RecordBatch.from_arrays(columns, schema=schema), _kinds(known)


def _field(batch: pa.RecordBatch, message: str, path: str) -> pa.Array:
    """A field of a message in all rows, null in those of other messages."""
    try:
        return pc.struct_field(batch.column(message), path.split("."))
    except pa.ArrowInvalid:
        raise ValueError(f"the events lack the column {message}.{path}; COLUMNS lists those that are needed") from None


def _kinds(known: Mapping[str, pa.Array]) -> Kinds:
    sources = known["src_id"].fill_null(0).to_numpy(zero_copy_only=False)
    kinds = np.where(sources >= 0, np.int8(DATA), np.int8(CONTROL))
    kinds[sources == CHECKPOINT_SOURCE] = CHECKPOINT
    kinds[sources == REGRESS_SOURCE] = REGRESS
    kinds[known["end_of_period"].fill_null(False).to_numpy(zero_copy_only=False)] = END
    kinds[known["sequence"].is_null().to_numpy(zero_copy_only=False)] = DAMAGE
    return kinds
