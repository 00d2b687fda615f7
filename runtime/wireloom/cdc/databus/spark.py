"""The functions of this package on DataFrames: windows of tables and of streams, and the last event of each key.

A stream is followed by one task at a time, with what pyarrow follows it with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from wireloom.cdc.databus.events import EVENTS, beside
from wireloom.cdc.databus.upserts import KEY
from wireloom.cdc.databus.windows import ADDED, Windows, packed
from wireloom.extras import needed

with needed("wireloom.cdc.databus.spark", "spark"):
    from pyspark.sql import functions as fn
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.state import GroupState

ORDER = ("_file", "_offset")
"""The position of events, with the option ``positions``: files in the order of their names."""

_PARTS = "stream string, events binary"
_STATE = "position string"


def windows(
    events: DataFrame, *, stream: Sequence[str] = (), order: Sequence[str] = ORDER, drop_old: bool = False
) -> DataFrame:
    """Add to each data event its window, as ``wireloom.cdc.databus.windows`` does for batches.

    Parameters
    ----------
    events : :class:`~pyspark.sql.DataFrame`
        Events decoded in mode ``PERMISSIVE``, in a batch or a stream query.
    stream : sequence of str
        The columns that identify a Databus stream. Default: all events are of one.
    order : sequence of str
        The columns that order the events of a stream; by default those of the reader option ``positions``.
    drop_old : bool, default False
        As in the function for batches.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.

    Notes
    -----
    A task needs memory for one batch and the open window.

    In a streaming query, the events of a window appear in the micro-batch in which it ends; until then they are part of
    the query's state. ``order`` applies within a micro-batch, whose events a task holds in memory, so files must arrive
    in their order. Requires pandas and the output mode ``append``.
    """
    names = beside(events.columns)
    schema = StructType([*(events.schema[name] for name in names), *from_arrow_schema(pa.schema([*EVENTS, *ADDED]))])
    keys = tuple(stream)
    if not events.isStreaming:
        apart = events.repartition(*keys) if keys else events.repartition(1)
        ordered = apart.sortWithinPartitions(*keys, *order)
        return ordered.mapInArrow(partial(_windows, stream=keys, drop_old=drop_old), schema)
    parts = events.mapInArrow(partial(_parts, stream=keys), _PARTS).groupBy("stream")
    follow = partial(_follow, order=tuple(order), drop_old=drop_old)
    ended = parts.applyInPandasWithState(follow, "events binary", _STATE, "append", "NoTimeout")
    return ended.mapInArrow(_events, schema)


def upserts(events: DataFrame, *, order: Sequence[str] = ORDER) -> DataFrame:
    """The last event of each source and key in complete windows, as ``wireloom.cdc.databus.upserts`` gives it
    for batches.

    Parameters
    ----------
    events : :class:`~pyspark.sql.DataFrame`
        The result of ``windows``, or one micro-batch of it.
    order : sequence of str
        The columns that order the events; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The events, with all columns; rows in no order.
    """
    last = fn.max_by(fn.struct(*events.columns), fn.struct(*order))
    return events.where("complete").groupBy(*KEY).agg(last.alias("last")).select("last.*")


def _windows(batches: Iterable[pa.RecordBatch], stream: tuple[str, ...], drop_old: bool) -> Iterator[pa.RecordBatch]:
    """The windows of the streams in a partition, one stream after another."""
    known: tuple[Any, ...] | None = None
    follower = Windows(drop_old=drop_old)
    for key, part in _streams(batches, stream):
        if key != known:
            yield from _rest(follower)
            known, follower = key, Windows(drop_old=drop_old)
        yield from follower.closed([part])
    yield from _rest(follower)


def _rest(follower: Windows) -> Iterator[pa.RecordBatch]:
    if (rest := follower.rest()) is not None:
        yield rest


def _streams(
    batches: Iterable[pa.RecordBatch], stream: tuple[str, ...]
) -> Iterator[tuple[tuple[Any, ...], pa.RecordBatch]]:
    """The parts of batches whose rows are of one stream, each with the values of its columns."""
    for batch in batches:
        changes = np.zeros(max(batch.num_rows - 1, 0), np.bool_)
        for name in stream:
            codes = batch.column(name).dictionary_encode(null_encoding="encode").indices
            changes |= np.diff(codes.to_numpy()) != 0
        bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), batch.num_rows]
        for start, end in pairwise(bounds):
            if end > start:
                yield tuple(batch.column(name)[start].as_py() for name in stream), batch.slice(start, end - start)


def _parts(batches: Iterable[pa.RecordBatch], stream: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The events of each stream as values: in pandas, numbers that may be null would be floats."""
    for key, part in _streams(batches, stream):
        yield pa.RecordBatch.from_pydict({"stream": [repr(key)], "events": [packed([part])]})


def _events(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The events in values."""
    for batch in batches:
        for value in batch.column("events"):
            yield from pa.ipc.open_stream(value.as_buffer())


def _follow(_: Any, parts: Iterable[Any], state: GroupState, order: tuple[str, ...], drop_old: bool) -> Iterator[Any]:
    """The windows of a stream that end in a batch of a query."""
    import pandas as pd

    values = [value for part in parts for value in part["events"]]
    events = pa.concat_tables(pa.ipc.open_stream(value).read_all() for value in values)
    follower = Windows(state.get[0] if state.exists else None, drop_old=drop_old)
    ended = list(follower.closed(events.sort_by([(name, "ascending") for name in order])))
    state.update((follower.position,))
    if ended:
        yield pd.DataFrame({"events": [packed(ended)]})
