"""Indexes of many captures, each made by a task: ``wireloom.spark.index(spark, "<protocol>", folder)``."""

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from wireloom import registry
from wireloom.columnar.index import ForeignError, Reading, ensure, scanner_of
from wireloom.files import CaptureFile, shown
from wireloom.options import ReadOptions
from wireloom.spark.formats import resolve_protocol
from wireloom.spark.listing import chosen
from wireloom.spark.options import SourceOptions, settings
from wireloom.spark.versions import to_arrow_schema
from wireloom.spark.workers import provide

_COLUMNS = StructType(
    [
        StructField("path", StringType()),
        StructField("size", LongType()),
        StructField("places", IntegerType()),
        StructField("made", BooleanType()),
        StructField("error", StringType()),
    ]
)


def index(spark: SparkSession, protocol: str, path: str | Iterable[str], **options: object) -> DataFrame:
    """Write an index file ``<file>.wlx`` beside each large capture, so that several tasks can read it.

    Parameters
    ----------
    spark : :class:`~pyspark.sql.SparkSession`
        The session. Each file is read by a task of its own.
    protocol : str
        The protocol of the captures.
    path : str or iterable of str
        Files, directories and patterns.
    **options
        Options of the reader of ``protocol``. An index is only used by readers with the same ones.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        A row per large file: ``path``, ``size`` in bytes, the number of ``places`` at which it can be split, whether
        the index was ``made`` now (a current one is kept), and the ``error`` if the file cannot be read, its index
        cannot be written, or the index belongs to another protocol. Small files, compressed files and files of a single
        record need no index.

    Raises
    ------
    OptionError
        If the protocol or an option is unknown or wrong, or a path has no files.

    Examples
    --------
    >>> from wireloom.spark import index
    >>> index(spark, "couchbase_dcp", "examples/captures/couchbase_dcp").count()  # none is large
    0
    """
    provide(spark)
    protocol = resolve_protocol(protocol, spark)
    found = registry.protocol(protocol)
    given = {name: str(value) for name, value in options.items()}
    source = SourceOptions.of({**settings(spark), **given})
    reading = ReadOptions.of(given, found.parameters, found.messages, others=SourceOptions.names())
    listed = chosen([path] if isinstance(path, str) else path, source)
    files = [] if found.framing.to_the_end else [file for file in listed if file.takes_index]

    def indexed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = [_indexed(protocol, reading, files[number]) for batch in batches for number in batch["id"].to_pylist()]
        yield pa.RecordBatch.from_pylist(rows, to_arrow_schema(_COLUMNS))

    tasks = spark.range(0, len(files), 1, len(files) or 1)
    done = tasks.mapInArrow(indexed, _COLUMNS).collect()
    return spark.createDataFrame(done, _COLUMNS)


def _indexed(protocol: str, options: ReadOptions, file: CaptureFile) -> dict[str, object]:
    """The row of one file, after its task."""
    found = registry.protocol(protocol)
    reading = Reading.of(found.name, registry.digest(protocol), options)
    row = {"path": shown(file.path), "size": file.size, "made": False}
    try:
        places, made = ensure(file, reading, lambda: scanner_of(found, options))
    except (ForeignError, OSError) as error:
        return {**row, "error": str(error)}
    return {**row, "places": places, "made": made}
