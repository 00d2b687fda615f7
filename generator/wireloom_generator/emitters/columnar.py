"""columnar.py: the protocol's Arrow schema, and its records as Arrow tables. Both come from the parsers."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wireloom_generator import model
from wireloom_generator.emitters import ModuleEmitter
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code.pretty import docstring
from wireloom_generator.templates import filled

MODULE = filled(__package__, "columnar.py", head="", title="")
"""The code that is the same for every protocol."""


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module, which is the same for every protocol but for its first lines."""
    title = docstring(f"Arrow schema of {protocol.doc.title}, and its records as Arrow tables.")
    text = filled(__package__, "columnar.py", head=head(protocol.folders), title=title)
    yield OutputFile(PurePosixPath(protocol.name, "columnar.py"), text)


EMITTER = ModuleEmitter(emit)
