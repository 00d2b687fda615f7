"""columnar.py: the protocol's records as Arrow data, and the spec's words, which are the comments of its columns."""

from collections.abc import Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import Keyed, OutputFile
from wireloom_generator.python_code.pretty import entry, mapping, render, string
from wireloom_generator.templates import filled

MODULE = filled(__package__, "columnar.py", head="", title="", comments="")
"""The code that is the same for every protocol."""
COMMENTS = "COMMENTS"


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module, with the comments of columns by path."""
    comments = render(mapping(*_comments(protocol.columns, "")), before=f"{COMMENTS} = ")
    yield module(protocol, "columnar.py", f"{protocol.doc.title} as Arrow data.", comments=comments)


def _comments(columns: Sequence[model.Column], within: str) -> Iterator[Keyed]:
    """The comment of each column that has one, and then of those in it."""
    for column in columns:
        path = f"{within}{column.name}"
        if column.doc:
            yield entry(path, string(column.doc))
        kind = column.type
        while isinstance(kind, model.ListType):
            kind = kind.element
        if isinstance(kind, model.StructType):
            yield from _comments(kind.columns, f"{path}.")


EMITTER = ModuleEmitter(emit)
