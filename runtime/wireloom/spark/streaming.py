"""Reading captures that grow: ``spark.readStream.format("<protocol>").load(path)``.

An offset says how many bytes were taken of each file, so a trigger only compares sizes. A batch has the records that
the bytes up to its end determine and those up to its start do not, whatever was appended since; tasks find out which
these are, as ``wireloom.columnar.following`` describes.

An incomplete record waits, even if the query stops after the available data. So does a malformed range whose end was
not found yet, if the protocol declares how to find it. If it does not, the rest of the file is lost: its bytes come
as soon as they are there, in at least one row per batch, malformed with the reason of the first.

A compressed file is taken as a whole when it is first seen with any bytes, so it must be complete when it is moved
here. The same holds for a file that is a single record (``length: rest``), and for every file if files are removed
after they are read; then nothing waits. It is an error if a file was replaced since something was taken of it, if a
complete one changes, or if one is gone when a batch reads it; with ``ignoreCorruptFiles`` it is skipped with a
warning, and with ``ignoreMissingFiles`` if it is gone. Bytes that no batch has taken are not missed if their file is
deleted.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from wireloom.columnar.scans import LOG
from wireloom.files import CaptureFile, UnmatchedError, exists
from wireloom.options import OptionError
from wireloom.spark.admission import Admission, Grown
from wireloom.spark.batch_reading import TakenFiles, TakenPart, TakenReader
from wireloom.spark.cleaning import Cleaner
from wireloom.spark.file_identity import AT_ONCE, likeness_of, must_be_alike
from wireloom.spark.listing import chosen_yet
from wireloom.spark.log import Log
from wireloom.spark.offsets import FIRST, State, StreamOffsets, TakenFile
from wireloom.spark.options import hint
from wireloom.spark.partition_planning import tell
from wireloom.spark.reading import CapturePartition, shared_out
from wireloom.spark.workers import brief


class CaptureStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Takes new bytes in batches. Its state beside the offsets only saves work."""

    def __init__(self, captures: TakenReader, format: str) -> None:
        self.captures = captures
        self.format = format
        self.source = captures.source
        if captures.options.rotated and self.source.latest_first:
            raise OptionError(
                "rotated and latestFirst exclude each other: rotated files are read in the order of their names"
            )
        if captures.options.rotated and self.source.clean_source != "off" and self.source.log_location is None:
            raise OptionError("cleanSource with rotated requires logLocation: without it, files are read again")
        self.offsets = StreamOffsets(None if self.source.log_location is None else Log(self.source.log_location))
        self.cleaner = Cleaner(self.source)
        self.available: tuple[CaptureFile, ...] | None = None
        self.listed: dict[str, CaptureFile] = {}
        """The files of which something was taken last, as they were listed."""
        self.judged: dict[str, tuple[int, int, bool]] = {}
        """Files that were looked at, by path: their size and time then, and whether they can be read on."""
        self.backlog: dict[str, int] = {}
        """How many bytes of which files are left to later batches, by path."""
        self.seen = False

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - these names are Spark's
        """The offset before anything is taken."""
        return dict(FIRST)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """One of the bounds in the options, since no limit of Spark has both; both are kept all the same."""
        if self.source.max_bytes_per_trigger is not None:
            return ReadMaxBytes(self.source.max_bytes_per_trigger)
        if self.source.max_files_per_trigger is not None:
            return ReadMaxFiles(self.source.max_files_per_trigger)
        return ReadAllAvailable()

    @brief()
    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Ignore everything that arrives from now on."""
        self.available = self._listed()

    @brief()
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The offset after the first bytes that the limit and the options allow, or ``start`` if there are none."""
        state = self.offsets.state(start)
        files = self._listed() if self.available is None else self.available
        grown = self._grown(files, state)
        begun = {each.file.path: each for each in grown}
        taken: dict[str, TakenFile] = {}
        while grown and not taken:
            admitted = list(self._admission(limit).admitted(grown))
            taken = self._taken(admitted)
            grown = grown[len(admitted) :]
        self.backlog = {each.file.path: each.file.size - each.taken for each in grown}
        self.backlog |= {path: begun[path].file.size - each.end for path, each in taken.items()}
        if not taken:
            return start
        horizon = self._horizon(state, taken.values())
        gone = [*self.cleaner.removed, *_gone(state, files), *_old(state, horizon)]
        self.cleaner.forget(gone)
        self.listed = {file.path: file for file in files if file.path in taken}
        return self.offsets.next(start, taken, gone, horizon)

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """The latest offset in the progress of a query: what is read, and how much is left to later batches.

        Spark describes a source in Python by a class of its own, so this is the place for the format and the path.
        """
        left = [size for size in self.backlog.values() if size > 0]
        return {
            "format": self.format,
            "path": ", ".join(self.captures.paths),
            "backlog": {"files": len(left), "bytes": sum(left)},
        }

    def _admission(self, limit: ReadLimit) -> Admission:
        """What Spark's limit and the options allow together; ``ReadAllAvailable`` overrides the options."""
        match limit:
            case ReadMaxFiles():
                return Admission.of(self.source, files=limit.max_files)
            case ReadMaxBytes():
                return Admission.of(self.source, size=limit.max_bytes)
            case ReadAllAvailable():
                return Admission()
        return Admission.of(self.source)

    def _listed(self) -> tuple[CaptureFile, ...]:
        """All files there are. A pattern may match none yet."""
        files = self.captures.marked(chosen_yet(self.captures.paths, self.source, UnmatchedError))
        if files and not self.seen:
            self.captures.added.must_be_of(files)
            self.seen = True
        return files

    def _grown(self, files: Iterable[CaptureFile], state: State) -> list[Grown]:
        """The files that have more than was taken of them, in the order in which they are taken."""
        grown, changed = [], []
        for file in files:
            taken = state.files.get(file.path)
            if self.judged.get(file.path) == (file.size, file.modified, False):
                continue
            if taken is None or (taken.unlike(file) and file.path in self.cleaner.removed):
                if file.size and not 0 < file.modified < state.horizon:
                    grown.append(Grown(self.captures.new(file), 0))
            elif taken.unlike(file):
                changed.append((file, taken))
            elif taken.end < file.size:
                grown.append(Grown(file, taken.end))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            alike = pool.map(self._alike, changed)
            grown += [
                Grown(file, taken.end) for (file, taken), is_alike in zip(changed, alike, strict=True) if is_alike
            ]
        grown = [each for each in grown if each.file.size > each.taken]
        if self.captures.options.rotated:
            return sorted(grown, key=lambda each: each.file.path)
        return sorted(grown, key=lambda each: (each.file.modified, each.file.path), reverse=self.source.latest_first)

    def _alike(self, changed: tuple[CaptureFile, TakenFile]) -> bool:
        """Whether a file that changed can be read on, which is found out once."""
        file, taken = changed
        if file.path not in self.judged or self.judged[file.path] != (file.size, file.modified, True):
            with self._judging(file):
                must_be_alike(file, taken)
                self.judged[file.path] = file.size, file.modified, True
        return self.judged.get(file.path) == (file.size, file.modified, True)

    @contextmanager
    def _judging(self, file: CaptureFile) -> Iterator[None]:
        """Files that turn out not to be readable raise their error, unless such files are left out."""
        try:
            yield
        except FileNotFoundError:
            pass  # it was there a moment ago
        except OSError as error:
            if not self.source.leaves_out(error):
                hint(error)
                raise
            LOG.warning("wireloom: skipped: %s", error)
            self.judged[file.path] = file.size, file.modified, False

    def _taken(self, admitted: Sequence[tuple[Grown, int]]) -> dict[str, TakenFile]:
        """The new states of files, without those that cannot be read."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = pool.map(self._take, admitted)
        return {each.file.path: taken for (each, _), one in zip(admitted, found, strict=True) for taken in one}

    def _take(self, admitted: tuple[Grown, int]) -> list[TakenFile]:
        """The new state of a file; none if it cannot be read."""
        file, end = admitted[0].file, admitted[1]
        final = not file.splittable or (self.source.clean_source != "off" and end == file.size)
        found = []
        with self._judging(file):
            found.append(TakenFile(end, file.size, file.modified, likeness_of(file.path, end), final))
        return found

    def _horizon(self, state: State, taken: Iterable[TakenFile]) -> int:
        """The time before which files are ignored from now on. A time in the future counts as now."""
        age = self.source.horizon_age
        newest = min(max(each.modified for each in taken), time.time_ns())
        return state.horizon if age is None else max(state.horizon, newest - age)

    @brief()
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The partitions between two offsets: large files in parts, small ones together."""
        taken = list(self.offsets.state(end).since(self.offsets.state(start)))
        if taken and self.captures.options.rotated:
            return [CapturePartition((self._recording(start, end, [(path, now) for path, _, now in taken]),))]
        most = self.source.task_bytes(now.end - (0 if before is None else before.end) for _, before, now in taken)
        notes = self.offsets.notes(end)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda each: self.captures.parts(*each, most=most, notes=notes), taken)
            parts = [part for parts in found for part in parts]
        tell(((part, size) for part, size in parts if part.before is None), most, whole=self.captures.whole)
        if self.captures.added.fields:
            known = self.listed
            if any(path not in known for path, *_ in taken):
                known = {file.path: file for file in self._listed()}
            parts = [(self._with_added(part, known.get(part.path)), size) for part, size in parts]
        return list(shared_out(parts, self.source))

    def _recording(self, start: dict[str, Any], end: dict[str, Any], taken: list[tuple[str, TakenFile]]) -> TakenFiles:
        """The partition of a recording. If the state of its conversations was not kept, all of it is read again."""
        before, after = (self.offsets.kept(offset) for offset in (start, end))
        earlier: list[tuple[str, TakenFile]] = []
        if before is None or not exists(before):
            before, earlier = None, sorted(self.offsets.state(start).files.items())
        taken = sorted(taken)
        names, every = zip(*earlier, *taken, strict=True)
        path = ", ".join(names[len(earlier) :])
        return TakenFiles(path, files=names, taken=every, earlier=len(earlier), before=before, after=after)

    def _with_added(self, part: TakenPart, listed: CaptureFile | None) -> TakenPart:
        """The part with its values of added columns; the task that misses a deleted file reports it."""
        taken, begun = part.taken, part.start if part.before is None else part.before.end
        file = CaptureFile(part.path, taken.size, taken.modified, "" if listed is None else listed.within)
        return replace(part, added=self.captures.added.values(file, begun, part.stop or taken.end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of the bytes that were taken."""
        return self.captures.read(partition)

    @brief()
    def commit(self, end: dict[str, Any]) -> None:
        """Remove files that were taken whole, if they are to be removed."""
        if self.source.clean_source != "off":
            self.cleaner.clean(self.offsets.state(end))


class RefusedStreamReader(DataSourceStreamReader):
    """Fails a query when it begins, because Spark does not show an error that is raised in ``streamReader``."""

    def __init__(self, error: OptionError) -> None:
        self.error = error

    @brief()
    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - these names are Spark's
        raise self.error

    @brief()
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        raise self.error

    @brief()
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        raise self.error

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        raise self.error


def _gone(state: State, files: Iterable[CaptureFile]) -> list[str]:
    """Files that were deleted and can be forgotten.

    Files of folders without any file are kept, since such a folder may not be mounted.
    """
    seen = {file.path for file in files}
    folders = {path.rpartition("/")[0] for path in seen}
    missing = [path for path in state.files if path not in seen and path.rpartition("/")[0] in folders]
    with ThreadPoolExecutor(AT_ONCE) as pool:  # a listing can miss what is replaced at that moment
        return [path for path, there in zip(missing, pool.map(exists, missing), strict=True) if not there]


def _old(state: State, horizon: int) -> list[str]:
    """Files that changed before the horizon and were taken whole."""
    return [path for path, taken in state.files.items() if 0 < taken.modified < horizon and taken.end == taken.size]
