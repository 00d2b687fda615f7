"""Requests beside their answers in DataFrames, with the results of ``wireloom.pairing``."""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from wireloom import registry
from wireloom.codec import Protocol
from wireloom.codec.matching import Selection
from wireloom.options import OptionError
from wireloom.pairing import (
    LATEST,
    NONE,
    OLDEST,
    PAIRING,
    REQUEST,
    Conversation,
    conversations,
    fields_beside,
    of_header,
)
from wireloom.spark.formats import resolve_protocol
from wireloom.spark.names import with_known_names
from wireloom.views import REASON

ORDER = ("_file", "_offset")
"""The position of records, with the option ``positions``: files in the order of their names."""
_ROLE, _DEPTH, _LOW, _WAITING, _NUMBER, _ASKED, _LATEST = (
    f"_pairing_{name}" for name in ("role", "depth", "low", "waiting", "number", "asked", "latest")
)
"""Columns on the way. A role has the ``kind`` of a row, the ``key`` that a request and its answers have, whether it is
``quiet``, whether it ``asks``, and whether it is the ``last`` answer.
"""


def paired(
    rows: DataFrame, protocol: str, *, connection: Sequence[str] = ("_file",), order: Sequence[str] = ORDER
) -> DataFrame:
    """Add to each response the request that it answers.

    Parameters
    ----------
    rows : :class:`~pyspark.sql.DataFrame`
        Rows of ``protocol``, or some of its columns, with those of ``connection`` and ``order``.
    protocol : str
        The protocol of the rows. Its spec determines which messages answer which, and by which fields.
    connection : sequence of str
        The columns that identify a connection.
    order : sequence of str
        The columns that order the rows of a connection; by default those of the reader option ``positions``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        ``rows`` with ``request``, a struct with the columns of the request, and ``_pairing``, which says if there was
        no request or the choice is uncertain, as ``wireloom.pairing.pair`` adds them. The rows are in no order.

    Raises
    ------
    OptionError
        If a column is missing.

    Notes
    -----
    Requests and responses are shuffled by connection and by the fields that match them.

    Examples
    --------
    >>> from wireloom.spark import paired, register
    >>> register(spark, "couchbase_dcp")
    >>> reader = spark.read.format("couchbase_dcp").option("positions", True)
    >>> frames = paired(reader.load("examples/captures/couchbase_dcp/session.bin"), "couchbase_dcp")
    >>> answered = frames.where("message = 'failover_log_response' AND request IS NOT NULL")
    >>> answered.select("opaque", "request.vbucket").orderBy("opaque").show()
    +------+-------+
    |opaque|vbucket|
    +------+-------+
    |   100|      0|
    |   101|      1|
    |   102|      2|
    |   103|      3|
    +------+-------+
    """
    found = registry.protocol(resolve_protocol(protocol, rows.sparkSession))
    every = conversations(found)
    rows = with_known_names(rows, (*(column.name for column in found.columns), *connection, *order))
    for name in ("message", *connection, *order, *(name for talk in every for name in of_header(talk, found))):
        if name not in rows.columns:
            raise OptionError(f"the rows lack the column {name}, which matches requests")
    sound = _sound(rows, every)
    answers = fn.coalesce(sound & _is_any([talk.responses for talk in every]), fn.lit(False))
    roles = [
        _role(rows, found, [(talk, talk.responses) for talk in every], asks=False),
        _role(rows, found, [(talk, talk.requests) for talk in every], asks=True),
    ]
    request = fn.struct(*fields_beside(rows.columns, found, connection))
    both = rows.where(sound).withColumn(_ROLE, fn.explode(fn.array_compact(fn.array(*roles))))
    both = both.withColumn(REQUEST, fn.when(_of_role("asks"), request))
    others = rows.where(~answers).select(
        "*", fn.lit(None).cast(both.schema[REQUEST].dataType).alias(REQUEST), fn.lit(None).cast("string").alias(PAIRING)
    )
    return _matched(both, connection, order).select(*rows.columns, REQUEST, PAIRING).unionByName(others)


def _sound(rows: DataFrame, every: Sequence[Conversation]) -> Column:
    """Whether a row is not malformed: such have a reason, and nothing in the struct of their message."""
    if REASON.name in rows.columns:
        return fn.col(REASON.name).isNull()
    messages = {name for talk in every for name in (*talk.requests, *talk.responses)} & set(rows.columns)
    lacking = [(fn.col("message") == name) & fn.col(name).isNull() for name in sorted(messages)]
    return ~reduce(or_, lacking, fn.lit(False))


