"""Captures and binary columns in Spark, and what is made of their rows."""

from wireloom.extras import needed

with needed("wireloom.spark", "spark"):
    import pyspark  # noqa: F401 - a cluster has it, and is not told to install it again
with needed("wireloom.spark", "arrow"):
    from wireloom.spark.conversations import conversations
    from wireloom.spark.functions import from_wire, from_wire_many, to_wire
    from wireloom.spark.indexing import index
    from wireloom.spark.narrowing import narrow
    from wireloom.spark.pairing import paired
    from wireloom.spark.sources import dataset, register
    from wireloom.spark.summaries import summary

__all__ = [
    "conversations",
    "dataset",
    "from_wire",
    "from_wire_many",
    "index",
    "narrow",
    "paired",
    "register",
    "summary",
    "to_wire",
]
