"""Captures and binary columns in Spark: ``register(spark)``, ``from_wire``, ``from_wire_many`` and ``to_wire``."""

from wireloom.spark.functions import from_wire, from_wire_many, to_wire
from wireloom.spark.sources import register

__all__ = ["from_wire", "from_wire_many", "register", "to_wire"]
