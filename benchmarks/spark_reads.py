"""Spark on two cores: captures read whole, pruned and filtered, a column decoded, a table written back.

Each stands beside its floor: what Spark takes for as many rows of the same columns when nothing is decoded, see
``spark_floor``. All rows go to the sink ``noop``: everything is made, nothing comes to the driver.
"""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import captures
import sessions
import small_files
import spark_inputs
import timing
from apart import Rate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import LongType, StructField, StructType
from report import Measured, Report, spread
from rivals import RIVALS, SWITCH
from spark_floor import FloorSource, prepare, ready
from spark_inputs import BATCH_ROWS, FILTERED, Files

from wireloom.files import INDEX
from wireloom.spark import from_wire, register

ROWS_A_FILE = 400
"""There is one small file for so many rows of the large ones."""
TOTALS = ("opaque", "by_seqno")
"""What is summed up to see that a read is right."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something Spark does in each way, and its floor; ``rows`` go through all of them."""

    name: str
    rows: int
    ours: Mapping["Way", Callable[[], object]]
    floor: Callable[[], object]
    target: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """With the accelerator or without it, of which a protocol's format has a name of its own."""

    accelerated: bool

    def __str__(self) -> str:
        return "accelerated" if self.accelerated else "plain"

    def format(self, protocol: str) -> str:
        """What the format is called."""
        return f"{protocol}_{self}"

    @contextmanager
    def workers(self, spark: SparkSession) -> Iterator[None]:
        """What is made meanwhile runs in workers that go this way."""
        before = spark.sparkContext.environment.get(SWITCH)
        spark.sparkContext.environment[SWITCH] = str(int(self.accelerated))
        try:
            yield
        finally:
            spark.sparkContext.environment.pop(SWITCH)
            if before is not None:
                spark.sparkContext.environment[SWITCH] = before


def _ways(spark: SparkSession) -> list[Way]:
    """Both ways, if there is an accelerator."""
    found = [Way(False), *([Way(True)] if RIVALS["columnar_accelerated"].may_run() else [])]
    for way in found:
        with way.workers(spark):
            for protocol in ("mutations", "couchbase_dcp"):
                register(spark, protocol, name=way.format(protocol))
    return found


