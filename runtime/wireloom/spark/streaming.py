"""Reading captures that grow: ``spark.readStream.format("<protocol>").load(path)``.

An offset says what is consumed of each file, so a batch is the bytes between two of them, whatever was appended since.
Positions are where records begin; lengths are followed on the driver, once for each byte that comes.

An incomplete record waits, also if the query stops after what is available. So does a malformed range whose end was not
found yet, if the protocol says how to find it. If the protocol does not, the file is lost from there on: its bytes come
as soon as they are there, in at least one row per batch, malformed with the reason of the first.

A compressed file is taken as a whole when it is first seen with any bytes, so it must be complete when it is moved
here. It is an error if a file shrinks, if a compressed one changes, or if one is gone when a batch reads what it took
of it; with ``ignoreCorruptFiles`` it is left out with a warning, and with ``ignoreMissingFiles`` if it is gone. What no
batch took of a file is not missed if it is deleted.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from wireloom.columnar.decoder import Decoder
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.scanning import Cuts, Window
from wireloom.columnar.scans import LOG, FilePart
from wireloom.columnar.splits import splits, upto
from wireloom.files import CaptureFile, exists, listed, opened
from wireloom.options import OptionError
from wireloom.spark.admission import Admission, Grown, Reach, admitted, followed
from wireloom.spark.listing import chosen
from wireloom.spark.offsets import Consumed, Lost, Offset
from wireloom.spark.reading import CaptureReader, shared_out


@dataclass(frozen=True, slots=True)
class TakenPart(FilePart):
    """A part of a file that had at least ``size`` bytes; if ``lost`` says why, all of it is malformed."""

    size: int = 0
    lost: Lost | None = None


class TakenReader(CaptureReader):
    """Reads what batches of a stream have taken, after checking that it is still there."""

    def _read(self, part: FilePart, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
        assert isinstance(part, TakenPart)
        _must_be_there(part)
        yield from super()._read(part, gatherer) if part.lost is None else self._malformed(part, part.lost, gatherer)

    def _malformed(self, part: TakenPart, lost: Lost, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
        """A range of a lost file, in rows no larger than those of a reader of whole files."""
        gatherer.begin(part.path)
        largest = gatherer.decoder.scanner().cutter.largest
        position = part.start
        with opened(part.path, position) as stream:
            read = upto(stream.read, part.size - position)
            while data := read(largest):
                size = len(data)
                cuts = Cuts(Window(data, position), np.array([0]), np.array([size]), False, {0: lost.error})
                yield from gatherer.add(cuts)
                position += size


def _must_be_there(part: TakenPart) -> None:
    """Raises ``OSError`` if a file is not what it was when a part of it was taken."""
    try:
        (file,) = listed([part.path])
    except OptionError:
        raise FileNotFoundError(f"{part.path} is gone, and was still to be read from byte {part.start} on") from None
    if file.size < part.size or (file.size > part.size and not file.splittable):
        raise OSError(f"{part.path} had {part.size} bytes when they were taken, and has {file.size} now")


class CaptureStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Takes new bytes in batches. What it knows beside offsets only saves work."""

    def __init__(self, captures: TakenReader) -> None:
        self.captures = captures
        self.source = captures.source
        self.available: tuple[CaptureFile, ...] | None = None
        self.waiting: dict[str, tuple[int, int]] = {}
        """Files that gave nothing, by path, with the position and the size at that time."""

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - these names are Spark's
        """The offset before anything is consumed."""
        return Offset({}).json()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """One of the bounds in the options, since no limit of Spark has both; both are kept all the same."""
        if self.source.max_bytes_per_trigger is not None:
            return ReadMaxBytes(self.source.max_bytes_per_trigger)
        if self.source.max_files_per_trigger is not None:
            return ReadMaxFiles(self.source.max_files_per_trigger)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Ignore everything that arrives from now on."""
        self.available = self._listed()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The offset after the oldest bytes that the limit and the options allow, or ``start`` if there are none."""
        offset = Offset.of(start)
        files = self._listed() if self.available is None else self.available
        self.waiting = {file.path: self.waiting[file.path] for file in files if file.path in self.waiting}
        grown = [Grown(file, offset.of_file(file.path)) for file in files if self._has_more(file, offset)]
        follow = partial(self._follow, self.captures.decoder())
        taken = admitted(grown, Admission.of(limit, self.source), follow)
        return offset.advanced(taken, _gone(offset, files)).json() if taken else start

    def _listed(self) -> tuple[CaptureFile, ...]:
        """All files, oldest first."""
        files = {file.path: file for path in self.captures.paths for file in self._matching(path)}
        return tuple(sorted(files.values(), key=lambda file: (file.modified, file.path)))

    def _matching(self, path: str) -> Iterable[CaptureFile]:
        """The files of a path at this moment. It is no error if a pattern has none yet."""
        try:
            return chosen([path], self.source)
        except OptionError as error:
            if str(error) != f"no file matches {path}":
                raise
            return ()

    def _has_more(self, file: CaptureFile, offset: Offset) -> bool:
        """Whether a file may have something new."""
        position = offset.of_file(file.path).position
        if self.waiting.get(file.path) == (position, file.size) or file.size == position:
            return False
        if file.size > position and (file.splittable or not position):
            return True
        self._left_out(OSError(f"{file.path} had {position} bytes when they were taken, and has {file.size} now"))
        self.waiting[file.path] = position, file.size
        return False

    def _left_out(self, error: OSError) -> None:
        """Raise the error about a file, unless such files are to be left out."""
        if not self.source.leaves_out(error):
            raise error
        LOG.warning("wireloom: %s", error)

    def _follow(self, decoder: Decoder, grown: Grown, most: int, must: bool) -> Reach:
        """How far a file can be consumed; see ``Follow``. An unreadable file stays as it is."""
        reach = Reach(grown.consumed)
        try:
            reach = followed(decoder.scanner(), grown, most, must)
        except FileNotFoundError:
            return reach  # it was there a moment ago
        except OSError as error:
            self._left_out(error)
        if reach == Reach(grown.consumed):
            self.waiting[grown.file.path] = grown.consumed.position, grown.file.size
        return reach

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """What was taken between two offsets: large files in parts, small ones together."""
        before, after = Offset.of(start), Offset.of(end)
        changed = [path for path, consumed in after.files.items() if consumed != before.of_file(path)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda path: list(self._parts(path, before.of_file(path), after.files[path])), changed)
            parts = [(part, part.size - part.start) for parts in found for part in parts]
        if self.captures.added.fields:
            files = {file.path: file for file in self._listed()}
            parts = [(self._with_added(part, files.get(part.path)), size) for part, size in parts]
        return list(shared_out(parts, self.source))

    def _with_added(self, part: TakenPart, file: CaptureFile | None) -> TakenPart:
        """The part with its values of added columns; a file that is gone is told of by the task that misses it."""
        known = file or CaptureFile(part.path, part.size, 0)
        return replace(part, added=self.captures.added.values(known, part.start, part.size))

    def _parts(self, path: str, before: Consumed, after: Consumed) -> Iterator[TakenPart]:
        """What was taken of a file: its records, and the bytes that are malformed because it is lost."""
        start, stop = before.position, after.position
        since = stop if after.lost is None else max(start, after.lost.since)
        if start < since:
            yield from self._records(path, start, since)
        every = self.source.max_partition_bytes
        for begin in range(since, stop, every):
            end = min(begin + every, stop)
            yield TakenPart(path, begin, end, size=end, lost=after.lost)

    def _records(self, path: str, start: int, stop: int) -> Iterator[TakenPart]:
        """Parts that begin with a record. The error of an unreadable file is left to the task that reads it."""
        every = self.source.max_partition_bytes
        compressed = not CaptureFile(path, stop, 0).splittable
        found = [(0, stop - start)]
        if not compressed and stop - start > every:
            try:
                with opened(path, start) as stream:
                    read = upto(stream.read, stop - start)
                    found = list(splits(self.captures.decoder().scanner(), read, stop - start, every))
            except OSError:
                pass
        for begin, end in found:
            yield TakenPart(path, start + begin, None if compressed else start + end, size=start + end)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of what was taken."""
        return self.captures.read(partition)


def _gone(offset: Offset, files: Iterable[CaptureFile]) -> list[str]:
    """Consumed files that were deleted and can be forgotten.

    Files of folders without any file are kept, since such a folder may not be mounted.
    """
    seen = {file.path for file in files}
    folders = {path.rpartition("/")[0] for path in seen}
    missing = [path for path in offset.files if path not in seen and path.rpartition("/")[0] in folders]
    return [path for path in missing if not exists(path)]  # a listing can miss what is replaced at that moment