def _matched(both: DataFrame, connection: Sequence[str], order: Sequence[str]) -> DataFrame:
    """The answers with their requests: the oldest that waits, or the latest of quiet ones."""
    group: list[Column | str] = [*connection, _of_role("kind"), _of_role("key")]
    ordered = Window.partitionBy(*group).orderBy(*order)
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    asks, last, quiet = _of_role("asks"), _of_role("last"), _of_role("quiet")
    found = both.withColumn(_DEPTH, fn.sum(fn.when(asks, 1).when(last, -1).otherwise(0)).over(so_far))
    found = found.withColumn(_LOW, fn.least(fn.lit(0), fn.min(_DEPTH).over(so_far)))
    waiting = fn.lag(fn.col(_DEPTH) - fn.col(_LOW), default=0).over(ordered)
    found = found.withColumns(
        {
            _WAITING: waiting,
            _ASKED: fn.sum(asks.cast("long")).over(so_far),
            _LATEST: fn.last(REQUEST, ignorenulls=True).over(so_far),
        }
    )
    answered = (last & (fn.col(_WAITING) > 0)).cast("long")
    oldest = fn.when(fn.col(_WAITING) > 0, fn.sum(answered).over(so_far) - answered + 1)
    found = found.withColumn(_NUMBER, fn.when(asks, fn.col(_ASKED)).otherwise(oldest))
    by_number = fn.first(REQUEST, ignorenulls=True).over(Window.partitionBy(*group, _NUMBER))
    request = fn.when(quiet, fn.col(_LATEST)).when(fn.col(_NUMBER).isNotNull(), by_number)
    found = found.withColumn(REQUEST, fn.when(_of_role("key").isNotNull(), request)).where(~asks)
    choices = fn.when(quiet, fn.col(_ASKED)).otherwise(fn.col(_WAITING))
    text = fn.when(quiet, _with(LATEST, choices)).otherwise(_with(OLDEST, choices))
    return found.withColumn(PAIRING, fn.when(fn.col(REQUEST).isNull(), NONE).when(choices > 1, text))


def _with(text: str, number: Column) -> Column:
    return fn.format_string(text.replace("{}", "%d"), number)


def _of_role(name: str) -> Column:
    return fn.col(_ROLE)[name]


def _is_any(messages: Sequence[Sequence[str]]) -> Column:
    return fn.col("message").isin([name for names in messages for name in names])


def _role(
    rows: DataFrame, protocol: Protocol, messages: Sequence[tuple[Conversation, Sequence[str]]], *, asks: bool
) -> Column:
    """The role of a row of one of these messages; null for others."""
    found = fn.lit(None)
    for number, (talk, names) in enumerate(messages):
        values = {name: _value(rows, name, talk, protocol, names) for name in talk.by}
        key = fn.concat_ws(" ", *map(_text, values.values()))
        known = reduce(and_, [value.isNotNull() for value in values.values()])
        quiet = [reduce(and_, [_selected(values[name], some) for name, some in each.items()]) for each in talk.quiet]
        role = fn.struct(
            fn.lit(number).alias("kind"),
            fn.when(known, key).alias("key"),
            reduce(or_, quiet, fn.lit(False)).alias("quiet"),
            fn.lit(asks).alias("asks"),
            (fn.lit(False) if asks else ~_more(rows, talk)).alias("last"),
        )
        found = fn.when(_is_any([names]), role).otherwise(found)
    return found


def _value(rows: DataFrame, name: str, talk: Conversation, protocol: Protocol, messages: Sequence[str]) -> Column:
    """A field of the header, or of the messages themselves."""
    if name in of_header(talk, protocol):
        return fn.col(name)
    return fn.coalesce(*(fn.col(message)[name] for message in messages if message in rows.columns))


def _text(value: Column) -> Column:
    """The value as a text without blanks."""
    return fn.hex(value.cast("string"))


def _selected(value: Column, values: Selection) -> Column:
    spans = [value.between(least, most) for least, most in values.spans]
    return reduce(or_, spans, value.isin(list(values.listed)))


def _more(rows: DataFrame, talk: Conversation) -> Column:
    """Whether another answer to the same request follows this one."""
    named = [
        (fn.col("message") == message) & fn.col(message)["variant"].isin(list(variants))
        for message, variants in talk.more.items()
        if variants and message in rows.columns
    ]
    return fn.coalesce(reduce(or_, named, fn.lit(False)), fn.lit(False))
