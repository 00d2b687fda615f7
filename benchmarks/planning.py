"""Many small captures and some huge ones: what planning reads of a file, what a file costs, and that no row is missing.

Local files, or those of an object store, read on two cores of this machine or by a standalone cluster. Beside them
Spark's own sources read the same files (``binaryFile``) and the same records as lines of JSON (``json``).
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import captures
import protocols
import sessions
import spark_inputs
import timing
from captures import Block
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType
from report import Report

from wireloom import files
from wireloom.filesystems import Local, Remote
from wireloom.spark import index, register
from wireloom.spark.options import settings
from wireloom.spark.sources import source_of

PROTOCOL = "mutations"
RECORDS = 20
"""In each small file."""
MEGABYTE = 1_000_000
CHECKED = ("opaque", "mutation.by_seqno")


@dataclass(frozen=True, slots=True)
class Effort:
    """How many files, of which size, where: on a cluster, and below the URI ``store``, if it is not this machine."""

    small: int
    large: int
    megabytes: float
    cluster: bool = False
    store: str = ""
    memory: str = "2g"


@dataclass(frozen=True, slots=True)
class Files:
    """Some files of a folder, and what their records add up to."""

    what: str
    folder: str
    count: int
    size: int
    totals: dict[str, int]


def costs(effort: Effort) -> Iterator[Report]:
    """A report of small files and one of large ones."""
    block = captures.mutations()
    with sessions.cluster(effort.memory) if effort.cluster else nullcontext(sessions.LOCAL) as master:
        spark = sessions.started(master, effort.memory)
        try:
            register(spark, PROTOCOL)
            where = f"{'standalone, two workers' if effort.cluster else master}, {effort.store or 'local files'}"
            yield _report(spark, _small(block, effort), where)
            yield _report(spark, _large(block, effort), where)
        finally:
            spark.stop()


def _small(block: Block, effort: Effort) -> Files:
    data = b"".join(block.frames[:RECORDS])
    table = protocols.load(PROTOCOL).decode_columnar(data)
    totals = {"*": RECORDS, "opaque": _sum(table["opaque"]), "by_seqno": _sum(table["mutation"], "by_seqno")}
    return _written("small", data, 1, totals, effort.small, effort.store)


def _large(block: Block, effort: Effort) -> Files:
    data = b"".join(block.frames)
    times = max(1, round(effort.megabytes * MEGABYTE / len(data)))
    return _written("large", data, times, dict(block.totals), effort.large, effort.store)


def _sum(column: Any, field: str = "") -> int:
    return sum(int(value[field] if field else value) for value in column.to_pylist())


def _written(what: str, data: bytes, times: int, totals: dict[str, int], count: int, store: str) -> Files:
    """So many files, each with ``data`` so many times, of which the totals are given."""
    folder = f"{store}/planning_{what}" if store else str(spark_inputs.empty(f"planning_{what}"))
    files.removed(folder)
    for number in range(count):
        with files.created(f"{folder}/{number:06}.bin") as target:
            for _ in range(times):
                target.write(data)
    known = {name: count * times * totals[name] for name in ("*", "opaque", "by_seqno")}
    return Files(what, folder, count, count * times * len(data), known)


def _report(spark: SparkSession, given: Files, where: str) -> Report:
    rows = spark.read.format(PROTOCOL).option("mode", "FAILFAST").load(given.folder)
    lines = [_planning(spark, given, rows.schema, "planned without indexes")]
    if given.size > given.count * files.INDEX_EVERY:
        lines.append(_indexing(spark, given))
        lines.append(_planning(spark, given, rows.schema, "planned with indexes"))
    _must_be_exact(spark, given)
    lines.append(_read(given, rows, PROTOCOL))
    if "://" not in given.folder:
        lines += _beside(spark, given, rows.schema)
    columns = ("", "tasks", "seconds", "s/file", "ms CPU/file", "bytes read by the driver/file")
    title = f"Spark, {where}: {given.count:,} files of {given.size / given.count / MEGABYTE:,.3f} MB"
    caption = (
        f"All {given.totals['*']:,} rows are there and add up. Processor time of the driver, the JVMs and all workers."
    )
    return Report(title, columns, tuple(line for line, _ in lines), caption, [found for _, found in lines])


Line = tuple[tuple[str, ...], dict[str, Any]]
"""A row of the report, and its numbers."""


def _planning(spark: SparkSession, given: Files, schema: StructType, what: str) -> Line:
    """What the driver does with the files before there are tasks, done in this process."""
    source = source_of(PROTOCOL)
    source.settings = settings(spark)
    reader = source({"path": given.folder}).reader(schema)
    with _counted() as read:
        start = time.perf_counter()
        tasks = len(reader.partitions())
        seconds = time.perf_counter() - start
    return _line(what, given.count, seconds, tasks=tasks, read=sum(read))


@contextmanager
def _counted() -> Iterator[list[int]]:
    """The sizes of all that is read of files meanwhile, in this process."""
    sizes: list[int] = []

    class Counting:
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def __getattr__(self, name: str) -> Any:
            return getattr(self.stream, name)

        def __enter__(self) -> "Counting":
            return self

        def __exit__(self, *_: object) -> None:
            self.stream.close()

        def read(self, size: int = -1) -> bytes:
            data: bytes = self.stream.read(size)
            sizes.append(len(data))
            return data

    def counting(reader: Callable[..., Any]) -> Callable[..., Counting]:
        return lambda self, *given: Counting(reader(self, *given))

    with ExitStack() as patched:
        for kind in (Local, Remote):
            patched.enter_context(patch.object(kind, "reader", counting(kind.reader)))
        yield sizes


def _indexing(spark: SparkSession, given: Files) -> Line:
    made: list[Any] = []
    line = _measured(
        "wireloom.spark.index", given.count, lambda: made.extend(index(spark, PROTOCOL, given.folder).collect())
    )
    if len(made) != given.count or not all(row.made and row.places for row in made):
        sys.exit(f"{given.what}: not all indexes were made: {made[:3]}")
    return line


def _must_be_exact(spark: SparkSession, given: Files) -> None:
    """See that all rows are there and add up to what was written. Ends the run otherwise."""
    read = spark.read.format(PROTOCOL).options(mode="FAILFAST", columns=",".join(CHECKED))
    sums = [fn.sum(column).cast("decimal(38,0)") for column in CHECKED]
    (found,) = read.load(given.folder).agg(fn.count("*"), *sums).collect()
    if [int(value) for value in found] != list(given.totals.values()):
        sys.exit(f"{given.what}: {list(found)} instead of {given.totals}")


def _read(given: Files, rows: DataFrame, name: str, count: int | None = None, part: float = 1) -> Line:
    """All columns to nothing; the files are ``count``, each a ``part`` of one of the others."""
    write = rows.write.format("noop").mode("overwrite").save
    return _measured(name, (count or given.count) * part, write, tasks=rows.rdd.getNumPartitions())


def _beside(spark: SparkSession, given: Files, schema: StructType) -> Iterator[Line]:
    """Spark's own sources, lines of JSON with the same records among them.

    Of large files a tenth of two: ``binaryFile`` holds each file several times, and JSON is several times as large.
    """
    small = given.what == "small"
    block, lines = captures.mutations(), spark_inputs.empty("planning_lines")
    frames = block.frames[:RECORDS] if small else block.frames
    data = b"".join(frames)
    count, part = (given.count, 1.0) if small else (min(2, given.count), 0.1)
    times = max(1, round(given.totals["*"] / given.count * part / len(frames)))
    kept = spark_inputs.empty("planning_sample") / "0.bin"
    kept.write_bytes(data)
    spark.read.format(PROTOCOL).load(str(kept)).coalesce(1).write.mode("overwrite").json(str(lines))
    (made,) = lines.glob("*.json")
    columns = StructType([field for field in schema if not field.name.startswith("_")])
    for name, text in {"binaryFile": data, "json": made.read_bytes()}.items():
        folder = spark_inputs.empty(f"planning_{name}")
        for number in range(count):
            with (folder / f"{number:06}").open("wb") as target:
                for _ in range(times):
                    target.write(text)
        reader = spark.read.schema(columns) if name == "json" else spark.read
        told = name if small else f"{name}, of {count} files a tenth, times ten"
        yield _read(given, reader.format(name).load(str(folder)), told, count, part)


def _measured(name: str, count: float, call: Callable[[], object], tasks: int | None = None) -> Line:
    seconds, busy = timing.busy(call)
    return _line(name, count, seconds, tasks=tasks, busy=busy)


def _line(
    name: str,
    count: float,
    seconds: float,
    *,
    tasks: int | None = None,
    busy: float | None = None,
    read: int | None = None,
) -> Line:
    words = (
        name,
        "" if tasks is None else f"{tasks:,}",
        f"{seconds:.1f}",
        f"{seconds / count:.4f}",
        "" if busy is None else f"{busy / count * 1000:,.2f}",
        "" if read is None else f"{read / count:,.0f}",
    )
    print(*words, file=sys.stderr)  # a run is long
    return words, {"name": name, "files": count, "seconds": seconds, "tasks": tasks, "busy": busy, "read": read}
