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

from wireloom_generator import expressions
from wireloom_generator.analysis.scopes import declarations, written
from wireloom_generator.analysis.sites import sites
from wireloom_generator.expressions import parsed
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Declarations that nothing refers to; none while a file of the protocol could not be read."""
    if not spec.is_whole:
        return
    protocol = spec.protocol
    used = set(_references(spec))
    shared = {variant.name for message in spec.messages for variant in message.variants if variant.shared}
    for item in (*declarations(protocol), *protocol.variants):
        if item.name not in (shared if isinstance(item, syntax.Variant) else used):
            what = f"nothing uses {item.name!r}"
            yield Problem(item.where("name"), "unused", what, severity=Severity.WARNING)
    asked = {name.name for site in sites(spec) if (tree := parsed(site.text)) for name in expressions.names(tree)}
    for parameter in protocol.parameters:
        if parameter.name not in asked and parameter.name != protocol.byte_order:
            what = f"nothing asks for parameter {parameter.name!r}"
            yield Problem(parameter.where("name"), "unused", what, severity=Severity.WARNING)


def _references(spec: Spec) -> Iterator[str | None]:
    for entry in written(spec):
        match entry:
            case syntax.Field():
                yield from (entry.enum, entry.flags, entry.type, entry.table)
            case syntax.Include(include=name):
                yield name
            case syntax.Bits(fields=fields):
                yield from (field.enum for field in fields)
            case _:
                pass
