"""Protocols by the names of formats: the name under which a session registered a protocol is known wherever one is
named.
"""

from contextlib import suppress

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from wireloom import registry

_SETTING = "spark.wireloom.protocols."
"""How the settings of a session begin that say which protocol a format is of; Spark ignores the case of formats."""


def remember(spark: SparkSession, name: str, protocol: str) -> None:
    """Let a name mean the protocol in this session, also in copies of it, as streams have.

    Some services take no settings but those that they know; there a protocol is known by its module.
    """
    with suppress(PySparkException):
        spark.conf.set(f"{_SETTING}{name.lower()}", protocol)


def resolve_protocol(name: str, spark: SparkSession | None) -> str:
    """The protocol that a session has registered under a name; else that which is installed or imported by it.

    Workers know it, as they know no session. Raises ``OptionError`` if there is none.
    """
    registered = None if spark is None else spark.conf.get(f"{_SETTING}{name.lower()}", None)
    protocol = name if registered is None else registered
    registry.load(protocol)
    return protocol
