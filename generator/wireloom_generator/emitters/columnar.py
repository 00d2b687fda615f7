"""columnar.py: the protocol's Arrow schema, and its records as Arrow tables. Both come from the parsers."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import OutputFile
from wireloom_generator.templates import filled

MODULE = filled(__package__, "columnar.py", head="", title="")
"""The code that is the same for every protocol."""


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module, which is the same for every protocol but for its first lines."""
    title = f"Arrow schema of {protocol.doc.title}, and its records as Arrow tables."
    yield module(protocol, "columnar.py", title)


EMITTER = ModuleEmitter(emit)
