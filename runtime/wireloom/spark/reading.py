"""Reading captures in batches: files are divided among tasks, which decode them."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from operator import attrgetter

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSourceReader,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.datasource import Filter as SparkFilter
from pyspark.sql.types import StructType

from wireloom import registry
from wireloom.codec import Protocol
from wireloom.columnar import index, scans
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.filters import Filter, filterable
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.scans import LOG, FilePart
from wireloom.columnar.splits import Place, splits
from wireloom.files import INDEX, CaptureFile, opened
from wireloom.options import ReadOptions
from wireloom.spark.added import Added
from wireloom.spark.listing import chosen
from wireloom.spark.options import SourceOptions
from wireloom.spark.schemas import arrow_schema


@dataclass(frozen=True, slots=True)
class CapturePartition(InputPartition):
    """What one task reads: parts of files, in order."""

    parts: tuple[FilePart, ...]


class CaptureReader(DataSourceReader):
    """Reads files of captured bytes: the protocol's columns in ``schema``, and those that are ``added``."""

    def __init__(
        self,
        protocol: str,
        paths: tuple[str, ...],
        options: ReadOptions,
        source: SourceOptions,
        schema: StructType,
        added: Added,
    ) -> None:
        self.protocol = protocol
        self.paths = paths
        self.options = options
        self.source = source
        self.schema = schema
        self.added = added
        self.filters: tuple[Filter, ...] = ()

    def partitions(self) -> list[InputPartition]:
        """Large files in parts, small ones together."""
        files = self.files()
        most = self.source.task_bytes(file.size for file in files)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = [
                (replace(part, added=self.added.values(file, part.start, part.stop)), size)
                for file, found in zip(files, pool.map(lambda file: self._parts(file, most), files), strict=True)
                for part, size in found
            ]
        return list(shared_out(parts, self.source))

    def files(self) -> tuple[CaptureFile, ...]:
        """The files to read."""
        files = chosen(self.paths, self.source)
        self.added.must_be_of(files)
        return files

    def _parts(self, file: CaptureFile, most: int) -> list[tuple[FilePart, int]]:
        """A file's parts with their sizes in bytes: of about ``most`` by its index, else as large as they may be.

        An unreadable file is left to the task that reads it.
        """
        noted = self._noted(file) if file.splittable and file.size > most else None
        if noted is not None:
            found = list(index.parts(noted, file.size, most))
        elif file.splittable and file.size > self.source.max_partition_bytes:
            try:
                with opened(file.path) as stream:
                    scanner = self.decoder().scanner()
                    found = list(splits(scanner, stream.read, file.size, self.source.max_partition_bytes))
            except OSError:
                return [(FilePart(file.path), file.size)]
        else:
            return [(FilePart(file.path), file.size)]
        last, indexed = found[-1][0], noted is not None
        return [
            (FilePart(file.path, start, None if start == last else stop, indexed), stop - start)
            for start, stop in found
        ]

    def _noted(self, file: CaptureFile) -> Sequence[Place] | None:
        """What the index of a file notes; None if it has none that fits."""
        try:
            name = registry.protocol(self.protocol).name
            return index.read(file, index.Reading.of(name, registry.digest(self.protocol), self.options))
        except index.UnfitError as error:
            LOG.warning("wireloom: %s%s is not used: %s", file.path, INDEX, error)
        except OSError:
            pass
        return None

    def decoder(self) -> Decoder:
        """The decoder of this reader, made where it is needed."""
        found = registry.protocol(self.protocol)
        return Decoder(found, self.options, arrow_schema(self.schema), self.filters)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, CapturePartition):
            return  # there is no file, and Spark asks for one partition all the same
        decoder = self.decoder()
        for values, parts in groupby(partition.parts, attrgetter("added")):
            yield from self.added.onto(scans.batches(decoder, parts, self._read, self.source.leaves_out), values)

    def _read(self, part: FilePart, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
        """The batches that are full while a part is read."""
        return scans.gathered(part, gatherer)


def shared_out(parts: Sequence[tuple[FilePart, int]], source: SourceOptions) -> Iterator[CapturePartition]:
    """Partitions of about the same size, in the order of ``parts``, which have these sizes in bytes."""
    most = source.task_bytes(size for _, size in parts)
    held: list[FilePart] = []
    held_bytes = 0
    for part, size in parts:
        if held and held_bytes + size > most:
            yield CapturePartition(tuple(held))
            held, held_bytes = [], 0
        held.append(part)
        held_bytes += size + source.open_cost
    if held:
        yield CapturePartition(tuple(held))


class FilteringReader(CaptureReader):
    """A reader that does not decode what a query filters out.

    Spark refuses it unless ``spark.sql.python.filterPushdown.enabled`` is set.
    """

    pruning: tuple[SparkFilter, ...] = ()

    def files(self) -> tuple[CaptureFile, ...]:
        """Those that may have what the query wants, by their partitions."""
        return tuple(file for file in super().files() if self.added.may_hold(file, self.pruning))

    def pushFilters(self, filters: list[SparkFilter]) -> Iterable[SparkFilter]:  # noqa: N802 - Spark's name
        """Remember the filters. Spark applies them again, since a record turns out to be malformed only when it is
        decoded.
        """
        protocol = registry.protocol(self.protocol)
        structs = protocol.messages if self.options.message is None else ()
        self.pruning = tuple(filters)
        self.filters = tuple(found for filter in filters if (found := pushed(filter, protocol, structs)) is not None)
        return filters


_OPERATORS: dict[type, str] = {
    EqualTo: "=",
    EqualNullSafe: "=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
}


def pushed(filter: SparkFilter, protocol: Protocol, structs: Collection[str]) -> Filter | None:
    """What a filter says about the message or an integer of the header; None if nothing.

    A row that has a value in one of the messages' ``structs`` is of that message.
    """
    name, *inner = getattr(filter, "attribute", ("",))
    positive = isinstance(filter, (*_OPERATORS, In, IsNotNull)) and getattr(filter, "value", True) is not None
    if name in structs and positive and (inner or isinstance(filter, IsNotNull)):
        return Filter("message", "=", (name,))
    if inner or name not in filterable(protocol):
        return None
    match filter:
        case In(value=values):
            found = tuple(_plain(value) for value in values if value is not None)
            return Filter(name, "=", found) if found else None
        case EqualTo() | EqualNullSafe() | GreaterThan() | GreaterThanOrEqual() | LessThan() | LessThanOrEqual():
            operator = _OPERATORS[type(filter)]
            if filter.value is None or (name == "message" and operator != "="):
                return None
            return Filter(name, operator, (_plain(filter.value),))
    return None


def _plain(value: object) -> object:
    """A decimal as an integer, if it is one."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value
