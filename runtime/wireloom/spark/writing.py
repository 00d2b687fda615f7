"""Writing captures: ``df.write.format("<protocol>").mode("append").save(folder)``.

Every task writes its own files to ``_temporary-<job>`` in the folder, which readers ignore. When all tasks are done,
the files are moved to their places, one by one. Meanwhile ``_hidden-<job>.json`` lists them, and readers skip the
files that it lists. In mode ``overwrite`` it then, in one step, lists the previous files instead, and these are
deleted. Finally it is removed, and an empty ``_SUCCESS`` marks the end. So at any time, even if the driver dies, a
reader of the folder sees all files from before the job or all from after it.

A job that fails leaves nothing, and neither does a task that dies. Only if the driver dies, or a task outlives its
job, ``_temporary-<job>`` may stay, and hidden files until the folder is overwritten. Local files are renamed; object
stores copy and delete each, and a file is there as a whole or not at all.

If captures have headers, each row of a header begins a file, which has the records after it in the task: rows are
written in the order in which they were read. If a task has records without such a row before them, as after a
shuffle, its files begin with the header of the option ``capture``; without the option the job fails.

Spark passes the modes ``append`` and ``overwrite`` to a Python data source. It rejects ``error``, its default, and
``ignore``, with UNSUPPORTED_DATA_SOURCE_SAVE_MODE, so a ``mode`` is required.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from wireloom import registry
from wireloom.buffers import valid_of
from wireloom.codec import EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder, ended
from wireloom.columnar import encoding, index
from wireloom.columnar.encoding import Encoder, gathered
from wireloom.columnar.scanning import Scanner
from wireloom.files import INDEX, CaptureFile, created, exists, hidden_by, hide, hiding, listed, moved, removed
from wireloom.options import OptionError, ReadOptions, resolve
from wireloom.spark.dataframes import shape
from wireloom.spark.names import ANY_CASE, Resolver
from wireloom.spark.workers import brief
from wireloom.spark.writing_options import WriteOptions
from wireloom.spark.written_records import WrittenRecords, apart, runs
from wireloom.views import REASON, RECORD

_SUFFIXES = {None: "", "gzip": ".gz", "zstd": ".zst"}
_LONGEST_TOLD = 500
_HINT = "; keep rows in the order in which they were read, or set the header of all files with the option capture"


@dataclass(frozen=True, slots=True)
class WrittenFiles(WriterCommitMessage):
    """The files of one task: where they are, and where they go."""

    files: tuple[tuple[str, str], ...]


class CaptureWriter(DataSourceArrowWriter):
    """Writes rows to files of captured bytes."""

    def __init__(
        self,
        protocol: str,
        path: str,
        options: WriteOptions,
        schema: StructType,
        *,
        overwrite: bool,
        resolver: Resolver = ANY_CASE,
    ) -> None:
        self.protocol = protocol
        self.options = options
        self.overwrite = overwrite
        self.shape = shape(protocol, schema, options.message, options.corrupt_column, resolver)
        if Path(path).is_file():
            raise OptionError(f"{path} is a file; captures are written into a folder")
        self.path = (path if ":/" in path else os.path.abspath(path)).rstrip("/")  # noqa: PTH100 - resolves no links
        options.capture_row(registry.protocol(protocol))
        self.job = str(uuid4())
        self.temporary = f"{self.path}/_temporary-{self.job}"

    @brief()
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WrittenFiles:
        """Write one task's rows. A task without rows writes no file."""
        task = TaskContext.get()
        assert task is not None
        found = registry.protocol(self.protocol)
        suffix = f"{found.name}.bin{_SUFFIXES[self.options.compression]}"
        names = (f"part-{task.partitionId():05}-{self.job}-c{number:05}.{suffix}" for number in count())
        files = ((f"{self.temporary}/{task.taskAttemptId()}-{name}", f"{self.path}/{name}") for name in names)
        records = apart(self._records(found, iterator, task.partitionId()), found)
        with self._output(found, files) as output:
            for _, numbered in groupby(records, itemgetter(0)):
                output.write(record for _, record in numbered)
        return WrittenFiles(tuple(output.files))

    def _output(self, protocol: Protocol, names: Iterator[tuple[str, str]]) -> "_Output":
        """Where a task writes. Its indexes are for readers with the same parameters, and no ``maxRecordBytes``."""
        options = ReadOptions(parameters=resolve(protocol.parameters, self.options.parameters))
        reading = None
        with suppress(OSError):  # without the protocol's source there are no indexes
            if not protocol.framing.to_the_end:
                reading = index.Reading.of(protocol.name, registry.digest(self.protocol), options)
        return _Output(names, self.options.compression, reading, lambda: index.scanner_of(protocol, options))

    def _records(
        self, protocol: Protocol, batches: Iterator[pa.RecordBatch], partition: int
    ) -> Iterator[WrittenRecords]:
        """The bytes of each row; those before any header of a capture have the one that is given as an option."""
        if protocol.preamble is None and self.shape.whole:
            yield from self._encoded(protocol, batches, partition)
            return
        builder, header = CaptureBuilder(protocol, self.options.parameters), self.options.capture_row(protocol)
        rows = (row for batch in batches for row in self.shape.rows(batch))
        for number, row in ended(protocol, enumerate(rows)):
            begins = builder.begins(row)
            try:
                if header is not None and not begins and not builder.begun:
                    yield WrittenRecords(builder.build(header), None, True, builder.known)
                data = builder.build(row)
            except EncodeError as error:
                hint = "" if begins or builder.begun or builder.alone else _HINT
                raise _refused(number, partition, row.get("message"), error, hint) from None
            malformed = row.get(RECORD.name) is not None
            yield WrittenRecords(data, (row.get(REASON.name) or "") if malformed else None, begins, builder.known)

    def _encoded(
        self, protocol: Protocol, batches: Iterator[pa.RecordBatch], partition: int
    ) -> Iterator[WrittenRecords]:
        """The same of rows of all messages where captures have no header."""
        encoder = Encoder(protocol, self.options.parameters)
        for batch in encoding.ended(protocol, gathered(protocol, map(self.shape.named, batches))):
            before = encoder.rows
            try:
                records = encoder.encode(batch)
            except EncodeError as error:
                assert error.row is not None
                row = batch.slice(error.row - before, 1).to_pylist()[0]
                raise _refused(error.row, partition, row.get("message"), error) from None
            yield from runs(records, _malformed(batch), encoder.builder.known, single=protocol.framing.to_the_end)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Move the files to their places; with ``overwrite``, delete those that were there, except markers."""
        removed(self._success)
        old = listed([self.path], every=True) if self.overwrite and exists(self.path) else ()
        files = _files(messages)
        hide(self._hiding, (target.removeprefix(f"{self.path}/") for _, target in files))
        for source, target in files:
            moved(source, target)
        if old:
            hide(self._hiding, (file.path.removeprefix(f"{file.within}/") for file in old))
        for file in old:
            removed(file.path)
        removed(self._hiding)
        removed(self.temporary)
        with suppress(FileExistsError):  # of another job that writes here and was done at the same time
            created(self._success).close()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Delete what the job wrote, unless readers see it: then only the deletion of old files failed."""
        targets = {target for _, target in _files(messages)}
        if targets & hidden_by(self._hiding):
            for target in targets:
                removed(target)
            removed(self._hiding)
        removed(self.temporary)

    @property
    def _hiding(self) -> str:
        return hiding(self.path, self.job)

    @property
    def _success(self) -> str:
        return f"{self.path}/_SUCCESS"


