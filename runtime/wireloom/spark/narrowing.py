"""Rows of one message out of the wide rows of its protocol."""

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from wireloom import registry
from wireloom.codec import Protocol
from wireloom.options import OptionError, unknown
from wireloom.spark.formats import resolve_protocol
from wireloom.spark.names import with_known_names
from wireloom.views import NO_MESSAGE


def narrow(rows: DataFrame, protocol: str, message: str) -> DataFrame:
    """Select the rows of one message, and replace the structs of messages by its fields.

    Parameters
    ----------
    rows : :class:`~pyspark.sql.DataFrame`
        Rows with the column ``message``, the struct of the message, and any other columns. They may be a stream.
    protocol : str
        The protocol of the rows.
    message : str
        A message of the protocol, or ``no-message`` for malformed records whose message is unknown; those have no
        fields of a message.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The rows of ``message`` alone, with the columns of ``rows`` but for structs of messages, and the fields of
        ``message``.

    Raises
    ------
    OptionError
        If the message is unknown, a column is missing, or another column has the name of a field.

    Examples
    --------
    >>> from wireloom.spark import narrow, register
    >>> register(spark, "couchbase_dcp")
    >>> frames = spark.read.format("couchbase_dcp").load("examples/captures/couchbase_dcp/session.bin")
    >>> narrow(frames, "couchbase_dcp", "snapshot_marker").select("vbucket", "start_seqno", "end_seqno").columns
    ['vbucket', 'start_seqno', 'end_seqno']
    """
    found = registry.protocol(resolve_protocol(protocol, rows.sparkSession))
    if message not in (*found.messages, NO_MESSAGE):
        raise OptionError(unknown("message", message, (*found.messages, NO_MESSAGE)))
    rows = with_known_names(rows, ("message", *found.messages))
    if "message" not in rows.columns:
        raise OptionError("narrow needs the column message")
    paths = list(_paths(rows, found, message))
    known: set[str] = set()
    for *_, name in paths:
        if name.lower() in known:  # as Spark sees names
            raise OptionError(
                f"{message} has a field {name}, and the rows have another column of that name; rename that one first"
            )
        known.add(name.lower())
    wanted = fn.col("message")
    return rows.where(wanted.isNull() if message == NO_MESSAGE else wanted == message).select(*map(_column, paths))


def _paths(rows: DataFrame, protocol: Protocol, message: str) -> Iterator[tuple[str, ...]]:
    """The columns of the rows of a message, and the fields of its struct, in the order of the DataFrame."""
    if message != NO_MESSAGE and message not in rows.columns:
        raise OptionError(f"narrow needs the column {message}; read it, without the option message")
    for name in rows.columns:
        if name == message:
            yield from ((name, field) for field in rows.select(f"{name}.*").columns)
        elif name not in protocol.messages:
            yield (name,)


def _column(path: tuple[str, ...]) -> Column:
    """The column at a path, whatever its names have in them."""
    return fn.col(".".join(f"`{name.replace('`', '``')}`" for name in path))
