"""One Spark data source for each protocol: ``spark.read.format("<protocol>").load(path)``.

Everything that travels to executors is plain: names, paths, options. Generated modules are imported where they are
needed, since parsers cannot be pickled.
"""

import warnings
from collections.abc import Mapping
from typing import ClassVar

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceWriter
from pyspark.sql.types import StructType

from wireloom import registry
from wireloom.options import OptionError, ReadOptions
from wireloom.spark.options import SourceOptions, WriteOptions, split_paths
from wireloom.spark.reading import CaptureReader, FilteringReader
from wireloom.spark.schemas import must_offer, spark_schema
from wireloom.spark.streaming import CaptureStreamReader, TakenReader
from wireloom.spark.workers import provide
from wireloom.spark.writing import CaptureWriter

TAKEN = (
    "avro", "binaryFile", "console", "csv", "hive", "image", "jdbc", "json", "kafka", "libsvm", "memory", "noop", "orc",
    "parquet", "rate", "rate-micro-batch", "socket", "state-metadata", "statestore", "text", "xml",
)  # fmt: skip
"""The formats of Spark and of what comes with it. Spark finds these before registered ones."""


def register(spark: SparkSession, *protocols: str, name: str | None = None) -> None:
    """Register protocols as formats of ``spark.read``: all installed ones, or those named.

    A format has its protocol's name, or ``name`` if there is only one. Of the installed protocols, one that cannot be
    registered is left out, with a warning; a named one raises ``OptionError``.
    """
    if name is not None and len(protocols) != 1:
        raise OptionError("name is what one protocol is called; name that protocol")
    provide(spark)
    for protocol in protocols or registry.names():
        try:
            source = source_of(protocol, name)
        except OptionError as error:
            if protocols:
                raise
            warnings.warn(f"{protocol} is not registered: {error}", stacklevel=2)
        else:
            spark.dataSource.register(source)


def source_of(protocol: str, name: str | None = None) -> type[DataSource]:
    """The data source of a protocol, under its own name or another. Raises ``OptionError`` if Spark has that name."""
    name = registry.protocol(protocol).name if name is None else name
    if name.lower() in map(str.lower, TAKEN):
        hint = f'register(spark, "{protocol}", name="…") gives it another'
        raise OptionError(f"{name!r} is a format that Spark has already; {hint}")
    return type(f"{name}_source", (CaptureSource,), {"protocol": protocol, "format": name})


class CaptureSource(DataSource):
    """Captures of one protocol. Subclasses say which."""

    protocol: ClassVar[str]
    format: ClassVar[str]

    def __init__(self, options: Mapping[str, str]) -> None:
        self.paths, self.given = split_paths(options)
        if "checkpointlocation" in map(str.lower, self.given):
            raise OptionError("streams are not written to captures; use foreachBatch, and write each batch")
        found = registry.protocol(self.protocol)
        self.source_options = SourceOptions.of(self.given)
        others = (*SourceOptions.names(), *WriteOptions.names())
        self.read_options = ReadOptions.of(self.given, found.parameters, found.messages, others=others)

    @classmethod
    def name(cls) -> str:
        return cls.format

    def schema(self) -> StructType:
        return spark_schema(self.protocol, self.read_options)

    def reader(self, schema: StructType) -> DataSourceReader:
        must_offer(self.schema(), schema)
        kind = FilteringReader if self.source_options.push_filters else CaptureReader
        return kind(self.protocol, self._given_paths(), self.read_options, self.source_options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        must_offer(self.schema(), schema)
        captures = TakenReader(self.protocol, self._given_paths(), self.read_options, self.source_options, schema)
        return CaptureStreamReader(captures)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        if len(self.paths) != 1:
            raise OptionError(f'one path is written to; df.write.format("{self.format}").save(path)')
        found = registry.protocol(self.protocol)
        options = WriteOptions.of(self.given, found.parameters, found.messages)
        return CaptureWriter(self.protocol, self.paths[0], options, schema, overwrite=overwrite)

    def _given_paths(self) -> tuple[str, ...]:
        """The paths to read; options for writing are an error."""
        for name in self.given:
            if name.lower() in WriteOptions.names():
                raise OptionError(f"{name} is an option of writing; what is read is decompressed as its name says")
        if not self.paths:
            raise OptionError(f'no path given; spark.read.format("{self.format}").load(path)')
        return self.paths
