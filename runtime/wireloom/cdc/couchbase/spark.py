"""The functions of this package on DataFrames: each vbucket is a group, and what pyarrow makes of it is the result.

A response says no vbucket, so it is first brought together with its request by ``wireloom.spark.paired``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from wireloom.cdc.couchbase.follow import follow as followed
from wireloom.cdc.couchbase.follow import followed_schema
from wireloom.cdc.couchbase.frames import REQUESTS, RESPONSES, STREAMED
from wireloom.cdc.couchbase.history import History
from wireloom.cdc.couchbase.versions import STATE_COLUMNS
from wireloom.extras import needed
from wireloom.pairing import REQUEST

with needed("wireloom.cdc.couchbase.spark", "spark"):
    from pyspark.sql import functions as fn
    from pyspark.sql.pandas.types import from_arrow_schema

    from wireloom.spark.pairing import ORDER, paired
    from wireloom.spark.versions import to_arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_GROUP = "_vbucket_of_stream"


def follow(frames: DataFrame, *, connection: Sequence[str] = (), order: Sequence[str] = ORDER) -> DataFrame:
    """Add to each frame its place in its stream, as ``wireloom.cdc.couchbase.follow`` does for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``COLUMNS``.
    connection : sequence of str
        The columns that identify a connection.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        ``frames`` with the added columns; rows in no order.
    """

    def made(table: pa.Table) -> pa.Table:
        return pa.Table.from_batches(followed(table, connection=connection), followed_schema(table.schema))

    return _by_vbucket(frames, connection, connection, order, made)


def latest(
    frames: DataFrame,
    *,
    removed: bool = False,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    order: Sequence[str] = ORDER,
) -> DataFrame:
    """The newest version of each document, as ``wireloom.cdc.couchbase.latest`` gives it for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``STATE_COLUMNS``.
    removed : bool, default False
        Also give a row for each key that was removed.
    connection, source : sequence of str
        The columns that identify a connection, and whose vbuckets they are, as in the function for batches.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.

    Notes
    -----
    A task needs memory for all versions of one vbucket.
    """
    return _states(frames, lambda history: history.latest(removed=removed), connection, source, order)


def changes(
    frames: DataFrame,
    since: DataFrame | None = None,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    order: Sequence[str] = ORDER,
) -> DataFrame:
    """The upserts and deletes since a position, as ``wireloom.cdc.couchbase.changes`` gives them for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``STATE_COLUMNS``.
    since : :class:`~pyspark.sql.DataFrame`, optional
        A result of ``positions``, a row per stream. It is collected by the driver.
    connection, source : sequence of str
        The columns that identify a connection, and whose vbuckets they are, as in the function for batches.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.
    """
    positions = None if since is None else since.toArrow()
    return _states(frames, lambda history: history.changes(positions), connection, source, order)


def dropped(
    frames: DataFrame, *, connection: Sequence[str] = (), source: Sequence[str] = (), order: Sequence[str] = ORDER
) -> DataFrame:
    """The versions that rollbacks have undone, as ``wireloom.cdc.couchbase.dropped`` gives them for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``STATE_COLUMNS``.
    connection, source : sequence of str
        The columns that identify a connection, and whose vbuckets they are, as in the function for batches.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.
    """
    return _states(frames, History.dropped, connection, source, order)


def omissions(
    frames: DataFrame, *, connection: Sequence[str] = (), source: Sequence[str] = (), order: Sequence[str] = ORDER
) -> DataFrame:
    """The frames that could not be used, as ``wireloom.cdc.couchbase.omissions`` gives them for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``STATE_COLUMNS``.
    connection, source : sequence of str
        The columns that identify a connection, and whose vbuckets they are, as in the function for batches.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.
    """
    return _states(frames, History.omissions, connection, source, order)


def positions(
    frames: DataFrame, *, connection: Sequence[str] = (), source: Sequence[str] = (), order: Sequence[str] = ORDER
) -> DataFrame:
    """The position in each stream, as ``wireloom.cdc.couchbase.positions`` gives it for batches.

    Parameters
    ----------
    frames : :class:`~pyspark.sql.DataFrame`
        The frames, with at least ``STATE_COLUMNS``.
    connection, source : sequence of str
        The columns that identify a connection, and whose vbuckets they are, as in the function for batches.
    order : sequence of str
        The columns that order the frames of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of the function for batches; rows in no order.
    """
    return _states(frames, History.positions, connection, source, order)


def _states(
    frames: DataFrame,
    state: Callable[[History], pa.Table],
    connection: Sequence[str],
    source: Sequence[str],
    order: Sequence[str],
) -> DataFrame:
    """What ``state`` computes from the history of each vbucket."""

    def made(table: pa.Table) -> pa.Table:
        return state(History(table, connection=connection, source=source))

    taken = {*(path.partition(".")[0] for path in STATE_COLUMNS), *connection, *source, *order}
    streamed = frames.where(fn.col("message").isin(*STREAMED) | fn.col("message").isNull())
    narrow = streamed.select(*(name for name in frames.columns if name in taken))
    return _by_vbucket(narrow, [*source, *connection], source, order, made)


def _by_vbucket(
    frames: DataFrame,
    connection: Sequence[str],
    groups: Sequence[str],
    order: Sequence[str],
    made: Callable[[pa.Table], pa.Table],
) -> DataFrame:
    """What ``made`` gives for the frames of each vbucket, in order, with responses beside those of their request."""

    response = fn.coalesce(fn.col("message").isin(*RESPONSES), fn.lit(False))
    asked = frames.where(fn.col("message").isin(*REQUESTS, *RESPONSES))
    answered = paired(asked, "couchbase_dcp", connection=connection, order=order)
    responses = answered.where(response).select(*frames.columns, fn.col(f"{REQUEST}.vbucket").alias(_GROUP))
    marked = frames.where(~response).withColumn(_GROUP, fn.col("vbucket"))
    schema = from_arrow_schema(made(frames.limit(0).toArrow()).schema)
    types = to_arrow_schema(schema)

    def grouped(table: pa.Table) -> pa.Table:
        return made(_ordered(table.drop_columns(_GROUP), order)).cast(types)  # times come in the session's zone

    whole = marked.unionByName(responses).groupBy(*groups, _GROUP)
    return whole.applyInArrow(grouped, schema)


def _ordered(table: pa.Table, order: Sequence[str]) -> pa.Table:
    return table.sort_by([(name, "ascending") for name in order])
