"""Captures and binary columns in Spark: ``register(spark)``, ``from_wire`` and ``to_wire``."""

from wireloom.spark.functions import from_wire, to_wire
from wireloom.spark.sources import register

__all__ = ["from_wire", "register", "to_wire"]
