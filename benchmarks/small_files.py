"""Many small captures read by Spark: processor time a file, beside ``binaryFile``, which only hands on the bytes."""

import statistics
import sys
from collections.abc import Callable

import spark_inputs
import timing
from captures import Block
from pyspark.sql import DataFrame, SparkSession
from report import Report, spread

RECORDS = 20
"""In each file."""


def reads(spark: SparkSession, block: Block, files: int, rounds: int) -> Report:
    """So many files, each with the first records of ``block``."""
    folder = spark_inputs.empty("spark_small")
    data = b"".join(block.frames[:RECORDS])
    for number in range(files):
        (folder / f"{number:06}.bin").write_bytes(data)
    rows = spark.read.format(block.protocol).option("mode", "FAILFAST").load(str(folder))
    if (count := rows.count()) != files * RECORDS:
        sys.exit(f"small files: {count} rows instead of {files * RECORDS}")
    bytes_alone = spark.read.format("binaryFile").load(str(folder))
    cases = {block.protocol: rows, "binaryFile": bytes_alone}
    found = {name: [timing.busy(_reading(each))[1] / files for _ in range(rounds)] for name, each in cases.items()}
    beside = statistics.median(found["binaryFile"])
    lines = []
    for name, times in found.items():
        middle = statistics.median(times)
        lie = spread((max(times) - min(times)) / middle) if rounds > 1 else ""
        lines.append((name, f"{files:,}", f"{middle * 1000:.2f}", f"{middle / beside:.2f}", lie))
    columns = ("", "files", "ms CPU a file", "× binaryFile", "spread")
    caption = f"{RECORDS} records, {len(data):,} bytes a file. Processor time of the driver, the JVM and all workers."
    return Report("Spark, local[2], many small files to noop", columns, tuple(lines), caption, found)


def _reading(rows: DataFrame) -> Callable[[], object]:
    return lambda: rows.write.format("noop").mode("overwrite").save()
