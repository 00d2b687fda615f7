"""The options of the data source, beside those of all readers."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pyspark.sql import SparkSession

from wireloom.codec.meanings import EPOCH, MICROSECOND
from wireloom.files import local
from wireloom.options import (
    TRUTH,
    OptionError,
    Options,
    TextOption,
    positive,
    read_by,
    shown,
    size,
    size_or_zero,
    text,
    truth,
)
from wireloom.units import NANOSECONDS


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """Which files are read, how they are divided among tasks, and what happens to unreadable ones.

    ``modified_before`` and ``modified_after`` are nanoseconds since the epoch. ``recursive_file_lookup`` has three
    values; ``wireloom.spark.listing`` says what they mean.

    ``max_file_age`` is in nanoseconds, ``clean_source`` is ``off``, ``delete`` or ``archive``.

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
    time_zone: tzinfo | None = None
    base_path: str | None = None
    metadata: bool = False
    max_files_per_trigger: int | None = None
    max_bytes_per_trigger: int | None = None
    latest_first: bool = False
    max_file_age: int = 7 * NANOSECONDS["d"]
    clean_source: str = "off"
    source_archive_dir: str | None = None
    log_location: str | None = None

    @staticmethod
    def names() -> tuple[str, ...]:
        """The names that users write."""
        return tuple(READING)

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "SourceOptions":
        """The options among those ``given``, names in any case. Raises ``OptionError``."""
        read = read_by(READING, given)
        for name in ("modifiedBefore", "modifiedAfter"):
            if isinstance(time := read.get(READING[name].sets), datetime):
                read[READING[name].sets] = _instant(name, time, read.get("time_zone"))
        found = cls(**read)  # type: ignore[arg-type]
        if (found.clean_source == "archive") != (found.source_archive_dir is not None):
            raise OptionError("cleanSource=archive and sourceArchiveDir require each other")
        return found

    @property
    def horizon_age(self) -> int | None:
        """How old a file may be beside the newest one taken; None if what is older may be a backlog."""
        bounded = self.max_files_per_trigger is not None or self.max_bytes_per_trigger is not None
        return None if self.latest_first and bounded else self.max_file_age

    def leaves_out(self, error: OSError) -> bool:
        """Whether a file with this error is left out."""
        missing = isinstance(error, FileNotFoundError) and self.ignore_missing_files
        return missing or self.ignore_corrupt_files

    def task_bytes(self, sizes: Iterable[int]) -> int:
        """How many bytes of files with these ``sizes`` a task is to read at most, as Spark computes it for its own."""
        total = sum(size + self.open_cost for size in sizes)
        each = total // (self.min_partitions or os.cpu_count() or 1)
        return max(1, min(self.max_partition_bytes, max(self.open_cost, each)))


def hint(error: OSError) -> None:
    """Note in an error of a file, which Spark shows with its notes, the option that leaves such files out."""
    option = "ignoreMissingFiles" if isinstance(error, FileNotFoundError) else "ignoreCorruptFiles"
    error.add_note(f"the option {option}=true skips such files")


def _time(name: str, value: str) -> datetime:
    try:
        return datetime.fromisoformat(value.strip())
    except ValueError:
        raise OptionError(f"{name} must be a time such as 2026-01-31T10:00:00, not {shown(value)}") from None


def _instant(name: str, time: datetime, zone: object) -> int:
    """A time in nanoseconds since the epoch; if it names no time zone, in ``zone``, or in this machine's."""
    if time.tzinfo is None and isinstance(zone, tzinfo):
        time = time.replace(tzinfo=zone)
    try:
        return (time.astimezone(UTC) - EPOCH) // MICROSECOND * 1000
    except (OverflowError, ValueError):
        raise OptionError(f"{name} must be in the years 1 to 9999 in UTC, not {time.isoformat()}") from None


def _zone(name: str, value: str) -> tzinfo | None:
    """The time zone of this name, or so many hours and minutes from UTC."""
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    try:
        return datetime.strptime(value, "%z").tzinfo
    except ValueError:
        raise OptionError(f"{name} must be a time zone such as Europe/Paris or +02:00, not {shown(value)}") from None


def _directory(_: str, value: str) -> str:
    """A path in the form that listed files have."""
    here = local(value)
    return value.rstrip("/") if here is None else str(here.absolute())


def _duration(name: str, value: str) -> int:
    """The text of a duration in nanoseconds; milliseconds without a unit, as in Spark."""
    found = re.fullmatch(r"([0-9]{1,18})\s*([a-z]*)", value.strip().lower())
    unit = None if found is None else _UNITS.get(found[2].removesuffix("s") if len(found[2]) > 3 else found[2])
    if found is None or unit is None:
        raise OptionError(f"{name} must be a duration such as 7d, 12h or 30 minutes, not {shown(value)}")
    return int(found[1]) * unit


_UNITS = {
    **dict.fromkeys(("us", "microsecond"), NANOSECONDS["us"]),
    **dict.fromkeys(("", "ms", "millisecond"), NANOSECONDS["ms"]),
    **dict.fromkeys(("s", "sec", "second"), NANOSECONDS["s"]),
    **dict.fromkeys(("m", "min", "minute"), NANOSECONDS["min"]),
    **dict.fromkeys(("h", "hour"), NANOSECONDS["h"]),
    **dict.fromkeys(("d", "day"), NANOSECONDS["d"]),
    "week": 7 * NANOSECONDS["d"],
}


def _cleaning(name: str, value: str) -> str:
    if value.lower() not in ("off", "delete", "archive"):
        raise OptionError(f"{name} must be off, delete or archive, not {shown(value)}")
    return value.lower()


