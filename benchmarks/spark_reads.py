"""Spark on two cores: captures read whole, pruned and filtered, a column decoded, a table written back.

Each stands beside its floor: what Spark takes for as many rows of the same columns when nothing is decoded, see
``spark_floor``. All rows go to the sink ``noop``: everything is made, nothing comes to the driver.
"""

import itertools
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import captures
import rivals
import sessions
import small_files
import spark_inputs
import timing
from apart import Rate
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import LongType, StructField, StructType
from report import Report, spread
from spark_floor import FloorSource, prepare, ready
from spark_inputs import BATCH_ROWS, FILTERED, Files

from wireloom.spark import from_wire, register

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
ROWS_A_FILE = 400
"""There is one small file for so many rows of the large ones."""
TOTALS = ("opaque", "by_seqno")
"""What is summed up to see that a read is right."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something Spark does, and its floor; ``rows`` go through both."""

    name: str
    rows: int
    ours: Callable[[], object]
    floor: Callable[[], object]


def reads(rows: int, rounds: int) -> Iterator[Report]:
    """All cases, of about so many rows each."""
    spark = sessions.started()
    register(spark, "mutations", "couchbase_dcp")
    spark.dataSource.register(FloorSource)
    try:
        block = captures.mutations()
        mutations = spark_inputs.write(block, "spark_mutations", rows)
        mixed = spark_inputs.write(captures.mixed(), "spark_mixed", rows)
        cases = [*_reading(spark, mutations), _filtered(spark, mixed)]
        yield _measured([*cases, _column(spark, mutations, block), _writing(spark, mutations)], rounds)
        yield small_files.reads(spark, block, max(1, rows // ROWS_A_FILE), rounds)
    finally:
        spark.stop()


def _materialise(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _read(spark: SparkSession, protocol: str, files: Files, schema: StructType | None = None) -> DataFrame:
    pushing = spark.conf.get(PUSHDOWN, "false")
    reader = spark.read.format(protocol).option("mode", "FAILFAST").option("pushFilters", pushing)
    return (reader if schema is None else reader.schema(schema)).load(str(files.folder))


def _floor(spark: SparkSession, rows: DataFrame, files: Files, count: int, message: str | None = None) -> DataFrame:
    """Ready-made batches with the columns of ``rows``, in as many partitions."""
    path = captures.BUILD / f"floor_{files.first.protocol}_{len(rows.columns)}.arrow"
    prepare(spark_inputs.sample(files.first, message), rows.schema, path)
    given = {"path": path, "rows": count, "partitions": rows.rdd.getNumPartitions(), "schema": rows.schema.json()}
    return spark.read.format("floor").options(**{name: str(value) for name, value in given.items()}).load()


def _case(name: str, rows: DataFrame, floor: DataFrame, count: int) -> Case:
    return Case(name, count, lambda: _materialise(rows), lambda: _materialise(floor))


def _must_be(what: str, rows: DataFrame, columns: tuple[str, ...], expected: dict[str, int]) -> None:
    """See that the rows are as many as they should be, and add up to what they should. Ends the run otherwise."""
    sums = [fn.sum(column).cast("decimal(38,0)") for column in columns]
    (found,) = rows.agg(fn.count("*"), *sums).collect()
    wanted = [expected[name] for name in ("*", *(column.rpartition(".")[2] for column in columns))]
    if [int(value) for value in found] != wanted:
        sys.exit(f"{what}: {list(found)} instead of {wanted}")


def _reading(spark: SparkSession, files: Files) -> Iterator[Case]:
    """All columns, and two of them."""
    columns = ("opaque", "mutation.by_seqno")
    rows = _read(spark, "mutations", files)
    _must_be("full read", rows, columns, files.totals)
    yield _case("all columns", rows, _floor(spark, rows, files, files.rows), files.rows)
    fields = [StructField("by_seqno", LongType())]
    two = StructType([StructField("opaque", LongType()), StructField("mutation", StructType(fields))])
    pruned = _read(spark, "mutations", files, two)
    _must_be("pruned read", pruned, columns, files.totals)
    yield _case("two columns, by schema", pruned, _floor(spark, pruned, files, files.rows), files.rows)


def _filtered(spark: SparkSession, files: Files) -> Case:
    """One message of mixed traffic. All frames are counted; the floor has only those that are left."""
    spark.conf.set(PUSHDOWN, "true")
    rows = _read(spark, "couchbase_dcp", files)
    left = rows.where(fn.col("message") == FILTERED)
    expected = spark_inputs.filtered_totals(files)
    _must_be("filtered read", left, ("opaque", "system_event.by_seqno"), expected)
    floor = _floor(spark, rows, files, expected["*"], FILTERED)

    def materialise() -> None:
        spark.conf.set(PUSHDOWN, "true")
        _materialise(left)
        spark.conf.set(PUSHDOWN, "false")

    spark.conf.set(PUSHDOWN, "false")
    return Case("one message of mixed traffic, by where", files.rows, materialise, lambda: _materialise(floor))


def _column(spark: SparkSession, files: Files, block: captures.Block) -> Case:
    """``from_wire`` of a binary column in Parquet."""
    folder = spark_inputs.write_frames(block, "spark_frames", files.rows)
    frames = spark.read.parquet(str(folder))
    rows = frames.select(from_wire("frame", "mutations").alias("row"))
    _must_be("from_wire", rows, ("row.opaque", "row.mutation.by_seqno"), files.totals)
    schema = rows.schema["row"].dataType
    assert isinstance(schema, StructType)
    path = prepare(spark_inputs.sample(files.first), schema, captures.BUILD / "floor_from_wire.arrow")
    return _case("from_wire of a Parquet column", rows, frames.select(ready("frame", path, schema)), files.rows)


def _writing(spark: SparkSession, files: Files) -> Case:
    """The table of all columns back to frames. Raises what Spark raises where the source has no writer."""
    table = spark_inputs.empty("spark_table")
    _read(spark, "mutations", files).write.mode("overwrite").parquet(str(table))
    rows = spark.read.parquet(str(table))
    target, numbers = spark_inputs.empty("spark_written"), itertools.count()

    def write() -> None:
        rows.write.format("mutations").mode("append").save(str(target / str(next(numbers))))

    write()
    written = sum(file.stat().st_size for file in (target / "0").rglob("*") if _is_data(file.name))
    if written != files.size:
        sys.exit(f"writing back: {written} bytes instead of {files.size}")
    _must_be(
        "written back",
        spark.read.format("mutations").load(str(target / "0")),
        ("opaque", "mutation.by_seqno"),
        files.totals,
    )

    def write_anew() -> None:
        shutil.rmtree(target)
        write()

    options = {"path": str(target), "rows": "0", "partitions": "1", "schema": rows.schema.json()}
    swallow = rows.write.format("floor").mode("append").options(**options).save
    return Case("writing back from Parquet", files.rows, write_anew, swallow)


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_"))


_FILTERED = "Filtered: rates count all frames; the floor yields only the rows that are left."


def _measured(cases: list[Case], rounds: int) -> Report:
    rows, found = [], []
    for case in cases:
        if rounds > 1:  # a single round shows that it works, not how fast it is
            case.ours()
            case.floor()
        both = timing.alternating({"ours": case.ours, "floor": case.floor}, rounds, 0)
        ours, floor = (Rate(f"{case.name}, {item.name}", case.rows, item.seconds, item.spread) for item in both)
        lie = spread(ours.spread, floor.spread)
        share = floor.seconds / ours.seconds
        rows.append((case.name, f"{case.rows:,}", f"{ours.rate:,.0f}", f"{floor.rate:,.0f}", f"{share:.2f}", lie))
        found.append({"name": case.name, "share_of_floor": share, "rates": [ours.found(), floor.found()]})
    accelerator = "The accelerator is on." if rivals.accelerated() else "The accelerator is off."
    floor = f"The floor: ready-made batches of {BATCH_ROWS:,} rows, nothing decoded, nothing kept."
    caption = " ".join([floor, _FILTERED, accelerator])
    columns = ("", "rows", "rows/s", "floor rows/s", "of the floor", "spread")
    return Report("Spark, local[2], to noop", columns, tuple(rows), caption, found)
