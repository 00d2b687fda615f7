"""Windows of streams of Databus in Spark, of tables and of streams, as ``wireloom.cdc.databus`` gives them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.state import GroupStateTimeout

from wireloom.cdc.databus.windows import Windows, packed, schema_of
from wireloom.spark.versions import to_arrow_schema

if TYPE_CHECKING:
    from pyspark.sql.streaming.state import GroupState

_PACKED = "stream string, events binary"
_STATE = "position string"


def windows(
    events: DataFrame,
    *,
    stream: Sequence[str] = (),
    order: Sequence[str] = ("_file", "_offset"),
    drop_old: bool = False,
) -> DataFrame:
    """The data events of streams, each with the window that it is in: the columns of ``wireloom.cdc.databus.windows``.

    ``events`` are decoded in mode ``PERMISSIVE``, with ``positions`` or other columns that ``order`` names, which tell
    the order of a stream. The columns ``stream`` tell streams apart; without, all are one. Each stream is followed by
    one task, batch by batch.

    If ``events`` are a stream of Spark, a window is given in the batch in which it ends, and not before. What is held
    is part of the query's state. Within a batch ``order`` counts; a batch is behind those before it, so files have to
    arrive in their order. Needs pandas, for the state, and the output mode ``append``.
    """
    schema = from_arrow_schema(schema_of(to_arrow_schema(events.schema)))
    keys = tuple(stream)
    if events.isStreaming:
        packed = events.mapInArrow(partial(_pack, stream=keys), _PACKED).groupBy("stream")
        follow = partial(_follow, order=tuple(order), drop_old=drop_old)
        ended = packed.applyInPandasWithState(follow, "events binary", _STATE, "append", GroupStateTimeout.NoTimeout)
        return ended.mapInArrow(_unpack, schema)
    together = events.repartition(*keys) if keys else events.repartition(1)
    ordered = together.sortWithinPartitions(*keys, *order)
    return ordered.mapInArrow(partial(_windows, stream=keys, drop_old=drop_old), schema)


def _windows(batches: Iterable[pa.RecordBatch], stream: tuple[str, ...], drop_old: bool) -> Iterator[pa.RecordBatch]:
    """The windows of the streams in a partition, which come one behind the other."""
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


def _pack(batches: Iterable[pa.RecordBatch], stream: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The parts of batches as values, since numbers that may be null would be floats in pandas."""
    for key, part in _streams(batches, stream):
        yield pa.RecordBatch.from_pydict({"stream": [repr(key)], "events": [packed([part])]})


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for value in batch.column("events"):
            yield from pa.ipc.open_stream(value.as_buffer())


def _follow(_: Any, parts: Iterable[Any], state: "GroupState", order: tuple[str, ...], drop_old: bool) -> Iterator[Any]:
    """The windows of a stream that end in a batch of a query."""
    import pandas as pd

    values = [value for part in parts for value in part["events"]]
    events = pa.concat_tables(pa.ipc.open_stream(value).read_all() for value in values)
    follower = Windows(state.get[0] if state.exists else None, drop_old=drop_old)
    ended = list(follower.closed(events.sort_by([(name, "ascending") for name in order])))
    state.update((follower.position,))
    if ended:
        yield pd.DataFrame({"events": [packed(ended)]})
