"""Names are written as columns, Python and the generated modules can bear them.

Fields, sections, messages, variants, parameters and forms are snake_case; enums, flags, types and tables are CamelCase.
A name that begins with an underscore is the reader's own (``_corrupt_record``), and ``message`` and ``variant`` are
columns of every row that has them. A message cannot be called ``index``, the front page of the docs, nor ``unknown``,
the records that no message matches.

The words of the document stay, also those that Python has already. In Python a message, enum, flag or type of such a
name has an underscore behind it: ``class_``, ``Record_``. So has, in expressions, a field that is called as a word of
Python's: ``from_ > 3``. Fields that expressions could not ask for, such as ``rest``, need another name, and so do
parameters and protocols that are words of Python's, since Python asks for them by name.

Bad::

    - {name: keyLength, type: u16}

Good::

    - {name: key_length, type: u16}
"""

from collections.abc import Iterator

from wireloom_generator import blocks, model, naming
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem


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
    for fault_of, names in (
        (naming.asked_fault, (*_fields(spec), *_options(spec))),
        (naming.option_fault, (*_options(spec), *((each.name, each.where(each.kind)) for each in spec.shared))),
    ):
        for name, at in names:
            fault = fault_of(name)
            if fault is not None:
                yield Problem(at, "name-style", *fault)


def _message(message: model.Message) -> Iterator[Problem]:
    name, at = message.name, message.where("message")
    if name == "unknown":
        yield Problem(at, "name-style", "'unknown' is the message of records that no message matches", "say what it is")
    elif name == "index":
        yield Problem(at, "name-style", "'index' is taken: the protocol's front page in the docs is index.md")
    elif name in naming.ROW:
        yield Problem(at, "name-style", f"{name!r} is taken: rows have it already")


def _options(spec: Resolved) -> Iterator[tuple[str, Location]]:
    """The names that are given as arguments."""
    for shared in spec.shared:
        yield from ((parameter.name, parameter.where("name")) for parameter in shared.parameters)


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
            if isinstance(node, model.Section) and node.through is not None and node.through.raw is not None:
                yield node.through.raw, node.where("raw")
