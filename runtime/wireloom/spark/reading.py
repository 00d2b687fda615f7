"""Reading captures in batches: files are divided among tasks, which decode them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from wireloom import registry
from wireloom.columnar import scans
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.scans import FilePart, Rotated, parts_of
from wireloom.columnar.traffic.opening import is_recorded, rotated
from wireloom.files import CaptureFile
from wireloom.options import OptionError, ReadOptions
from wireloom.spark.listing import chosen
from wireloom.spark.options import SourceOptions, hint
from wireloom.spark.partition_planning import Divider, tell
from wireloom.spark.requested_columns import Added
from wireloom.spark.schemas import arrow_schema
from wireloom.spark.workers import brief, settle


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
        if options.rotated and added.fields:
            names = ", ".join(field.name for field in added.fields)
            raise OptionError(f"rotated does not allow partition columns ({names}): its files are one recording")

    @brief()
    def partitions(self) -> list[InputPartition]:
        """Large files in parts, small ones together."""
        files = self.files()
        if self.options.rotated:
            return [CapturePartition(tuple(parts_of(sorted(file.path for file in files), are_rotated=True)))]
        most = self.source.task_bytes(file.size for file in files)
        divider = Divider(self.protocol, self.options)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = [
                (replace(part, added=self.added.values(file, part.start, part.stop)), size)
                for file, found in zip(files, pool.map(lambda file: divider.parts(file, most), files), strict=True)
                for part, size in found
            ]
        tell(parts, most, whole=self.whole)
        return list(shared_out(parts, self.source))

    def files(self) -> tuple[CaptureFile, ...]:
        """The files to read."""
        files = self.marked(chosen(self.paths, self.source))
        self.added.must_be_of(files)
        return files

    def marked(self, files: Iterable[CaptureFile]) -> tuple[CaptureFile, ...]:
        """The files, which may be known to be one record each."""
        return tuple(replace(file, whole=self.whole) for file in files)

    def new(self, file: CaptureFile) -> CaptureFile:
        """A file that is new to a stream; one of recorded packets is taken as a whole."""
        return replace(file, whole=file.whole or is_recorded(file.path, self.protocol, self.options))

    @property
    def whole(self) -> bool:
        """Whether each file is read as a whole."""
        return registry.protocol(self.protocol).framing.to_the_end

    def decoder(self) -> Decoder:
        """The decoder of this reader, made where it is needed."""
        found = registry.protocol(self.protocol)
        return Decoder(found, self.options, arrow_schema(self.schema))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, CapturePartition):
            return  # there is no file, but Spark requires a partition
        decoder = self.decoder()
        with brief(), _hints():
            for values, parts in groupby(partition.parts, attrgetter("added")):
                yield from self.added.onto(scans.batches(decoder, parts, self._read, self.source.leaves_out), values)
        if TaskContext.get() is not None:
            settle()

    def _read(self, part: FilePart, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
        """The batches that are full while a part is read."""
        return scans.gathered(part, gatherer, self._rotated if isinstance(part, Rotated) else scans.cut)

    def _rotated(self, decoder: Decoder, part: FilePart) -> Iterator[Cuts]:
        """The records of files of one recording."""
        assert isinstance(part, Rotated)
        return rotated(decoder, part.files, self.source.leaves_out)


@contextmanager
def _hints() -> Iterator[None]:
    """Let errors of files say how such files are left out."""
    try:
        yield
    except OSError as error:
        hint(error)
        raise


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