def _malformed(batch: pa.RecordBatch) -> dict[int, str]:
    """The reasons of malformed rows, by row; empty where none is given."""
    if RECORD.name not in batch.schema.names:
        return {}
    rows = np.flatnonzero(valid_of(batch.column(RECORD.name)))
    if REASON.name not in batch.schema.names:
        return dict.fromkeys(rows.tolist(), "")
    reasons = batch.column(REASON.name).take(pa.array(rows)).to_pylist()
    return {row: reason or "" for row, reason in zip(rows.tolist(), reasons, strict=True)}


def _refused(number: int, partition: int, message: str | None, error: EncodeError, hint: str = "") -> EncodeError:
    what = f"row {number} of partition {partition}, {message or 'of no message'}, cannot be written: {error}{hint}"
    return EncodeError(what[:_LONGEST_TOLD])


def _files(messages: list[WriterCommitMessage | None]) -> list[tuple[str, str]]:
    return [file for message in messages if isinstance(message, WrittenFiles) for file in message.files]


class _Output:
    """The files of a task, written one after another, with indexes of large ones, and deleted if the task fails."""

    def __init__(
        self,
        names: Iterator[tuple[str, str]],
        compression: str | None,
        reading: index.Reading | None,
        scanner: Callable[[], Scanner],
    ) -> None:
        self._names = names
        self._compression = compression
        self._reading = reading
        self._scanner = scanner
        self.files: list[tuple[str, str]] = []

    def write(self, records: Iterator[bytes | memoryview]) -> None:
        """One more file."""
        source, target = next(self._names)
        self.files.append((source, target))
        with _compressed(created(source), self._compression) as stream:
            if self._compression is not None or self._reading is None:
                for record in records:
                    stream.write(record)
                return
            size, noted = index.copied(records, stream, self._scanner)
        if noted:
            self.files.insert(-1, (source + INDEX, target + INDEX))
            index.put(source + INDEX, CaptureFile(source, size, 0), self._reading, noted)

    def __enter__(self) -> "_Output":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            for source, _ in self.files:
                removed(source)


def _compressed(stream: BinaryIO, compression: str | None) -> Any:
    """The stream, or one that writes compressed bytes to it and closes it."""
    return stream if compression is None else pa.CompressedOutputStream(stream, compression)
