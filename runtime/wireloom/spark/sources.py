"""One Spark data source a protocol: ``spark.read.format("<protocol>").load(path)``.

Everything that travels to executors is plain: names, paths, options. Generated modules are imported where they are
needed, since parsers cannot be pickled.
"""

import mmap
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from wireloom import columnar, registry
from wireloom.codec import DecodeError
from wireloom.options import OptionError, ReadOptions
from wireloom.spark.paths import files, split_paths
from wireloom.spark.schemas import must_offer, spark_schema
from wireloom.views import View


def register(spark: SparkSession, *protocols: str) -> None:
    """Make protocols formats of ``spark.read``: all that are installed, or those that are named.

    Of the installed ones, one that cannot be imported is left out, with a warning; a named one raises ``OptionError``.
    """
    for protocol in protocols or registry.names():
        try:
            source = _source(protocol)
        except OptionError as error:
            if protocols:
                raise
            warnings.warn(f"{protocol} is not registered: {error}", stacklevel=2)
        else:
            spark.dataSource.register(source)


def _source(protocol: str) -> type[DataSource]:
    name = registry.protocol(protocol).name
    return type(f"{name}_source", (CaptureSource,), {"protocol": protocol, "format": name})


class CaptureSource(DataSource):
    """Captures of one protocol. Subclasses say which."""

    protocol: ClassVar[str]
    format: ClassVar[str]

    def __init__(self, options: Mapping[str, str]) -> None:
        self.paths, given = split_paths(options)
        found = registry.protocol(self.protocol)
        self.read_options = ReadOptions.of(given, found.parameters, found.messages)

    @classmethod
    def name(cls) -> str:
        return cls.format

    def schema(self) -> StructType:
        return spark_schema(self.protocol, self.read_options)

    def reader(self, schema: StructType) -> DataSourceReader:
        must_offer(self.schema(), schema)
        if not self.paths:
            raise OptionError(f'no path given; spark.read.format("{self.format}").load(path)')
        return CaptureReader(self.protocol, self.paths, self.read_options, schema)


@dataclass(frozen=True, slots=True)
class CaptureFile(InputPartition):
    """One file of captured bytes."""

    path: str


class CaptureReader(DataSourceReader):
    """Reads files of captured bytes, each in one task."""

    def __init__(self, protocol: str, paths: tuple[str, ...], options: ReadOptions, schema: StructType) -> None:
        self.protocol = protocol
        self.paths = paths
        self.options = options
        self.schema = schema

    def partitions(self) -> list[InputPartition]:
        return [CaptureFile(path) for path in files(self.paths)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, CaptureFile):
            return  # there is no file, and Spark asks for one partition all the same
        view = View(registry.protocol(self.protocol), self.options)
        schema = to_arrow_schema(self.schema, timezone="UTC")
        with _mapped(partition.path) as buffer:
            try:
                yield from columnar.batches(view.rows(buffer, partition.path), schema)
            except DecodeError as error:
                raise ValueError(f"{partition.path}: {error.reason}") from None


@contextmanager
def _mapped(path: str) -> Iterator[bytes]:
    with Path(path).open("rb") as file:
        if file.seek(0, 2) == 0:
            yield b""  # an empty file cannot be mapped
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
            yield buffer  # type: ignore[misc]
