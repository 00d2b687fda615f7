"""A streaming query in a process of its own, so that a test can kill it: captures of DCP to a folder of parquet files.

python -m support.streaming_query CAPTURES CHECKPOINT TARGET
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from support.spark_sessions import configured
from wireloom.spark import register


def main(captures: str, checkpoint: str, target: str) -> None:
    """Run until killed."""
    spark = configured(SparkSession.builder.master("local[2]")).getOrCreate()
    register(spark, "couchbase_dcp")
    rows = (
        spark.readStream.format("couchbase_dcp")
        .option("columns", "cas,_corrupt_reason")
        .option("logLocation", f"{target}.log")
        .option("maxFilesPerTrigger", 2)
        .option("maxBytesPerTrigger", 1000)
        .load(captures)
    )
    rows.writeStream.format("parquet").option("checkpointLocation", checkpoint).start(target).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
