"""A protocol does not have the name of a format that Spark already has.

In Spark a protocol is a format, ``spark.read.format("<protocol>")``, and Spark finds its own formats before those that
are registered. A protocol with such a name can be registered under another, ``register(spark, "kafka",
name="kafka_log")``, and works everywhere else. So this is a warning; accept it to keep the document's name.

Bad::

    specs/kafka/protocol.yaml

Good::

    specs/kafka_log/protocol.yaml
"""

from collections.abc import Iterator

from wireloom_generator import naming
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity


def check(spec: Resolved) -> Iterator[Problem]:
    """The protocol's name, if Spark has taken it."""
    name = spec.protocol.name
    if name in naming.SPARK_FORMATS:
        what = f"{name!r} is a format of Spark's own"
        hint = f'say whose protocol it is, or accept this and register(spark, "{name}", name="…")'
        yield Problem(spec.protocol.where("protocol"), "spark-format", what, hint, Severity.WARNING)
