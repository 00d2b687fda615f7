"""pyspark_<protocol>: the package with which Spark finds the protocol's data source without ``register``.

Spark imports every package on the path that is called ``pyspark_…``, and takes its ``DefaultSource``.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wireloom_generator import naming
from wireloom_generator.emitters import Destination, Emitter, Subject
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code.pretty import docstring, string
from wireloom_generator.templates import filled


def emit(subject: Subject) -> Iterator[OutputFile]:
    """The package; none for a protocol whose name is a format that Spark has."""
    protocol = subject.protocol
    if protocol.name in naming.SPARK_FORMATS:
        return
    title = docstring(f"What Spark looks for: captures of {protocol.doc.title} as a format without register(spark).")
    text = filled(__package__, "discovery.py", head=head(protocol.folders), title=title, module=string(subject.module))
    yield OutputFile(PurePosixPath(f"{naming.FOUND}{protocol.name}", "__init__.py"), text)


EMITTER = Emitter(emit, Destination.TOP)
