"""From recorded packets that were decoded in parallel to the records of each conversation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from wireloom import registry
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.provenance import NO_TIME
from wireloom.columnar.traffic.payloads import COLUMNS, Carried, carried_by
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.rows import PacketRows
from wireloom.options import Mode, OptionError, ReadOptions
from wireloom.spark.formats import resolve_protocol
from wireloom.spark.names import Resolver, with_known_names
from wireloom.spark.schemas import arrow_schema, named_columns, spark_schema
from wireloom.spark.workers import brief

NEEDED = ("_time", "_file", "_offset")
"""When and where packets were captured."""
_ENDS, _CLOCK = "_ends", "_clock"
"""What packets of a conversation have in common, and the latest time in a file so far."""


def conversations(packets: DataFrame, protocol: str, **options: object) -> DataFrame:
    """Decode a protocol from recorded packets, with each conversation in order, even if it spans files.

    Parameters
    ----------
    packets : :class:`~pyspark.sql.DataFrame`
        Packets of one file, or of many rotated ones, read with ``format("packets")`` and the options ``positions`` and
        ``connections``.
    protocol : str
        The protocol that the packets carry.
    **options
        Options of the reader of ``protocol``, such as ``mode``, ``message``, ``columns``, ``ports`` and ``hosts``;
        ``mode`` is ``PERMISSIVE`` by default. Not ``positions`` and ``tunnels``.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        The columns of ``protocol``, with ``_time``, ``_connection``, ``_from_client`` and ``_gap_before`` (missing
        bytes before the record). Conversations are in no order; records of one are in the order in which they were
        sent.

    Raises
    ------
    OptionError
        If ``packets`` lack a column, or an option is unknown or wrong.

    Notes
    -----
    Packets are shuffled by conversation; one task reads all packets of a conversation.

    Examples
    --------
    >>> from wireloom.spark import conversations, register
    >>> register(spark)
    >>> reader = spark.read.format("packets").option("positions", True).option("connections", True)
    >>> packets = reader.load("examples/captures/traffic/session.pcap")
    >>> frames = conversations(packets, "couchbase_dcp").where("_corrupt_reason IS NULL")
    >>> frames.groupBy("_from_client").count().orderBy("_from_client").show()
    +------------+-----+
    |_from_client|count|
    +------------+-----+
    |       false|   18|
    |        true|    6|
    +------------+-----+
    """
    protocol = resolve_protocol(protocol, packets.sparkSession)
    found = registry.protocol(protocol)
    chosen = ReadOptions.of({**options, "connections": True}, found.parameters, found.messages, Mode.PERMISSIVE)
    if chosen.positions:
        raise OptionError("positions is not an option here: records of a conversation may come from several files")
    if chosen.tunnels:
        raise OptionError(
            "tunnels is not an option here: packets are grouped by the ends of tunnels; read the captures with"
            " tunnels instead"
        )
    needed = {path.partition(".")[0] for path in COLUMNS} | {*NEEDED}
    packets = with_known_names(packets, needed)
    for name in sorted(needed - {*packets.columns}):
        raise OptionError(
            f"packets lack the column {name}; read them with format('packets') and the options positions and"
            f" connections"
        )
    chosen = chosen._replace(columns=named_columns(protocol, chosen, Resolver.of(packets.sparkSession)))
    schema = spark_schema(protocol, chosen)
    together = packets.select(*_selected(), *NEEDED, _ends().alias(_ENDS)).repartition(_ENDS)
    ordered = together.withColumn(_CLOCK, _clock()).sortWithinPartitions(_CLOCK, "_file", "_offset")
    return ordered.drop(_ENDS, _CLOCK).mapInArrow(_Following(protocol, chosen, schema), schema)


def _selected() -> Iterator[Column]:
    """The columns that are read of packets, and of structs the fields."""
    structs: dict[str, list[str]] = {}
    for path in COLUMNS:
        name, _, field = path.partition(".")
        structs.setdefault(name, []).extend([field] if field else [])
    for name, fields in structs.items():
        column = fn.col(name)
        part = fn.struct(*(column[field] for field in fields)) if fields else column
        yield fn.when(column.isNotNull(), part).alias(name)


def _clock() -> Column:
    """The latest time that a file has up to a packet. By it, packets of several files are in the order of their times,
    and those of one file in the order of the file, because clocks of interfaces differ and are set back.
    """
    return fn.max("_time").over(Window.partitionBy(_ENDS, "_file").orderBy("_offset"))


def _ends() -> Column:
    """A number by the two ends of a packet, whichever sent it; of a fragment, which may have no ports, also by what
    packet it is of.
    """
    source, target = (
        fn.struct(
            fn.coalesce(fn.col("ipv4")[end], fn.col("ipv6")[end]),
            fn.coalesce(fn.col("tcp")[f"{end}_port"], fn.col("udp")[f"{end}_port"]),
        )
        for end in ("source", "destination")
    )
    ends = fn.array_sort(fn.array(source, target))
    return fn.xxhash64(ends, fn.when(fn.col("message") == "fragment", fn.col("identification")))


@dataclass(frozen=True)
class _Following:
    """Follows the conversations of a partition."""

    protocol: str
    options: ReadOptions
    schema: StructType

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = registry.protocol(self.protocol)
        decoder = Decoder(found, self.options, arrow_schema(self.schema))
        traffic = Traffic(decoder)
        with brief():
            for cuts in traffic.follow(_carried(batches, traffic)):
                yield from decoder.cuts(cuts, "")


def _carried(batches: Iterable[pa.RecordBatch], traffic: Traffic) -> Iterator[Iterator[Carried]]:
    """What packets carry, batch by batch."""
    count = 0
    for batch in batches:
        rows, every = PacketRows(batch), np.arange(batch.num_rows)
        times = np.full(batch.num_rows, NO_TIME)
        timed = rows.there("_time")
        times[timed] = rows.numbers("_time", timed) * 1000
        known = np.stack([count + every, times, rows.numbers("_offset", every), np.zeros_like(every)], axis=1)
        count += batch.num_rows
        yield carried_by(rows, known, traffic.fragments, traffic.stats)
