"""Summaries of the rows that were read."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from wireloom.options import OptionError
from wireloom.spark.names import with_known_names

_NEEDED = ("_file", "_offset", "_length", "_corrupt_reason")


def summary(rows: DataFrame) -> DataFrame:
    """Count the records of each file and the damage in it.

    Parameters
    ----------
    rows : :class:`~pyspark.sql.DataFrame`
        Captures read with the option ``positions``, in mode ``PERMISSIVE``, which is the default.

    Returns
    -------
    :class:`~pyspark.sql.DataFrame`
        A row per file: ``_file``, ``records``, ``malformed``, ``malformed_bytes`` and ``first_reason``.

    Raises
    ------
    OptionError
        If a column is missing.

    Examples
    --------
    >>> from wireloom.spark import register, summary
    >>> register(spark, "couchbase_dcp")
    >>> reader = spark.read.format("couchbase_dcp").option("positions", True)
    >>> frames = reader.load("examples/captures/couchbase_dcp/session.bin")
    >>> summary(frames).select("records", "malformed").show()
    +-------+---------+
    |records|malformed|
    +-------+---------+
    |     49|        2|
    +-------+---------+
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