READING: Options = {
    "pathGlobFilter": TextOption(
        "path_glob_filter", text, "pattern", "*.bin", "Only files whose names match, without their directories."
    ),
    "modifiedAfter": TextOption(
        "modified_after",
        _time,
        "time",
        "2026-01-31T10:00:00Z",
        "Only files that were changed later. Without a zone, the time is in `timeZone`.",
    ),
    "modifiedBefore": TextOption(
        "modified_before", _time, "time", "2026-02-01", "Only files that were changed earlier."
    ),
    "timeZone": TextOption(
        "time_zone",
        _zone,
        "time zone",
        "Europe/Paris",
        "The time zone of times without one. By default the session's if `register` was called, else the driver's.",
    ),
    "recursiveFileLookup": TextOption(
        "recursive_file_lookup",
        truth,
        TRUTH,
        "false",
        "By default, everything below a directory is read, and directories called `name=value` give columns. `true`:"
        " the same without these columns. `false`: only the files in the directory itself and in its `name=value`"
        " directories, as in Spark's own sources.",
    ),
    "basePath": TextOption(
        "base_path",
        _directory,
        "path",
        "/data/dcp",
        "The directory below which `name=value` directories give columns, if the path is deeper or a pattern.",
    ),
    "ignoreMissingFiles": TextOption(
        "ignore_missing_files", truth, TRUTH, "true", "Skips files that are deleted while a query runs."
    ),
    "ignoreCorruptFiles": TextOption(
        "ignore_corrupt_files",
        truth,
        TRUTH,
        "true",
        "Skips deleted files, and the rest of files that cannot be read further, such as a damaged `.gz`. The rows"
        " before"
        " it stay, and the log names the files.",
    ),
    "metadata": TextOption(
        "metadata",
        truth,
        TRUTH,
        "true",
        "Adds the column `_metadata`. Batches then no longer mix records of several files.",
    ),
    "maxPartitionBytes": TextOption(
        "max_partition_bytes",
        size,
        "bytes",
        "256m",
        "The most that a task should read. Larger files are split if possible.",
    ),
    "openCostInBytes": TextOption(
        "open_cost",
        size_or_zero,
        "bytes",
        "1m",
        "The cost of opening a file, in bytes that could be read instead. Less means fewer tasks for small files.",
    ),
    "minPartitionNum": TextOption(
        "min_partitions",
        lambda name, value: positive(name, value, "partitions"),
        "number",
        "64",
        "The minimum number of tasks; by default, as many as the cluster runs at a time.",
    ),
    "maxFilesPerTrigger": TextOption(
        "max_files_per_trigger",
        lambda name, value: positive(name, value, "files"),
        "number",
        "1000",
        "How many files a batch of a stream reads at most.",
    ),
    "maxBytesPerTrigger": TextOption(
        "max_bytes_per_trigger",
        size,
        "bytes",
        "1g",
        "How many bytes a batch of a stream reads at most. A record at the limit comes with a later batch.",
    ),
    "latestFirst": TextOption("latest_first", truth, TRUTH, "true", "A stream reads the newest files first."),
    "maxFileAge": TextOption(
        "max_file_age",
        _duration,
        "duration",
        "30 minutes",
        "A file that is this much older than the newest one read is ignored, except in the first batch, and with"
        " `latestFirst` and a limit per batch. Make it longer than the pauses of growing files: a forgotten file that"
        " grows is read again from its start, which repeats its rows. A time in the future counts as now.",
    ),
    "cleanSource": TextOption(
        "clean_source",
        _cleaning,
        "name",
        "archive",
        "What a stream does with files that it has read: `off`, `delete` or `archive`. Files must be complete when they"
        " appear: an incomplete record is malformed. The files of a batch are removed when the next batch is planned,"
        " so those of the last batch stay until there is new data. Files that cannot be removed, or have changed, stay,"
        " and the log reports them.",
    ),
    "sourceArchiveDir": TextOption(
        "source_archive_dir",
        _directory,
        "path",
        "/archive",
        "Where `cleanSource` moves files, with their whole path below it. It must be neither inside nor above what"
        " is read.",
    ),
    "logLocation": TextOption(
        "log_location",
        _directory,
        "path",
        "/data/checkpoint-log",
        "A folder where streams keep the list of their files, so that their offsets stay at 100 bytes, and where tasks"
        " record how far they have read growing files and conversations in recorded packets. Streams may share it.",
    ),
}
"""The options of the source."""

_SETTINGS = ("maxPartitionBytes", "openCostInBytes", "minPartitionNum", "ignoreCorruptFiles", "ignoreMissingFiles")


def settings(spark: SparkSession) -> dict[str, str]:
    """The options that a session has as settings of its own file sources, and how many tasks it runs at a time."""
    found = {name: spark.conf.get(f"spark.sql.files.{name}", None) for name in _SETTINGS}
    if not found["minPartitionNum"]:
        context = getattr(spark, "sparkContext", None)  # none in Spark Connect
        parallel = str(context.defaultParallelism) if context else spark.conf.get("spark.default.parallelism", None)
        found["minPartitionNum"] = spark.conf.get("spark.sql.leafNodeDefaultParallelism", None) or parallel
    with suppress(OptionError):  # Spark knows zones of more names
        zone = spark.conf.get("spark.sql.session.timeZone", None) or ""
        _zone("timeZone", zone)
        found["timeZone"] = zone
    return {name: value for name, value in found.items() if value}


def split_paths(options: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The paths among a reader's options, and the other options."""
    rest = {name: value for name, value in options.items() if name.lower() not in ("path", "paths")}
    given = {name.lower(): value for name, value in options.items()}
    if "paths" in given:
        return tuple(json.loads(given["paths"])), rest
    return ((given["path"],) if "path" in given else ()), rest