def reads(rows: int, rounds: int) -> Iterator[Report]:
    """All cases, of about so many rows each."""
    spark = sessions.started()
    register(spark, "mutations")
    spark.dataSource.register(FloorSource)
    try:
        ways = _ways(spark)
        block = captures.mutations()
        mutations = spark_inputs.write(block, "spark_mutations", rows)
        mixed = spark_inputs.write(captures.mixed(), "spark_mixed", rows)
        cases = [*_reading(spark, ways, mutations), _filtered(spark, ways, mixed)]
        cases += [_column(spark, ways, mutations, block), _writing(spark, ways, mutations)]
        yield _measured(cases, rounds)
        yield _longs(spark, ways, mutations, rounds)
        yield small_files.reads(spark, block, max(1, rows // ROWS_A_FILE), rounds)
    finally:
        spark.stop()


def _materialise(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _read(spark: SparkSession, name: str, files: Files, schema: StructType | None = None, **options: str) -> DataFrame:
    reader = spark.read.format(name).options(mode="FAILFAST", **options)
    return (reader if schema is None else reader.schema(schema)).load(str(files.folder))


def _floor(spark: SparkSession, rows: DataFrame, files: Files, count: int, message: str | None = None) -> DataFrame:
    """Ready-made batches with the columns of ``rows``, in as many partitions."""
    path = captures.BUILD / f"floor_{files.first.protocol}_{len(rows.columns)}.arrow"
    prepare(spark_inputs.sample(files.first, message), rows.schema, path)
    given = {"path": path, "rows": count, "partitions": rows.rdd.getNumPartitions(), "schema": rows.schema.json()}
    return spark.read.format("floor").options(**{name: str(value) for name, value in given.items()}).load()


def _written(rows: DataFrame) -> Callable[[], object]:
    return lambda: _materialise(rows)


def _must_be(what: str, rows: DataFrame, columns: tuple[str, ...], expected: dict[str, int]) -> None:
    """See that the rows are as many as they should be, and add up to what they should. Ends the run otherwise."""
    sums = [fn.sum(fn.col(column).cast("decimal(20,0)")) for column in columns]
    (found,) = rows.agg(fn.count("*"), *sums).collect()
    wanted = [expected[name] for name in ("*", *(column.rpartition(".")[2] for column in columns))]
    if [int(value) for value in found] != wanted:
        sys.exit(f"{what}: {list(found)} instead of {wanted}")


def _reading(spark: SparkSession, ways: list[Way], files: Files) -> Iterator[Case]:
    """All columns, and two of them."""
    fields = [StructField("by_seqno", LongType())]
    two = StructType([StructField("opaque", LongType()), StructField("mutation", StructType(fields))])
    cases = {"all columns": (None, "spark_read"), "two columns, by schema": (two, "")}
    for name, (schema, target) in cases.items():
        found = {way: _read(spark, way.format("mutations"), files, schema) for way in ways}
        for rows in found.values():
            _must_be(name, rows, ("opaque", "mutation.by_seqno"), files.totals)
        floor = _floor(spark, found[ways[0]], files, files.rows)
        ours = {way: _written(rows) for way, rows in found.items()}
        yield Case(name, files.rows, ours, _written(floor), target)


def _longs(spark: SparkSession, ways: list[Way], files: Files, rounds: int) -> Report:
    """Reads with unsigned 64-bit numbers as longs. One number, the CAS, is a decimal else."""
    cases = {"all 18 columns": ("", "spark_longs"), "three columns": ("opaque,vbucket,cas", "spark_few_longs")}
    rows, found, times, reached = [], [], {}, []
    for name, (columns, target) in cases.items():
        for way in ways:
            given = {"columns": columns} if columns else {}
            reads = {
                u64: _read(spark, way.format("mutations"), files, u64=u64, **given) for u64 in ("declared", "long")
            }
            _must_be(f"longs, {name}", reads["long"], ("opaque", "cas"), files.totals)
            calls = {u64: _written(read) for u64, read in reads.items()}
            if rounds > 1:
                for call in calls.values():
                    call()
            decimals, longs = (
                Rate(f"{name}, {way}, {each.name}", files.rows, each.shared(files.rows))
                for each in timing.alternating(calls, rounds, 0)
            )
            over = longs.over(decimals)
            cells = (f"{each.rate:,.0f}" for each in (decimals, longs))
            rows.append((f"{name}, {way}", *cells, f"{over.value:.2f}", spread(over.spread)))
            found.append({"name": f"{name}, {way}", "ratio": over.value, "rates": [decimals.found(), longs.found()]})
            times |= {each.name: each.each.seconds for each in (decimals, longs)}
            reached.append(Measured(target, way.accelerated, over))
    heads = ("", "decimals/s", "longs/s", "longs ÷ decimals", "spread")
    caption = "Mutations, whose CAS is the only number without a bound."
    return Report("Spark: u64 as longs", heads, tuple(rows), caption, found, times, tuple(reached))


def _filtered(spark: SparkSession, ways: list[Way], files: Files) -> Case:
    """One message of mixed traffic. All frames are counted; the floor has only those that are left."""
    found = {way: _read(spark, way.format("couchbase_dcp"), files, messages=FILTERED) for way in ways}
    expected = spark_inputs.filtered_totals(files)
    for rows in found.values():
        _must_be("filtered read", rows, ("opaque", "system_event.by_seqno"), expected)
    floor = _floor(spark, found[ways[0]], files, expected["*"], FILTERED)
    ours = {way: _written(rows) for way, rows in found.items()}
    return Case("one message of mixed traffic", files.rows, ours, _written(floor))


def _column(spark: SparkSession, ways: list[Way], files: Files, block: captures.Block) -> Case:
    """``from_wire`` of a binary column in Parquet."""
    folder = spark_inputs.write_frames(block, "spark_frames", files.rows)
    frames = spark.read.parquet(str(folder))
    found = {}
    for way in ways:
        with way.workers(spark):
            found[way] = frames.select(from_wire("frame", "mutations").alias("row"))
        _must_be("from_wire", found[way], ("row.opaque", "row.mutation.by_seqno"), files.totals)
    schema = found[ways[0]].schema["row"].dataType
    assert isinstance(schema, StructType)
    path = prepare(spark_inputs.sample(files.first), schema, captures.BUILD / "floor_from_wire.arrow")
    floor = _written(frames.select(ready("frame", path, schema)))
    ours = {way: _written(rows) for way, rows in found.items()}
    return Case("from_wire of a Parquet column", files.rows, ours, floor, "from_wire")


def _writing(spark: SparkSession, ways: list[Way], files: Files) -> Case:
    """The table of all columns back to frames. Raises what Spark raises where the source has no writer."""
    table = spark_inputs.empty("spark_table")
    _read(spark, "mutations", files).write.mode("overwrite").parquet(str(table))
    rows = spark.read.parquet(str(table))
    target = spark_inputs.empty("spark_written")

    def writing(way: Way) -> Callable[[], object]:
        def write() -> None:
            shutil.rmtree(target)
            rows.write.format(way.format("mutations")).mode("append").save(str(target))

        return write

    ours = {way: writing(way) for way in ways}
    for write in ours.values():
        write()
        written = sum(file.stat().st_size for file in target.rglob("*") if _is_data(file.name))
        if written != files.size:
            sys.exit(f"writing back: {written} bytes instead of {files.size}")
        back = spark.read.format("mutations").load(str(target))
        _must_be("written back", back, ("opaque", "mutation.by_seqno"), files.totals)
    options = {"schema": rows.schema.json(), "row_bytes": str(files.size / files.rows)}

    def floor() -> None:
        shutil.rmtree(target)
        rows.write.format("floor").mode("append").options(**options).save(str(target))

    return Case("writing back from Parquet", files.rows, ours, floor, "spark_write")


def _is_data(name: str) -> bool:
    """Whether a file is neither a mark of Spark nor an index."""
    return not name.startswith((".", "_")) and not name.endswith(INDEX)


_FILTERED = "Filtered: rates count all frames; the floor yields only the rows that are left."


def _measured(cases: list[Case], rounds: int) -> Report:
    rows, found, times, reached = [], [], {}, []
    for case in cases:
        calls = {**{str(way): call for way, call in case.ours.items()}, "floor": case.floor}
        if rounds > 1:  # a single round shows that it works, not how fast it is
            for call in calls.values():
                call()
        rates = {
            each.name: Rate(each.name, case.rows, each.shared(case.rows))
            for each in timing.alternating(calls, rounds, 0)
        }
        floor = rates["floor"]
        shares = {way: rates[str(way)].over(floor) for way in case.ours}
        cells = [f"{rates[str(way)].rate:,.0f}" for way in shares]
        cells += [f"{share.value:.2f} {spread(share.spread)}".rstrip() for share in shares.values()]
        rows.append((case.name, f"{case.rows:,}", f"{floor.rate:,.0f}", *cells))
        told = {str(way): share.value for way, share in shares.items()}
        found.append({"name": case.name, "share_of_floor": told, "rates": [rate.found() for rate in rates.values()]})
        times |= {f"{case.name}, {way}": rates[str(way)].each.seconds for way in shares}
        if case.target:
            reached += [Measured(case.target, way.accelerated, share) for way, share in shares.items()]
    floor_is = f"The floor: ready-made batches of {BATCH_ROWS:,} rows, nothing decoded; as many bytes, nothing encoded."
    ways = list(cases[0].ours)
    columns = (
        "",
        "rows",
        "floor/s",
        *(f"{way}/s" for way in ways),
        *(f"{way} ÷ floor" for way in ways),
    )
    return Report(
        "Spark, local[2], to noop", columns, tuple(rows), f"{floor_is} {_FILTERED}", found, times, tuple(reached)
    )
