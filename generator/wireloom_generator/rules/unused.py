"""What a protocol declares is used.

An enum, flags, type, table, variant or parameter of the protocol file that nothing refers to is a leftover, or a
reference that was forgotten. Libraries may declare more than a protocol uses. This is a warning: what is generated is
right, but perhaps not what was meant.

Bad::

    enums:
      - {name: Status, values: [{name: Ok, value: 0}]}    # and no field has enum: Status

Good::

    - {name: status, type: u16, enum: Status}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.analysis.sites import sites
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity


def check(spec: Resolved) -> Iterator[Problem]:
    """Declarations that nothing refers to; none while a file of the protocol could not be read."""
    if not spec.is_whole:
        return
    protocol = spec.protocol
    used = set(_references(spec))
    shared = {variant.name for message in spec.messages for variant in message.variants if variant.shared}
    for item in (*protocol.named, *protocol.variants):
        if item.name not in (shared if isinstance(item, model.Variant) else used):
            what = f"nothing uses {item.name!r}"
            yield Problem(item.where("name"), "unused", what, severity=Severity.WARNING)
    asked = {name.name for site in sites(spec) if (tree := site.tree) for name in expressions.names(tree)}
    for parameter in protocol.parameters:
        if parameter.name not in asked and parameter.name != spec.byte_order:
            what = f"nothing asks for parameter {parameter.name!r}"
            yield Problem(parameter.where("name"), "unused", what, severity=Severity.WARNING)


def _references(spec: Resolved) -> Iterator[str | None]:
    yield from spec.included
    for node in nodes(spec):
        if isinstance(node, model.BitField):
            yield node.enum
        elif isinstance(node, model.Named):
            yield from (node.written.enum, node.written.flags, node.written.type, node.written.table)
