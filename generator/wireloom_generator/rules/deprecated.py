"""What is deprecated has a replacement that exists, and is used by nothing that is not deprecated itself.

``replaced_by`` is the name of something in the spec. A field that has a deprecated type, enum, set of flags or table is
a warning, and so are an include of such a type and a message that shares a deprecated variant: nobody should begin to
use it.

Bad::

    types:
      - {name: Point, deprecated: {since: "2.0", replaced_by: Positon}, fields: [{name: x, type: u8}]}
      - {name: Position, fields: [{name: x, type: u16}]}

Good::

    types:
      - {name: Point, deprecated: {since: "2.0", replaced_by: Position}, fields: [{name: x, type: u8}]}
      - {name: Position, fields: [{name: x, type: u16}]}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.model.declarations import Described
from wireloom_generator.problems import Problem, Severity, closest
from wireloom_generator.types import FlatBuffers


def check(spec: Resolved) -> Iterator[Problem]:
    """Replacements that are unknown, and uses of what is deprecated."""
    yield from _replacements(spec)
    for node in nodes(spec):
        if isinstance(node, model.Named) and node.doc.deprecated is None:
            yield from _used(node, spec)
    for each in spec.included:
        struct = spec.structs.get(each.name)
        if struct is not None and struct.doc.deprecated is not None:
            yield _warning(each, "include", struct.name, struct.doc.deprecated)
    for message in spec.messages:
        for variant in message.variants:
            if variant.shared and variant.doc.deprecated is not None and message.doc.deprecated is None:
                yield _warning(variant, "name", variant.name, variant.doc.deprecated)


def _replacements(spec: Resolved) -> Iterator[Problem]:
    replaced = [(thing, thing.doc.deprecated.replaced_by) for thing in spec.things if thing.doc.deprecated]
    known = frozenset(thing.name for thing in spec.things if isinstance(thing, _REPLACING)) if replaced else ()
    for thing, name in replaced:
        if name is not None and spec.is_whole and name not in known:
            at = thing.where("deprecated")
            yield Problem(at, "deprecated", f"nothing is called {name!r}", closest(name, known))


_REPLACING = (
    model.Named | model.Region | model.Message | model.Variant | model.Declarations | model.Parameter
    | model.Enum | model.EnumValue | model.Flags | model.Flag | model.Struct | model.Table | model.TableField
)  # fmt: skip
"""What can be used instead of something."""


def _used(node: model.Named, spec: Resolved) -> Iterator[Problem]:
    flags = node.flags if isinstance(node, model.Field) else None
    table = node.type.table if isinstance(node.type, FlatBuffers) else ""
    for key, found in (
        ("type", spec.structs.get(node.type.word)),
        ("enum", spec.enums.get(node.enum or "")),
        ("flags", spec.flags.get(flags or "")),
        ("table", spec.tables.get(table)),
    ):
        if found is not None and found.doc.deprecated is not None:
            yield _warning(node, key, found.name, found.doc.deprecated)


def _warning(user: Described, key: str, name: str, deprecated: model.Deprecation) -> Problem:
    hint = f"use {deprecated.replaced_by}" if deprecated.replaced_by else ""
    since = f" since {deprecated.since}" if deprecated.since else ""
    return Problem(user.where(key), "deprecated", f"{name!r} is deprecated{since}", hint, Severity.WARNING)
