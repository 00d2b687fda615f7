"""Captures and binary columns in Spark: ``register``, ``dataset``, ``index``, ``summary``, and the column functions."""

from wireloom.extras import needed

with needed("wireloom.spark", "spark"):
    import pyspark  # noqa: F401 - a cluster has it, and is not told to install it again
with needed("wireloom.spark", "arrow"):
    from wireloom.spark.functions import from_wire, from_wire_many, to_wire
    from wireloom.spark.indexing import index
    from wireloom.spark.sources import dataset, register
    from wireloom.spark.summaries import summary

__all__ = ["dataset", "from_wire", "from_wire_many", "index", "register", "summary", "to_wire"]
