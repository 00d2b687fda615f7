"""A summary of what was read."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from wireloom.options import OptionError
from wireloom.spark.names import with_known_names

_NEEDED = ("_file", "_offset", "_length", "_corrupt_reason")


def summary(rows: DataFrame) -> DataFrame:
    """One row per file: its records, how many of them are malformed, the bytes of those, and the first one's reason.

    ``rows`` come from a capture read with the option ``positions``; in mode ``PERMISSIVE``, or nothing is malformed.
    Raises ``OptionError`` if the columns for it are not there.
    """
    rows = with_known_names(rows, _NEEDED)
    missing = [name for name in _NEEDED if name not in rows.columns]
    if missing:
        raise OptionError(f'a summary needs {", ".join(missing)}; read with option("positions", True)')
    malformed = fn.col("_corrupt_reason").isNotNull()
    return rows.groupBy("_file").agg(
        fn.count("*").alias("records"),
        fn.count_if(malformed).alias("malformed"),
        fn.coalesce(fn.sum(fn.when(malformed, fn.col("_length"))), fn.lit(0)).alias("malformed_bytes"),
        fn.min_by(fn.when(malformed, fn.col("_corrupt_reason")), fn.when(malformed, fn.col("_offset"))).alias(
            "first_reason"
        ),
    )
