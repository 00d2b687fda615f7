"""Names are written as columns, Python and the generated modules can bear them.

Fields, sections, messages, variants, parameters and forms are snake_case; enums, flags, types and tables are CamelCase.
A name that begins with an underscore is the reader's own (``_corrupt_record``), ``message`` and ``variant`` are columns
of every row that has them, and Python's own words cannot be attributes. A message cannot be called as what its
protocol's module has, nor ``index``, the front page of the docs, nor ``unknown``, the records that no message matches.
A field called as a method of Python's mappings or Spark's rows is only a warning: ``row["items"]`` finds it,
``row.items`` does not.

Types, enums, flags and tables cannot be called as what generated modules import or define:
BLOCKS, and
numbers such as ``Int16ub`` and ``Float32b``.

Bad::

    - {name: keyLength, type: u16}

Good::

    - {name: key_length, type: u16}
"""

from collections.abc import Iterator
from textwrap import fill

from wireloom_generator import blocks, model, naming
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem, Severity
from wireloom_generator.types import Float, Integer, parse

_TAKEN = ", ".join(f"``{name}``" for name in sorted(blocks.BLOCKS | blocks.OTHERS))
__doc__ = (__doc__ or "").replace("BLOCKS", fill(_TAKEN, 120))


def check(spec: Resolved) -> Iterator[Problem]:
    """Names that are not allowed."""
    for name, at in _names(spec):
        fault = naming.column_fault(name)
        if fault is not None:
            yield Problem(at, "name-style", *fault)
    for shared in spec.shared:
        for item in shared.named:
            fault = blocks.class_fault(item.name)
            if fault is not None:
                yield Problem(item.where("name"), "name-style", *fault)
    protocol = spec.protocol
    if protocol.name in naming.IMPORTED:
        what, hint = f"{protocol.name!r} is a package that generated modules import", "say whose protocol it is"
        yield Problem(protocol.where("protocol"), "name-style", what, hint)
    for message in spec.messages:
        yield from _message(message)
    for name, at in _fields(spec):
        if name in naming.SHADOWING:
            hint = f"in Python and Spark write row[{name!r}]"
            what = f"{name!r} is a method of rows, so it cannot be reached as an attribute"
            yield Problem(at, "name-style", what, hint, Severity.WARNING)


def _message(message: model.Message) -> Iterator[Problem]:
    name, at = message.name, message.where("message")
    if name == "unknown":
        yield Problem(at, "name-style", "'unknown' is the message of records that no message matches", "say what it is")
    elif name == "index":
        yield Problem(at, "name-style", "'index' is taken: the protocol's front page in the docs is index.md")
    elif name in naming.MODULE or name in naming.ROW or isinstance(parse(name), Integer | Float):
        yield Problem(at, "name-style", f"{name!r} is taken: the protocol's module or its rows have it already")


def _names(spec: Resolved) -> Iterator[tuple[str, Location]]:
    """The names that are columns, or could be."""
    for shared in spec.shared:
        yield shared.name, shared.where(shared.kind)
        yield from ((parameter.name, parameter.where("name")) for parameter in shared.parameters)
        yield from ((name, struct.where("given")) for struct in shared.structs for name in struct.given)
        yield from ((variant.name, variant.where("name")) for variant in shared.variants)
    for message in spec.messages:
        yield message.name, message.where("message")
        yield from ((variant.name, variant.where("name")) for variant in message.variants)
        yield from ((form.name, form.where("name")) for form in message.forms)
    yield from _fields(spec)


def _fields(spec: Resolved) -> Iterator[tuple[str, Location]]:
    for node in nodes(spec):
        if isinstance(node, model.Named):
            yield node.name, node.where("name")
            raw = node.raw if isinstance(node, model.Field) else node.stray.get("raw")
            if raw is not None:
                yield raw, node.where("raw")
        elif isinstance(node, model.Region):
            yield node.name, node.where("section")
            if node.trailing is not None:
                yield node.trailing, node.where("trailing")
