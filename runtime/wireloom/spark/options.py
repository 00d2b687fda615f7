"""The options of the data source, beside those of all readers."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession

from wireloom.files import local
from wireloom.options import OptionError, Parameter, Readers, ReadOptions, positive, read_by, truth, unknown


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which files are read, how they are divided among tasks, what happens to unreadable ones, and who filters.

    ``modified_before`` and ``modified_after`` are nanoseconds since the epoch. ``recursive_file_lookup`` has three
    values; ``wireloom.spark.listing`` says what they mean.

    ``push_filters`` is for data that is queried once: Spark 4.3 applies the filters of one query also to later queries
    over the same DataFrame, and to other branches of a query that uses it twice.

    ``open_cost`` is the cost of opening a file, in bytes that could be read instead.
    """

    max_partition_bytes: int = 128 * 1024 * 1024
    open_cost: int = 4 * 1024 * 1024
    min_partitions: int | None = None
    ignore_corrupt_files: bool = False
    ignore_missing_files: bool = False
    path_glob_filter: str | None = None
    recursive_file_lookup: bool | None = None
    modified_before: int | None = None
    modified_after: int | None = None
    base_path: str | None = None
    metadata: bool = False
    push_filters: bool = False
    max_files_per_trigger: int | None = None
    max_bytes_per_trigger: int | None = None

    @staticmethod
    def names() -> tuple[str, ...]:
        """The names that users write."""
        return tuple(_READERS)

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "SourceOptions":
        """The options among those ``given``, names in any case. Raises ``OptionError``."""
        return cls(**read_by(_READERS, given))  # type: ignore[arg-type]

    def leaves_out(self, error: OSError) -> bool:
        """Whether a file with this error is left out."""
        missing = isinstance(error, FileNotFoundError) and self.ignore_missing_files
        return missing or self.ignore_corrupt_files

    def task_bytes(self, sizes: Iterable[int]) -> int:
        """How many bytes of files with these ``sizes`` a task is to read at most, as Spark computes it for its own."""
        total = sum(size + self.open_cost for size in sizes)
        each = total // (self.min_partitions or os.cpu_count() or 1)
        return max(1, min(self.max_partition_bytes, max(self.open_cost, each)))


def _time(name: str, value: str) -> int:
    """The text of a time, in this machine's time zone if it names none, in nanoseconds since the epoch."""
    try:
        time = datetime.fromisoformat(value.strip())
    except ValueError:
        raise OptionError(f"{name} is a time such as 2026-01-31T10:00:00, not {value!r}") from None
    return (time.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1) * 1000


def _directory(_: str, value: str) -> str:
    """A path in the form that listed files have."""
    here = local(value)
    return value.rstrip("/") if here is None else str(here.absolute())


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIZE = re.compile(r"([0-9]+)(?:([kmgtp]?)b?)", re.IGNORECASE)


def _size(name: str, value: str, least: int = 0) -> int:
    """The text of an option as a number of bytes; ``64m`` and ``64MB`` are 64 MiB, as in Spark's settings."""
    found = _SIZE.fullmatch(value.strip())
    size = int(found[1]) << (10 * " kmgtp".index(found[2].lower() or " ")) if found else -1
    if size < least:
        raise OptionError(f"{name} is a number of bytes, or such as 64m, not {value!r}")
    return size


_READERS: Readers = {
    "maxPartitionBytes": ("max_partition_bytes", lambda name, value: _size(name, value, 1)),
    "openCostInBytes": ("open_cost", _size),
    "minPartitionNum": ("min_partitions", lambda name, value: positive(name, value, "partitions")),
    "ignoreCorruptFiles": ("ignore_corrupt_files", truth),
    "ignoreMissingFiles": ("ignore_missing_files", truth),
    "pathGlobFilter": ("path_glob_filter", lambda _, value: value),
    "recursiveFileLookup": ("recursive_file_lookup", truth),
    "modifiedBefore": ("modified_before", _time),
    "modifiedAfter": ("modified_after", _time),
    "basePath": ("base_path", _directory),
    "metadata": ("metadata", truth),
    "pushFilters": ("push_filters", truth),
    "maxFilesPerTrigger": ("max_files_per_trigger", lambda name, value: positive(name, value, "files")),
    "maxBytesPerTrigger": ("max_bytes_per_trigger", positive),
}
"""The options of the source."""

_SETTINGS = ("maxPartitionBytes", "openCostInBytes", "minPartitionNum")


def settings(spark: SparkSession) -> dict[str, str]:
    """The options that a session has as settings of its own file sources, and how many tasks it runs at a time."""
    found = {name: spark.conf.get(f"spark.sql.files.{name}", None) for name in _SETTINGS}
    if not found["minPartitionNum"]:
        context = getattr(spark, "sparkContext", None)  # none in Spark Connect
        parallel = str(context.defaultParallelism) if context else spark.conf.get("spark.default.parallelism", None)
        found["minPartitionNum"] = spark.conf.get("spark.sql.leafNodeDefaultParallelism", None) or parallel
    return {name: value for name, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How captures are written. ``message`` is that of rows without one; ``compression`` is as in file names."""

    message: str | None = None
    corrupt_column: str = "_corrupt_record"
    compression: str | None = None
    parameters: Mapping[str, bool | str] = field(default_factory=dict)

    @staticmethod
    def names() -> tuple[str, ...]:
        """The names that users write, and that readers do not know."""
        return ("compression",)

    @classmethod
    def known(cls, parameters: Iterable[Parameter]) -> dict[str, str]:
        """The names of all options of writing, parameters among them, by their lower case."""
        names = (*cls.names(), "message", "columnNameOfCorruptRecord", *(parameter.name for parameter in parameters))
        return {name.lower(): name for name in names}

    @classmethod
    def of(cls, given: Mapping[str, str], parameters: Iterable[Parameter], messages: Iterable[str]) -> "WriteOptions":
        """The options ``given``, names in any case; parameters stand among them. Raises ``OptionError``."""
        known = tuple(parameters)
        names = cls.known(known)
        for name in given:
            if name.lower() == "mode":
                raise OptionError("mode is an option of reading: a row that cannot be written fails the job")
            if name.lower() not in names:
                raise OptionError(unknown("option", name, names.values()))
        read = ReadOptions.of(given, known, messages, others=cls.names())
        compression = next((value.lower() for name, value in given.items() if name.lower() == "compression"), "none")
        if compression not in ("none", "gzip", "zstd"):
            raise OptionError(f"compression is none, gzip or zstd, not {compression!r}")
        return cls(read.message, read.corrupt_column, None if compression == "none" else compression, read.parameters)


def split_paths(options: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The paths among a reader's options, and the other options."""
    rest = {name: value for name, value in options.items() if name.lower() not in ("path", "paths")}
    given = {name.lower(): value for name, value in options.items()}
    if "paths" in given:
        return tuple(json.loads(given["paths"])), rest
    return ((given["path"],) if "path" in given else ()), rest
