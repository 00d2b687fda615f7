"""Rules about declarations: they must not be empty, unused or deprecated."""

from collections.abc import Collection, Iterable, Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Input, nodes, structs, walk
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.analysis.written_columns import columns
from wireloom_generator.model import Resolved
from wireloom_generator.model.declarations import Described
from wireloom_generator.problems import Location, Severity, Violation, closest, nearest
from wireloom_generator.reading.vocabulary import ORDERS
from wireloom_generator.types import NAMES, FlatBuffers


def empty(spec: Resolved) -> Iterator[Violation]:
    """Reports empty lists, and structs without a column."""
    for shared in spec.shared:
        for numbers in shared.numbers:
            if not numbers.values:
                yield Violation(numbers.where("values"), f"{numbers.name} has no values")
        for table in shared.tables:
            if not table.fields:
                yield Violation(table.where("fields"), f"table {table.name} has no fields")
    for scope in structs(spec):
        struct = scope.owner
        if isinstance(struct, model.Struct) and not list(columns(spec, scope)):
            yield Violation(struct.where("fields"), f"type {struct.name} has no columns")
    for node in nodes(spec):
        if isinstance(node, model.Bits) and not node.fields:
            hint = "write the choice around bits: instead, with an integer in each alternative" if node.others else ""
            yield Violation(node.where("fields"), "there are no bit fields", hint)
    for message in spec.messages:
        for form in message.forms:
            if not form.entries:
                yield Violation(form.where("entries"), f"form {form.name} has no entries")


def unused(spec: Resolved) -> Iterator[Violation]:
    """Reports declarations that nothing refers to, unless some file of the protocol could not be read."""
    if not spec.is_whole:
        return
    used = _meant(_references(spec), frozenset((*NAMES, *spec.enums, *spec.flags, *spec.structs, *spec.tables)))
    declared = spec.protocol.named
    seen = {item.where("name") for item in declared if item.name in used}
    for item in declared:
        at = item.where("name")
        if at not in seen:  # an unrolled type occurs several times
            seen.add(at)
            yield _unused(at, f"nothing uses {item.name!r}")
    yield from _variants(spec)
    yield from _inputs(spec)
    asked = set(_parameters_used(spec))
    for parameter in spec.protocol.parameters:
        if parameter.name not in asked:
            yield _unused(parameter.where("name"), f"nothing uses parameter {parameter.name!r}")


def _unused(at: Location, what: str, hint: str = "") -> Violation:
    return Violation(at, what, hint, Severity.WARNING)


def _variants(spec: Resolved) -> Iterator[Violation]:
    used = [(message.name, variant) for message in spec.messages for variant in message.variants]
    own = {variant.name: message for message, variant in used if not variant.shared}
    shared = (variant.name for _, variant in used if variant.shared)
    meant = _meant(shared, {variant.name for part in spec.shared for variant in part.variants})
    for variant in spec.protocol.variants:
        if variant.name not in meant:
            message = own.get(variant.name)
            hint = f"{message} has a variant of that name; write shared: true there to use this one" if message else ""
            yield _unused(variant.where("name"), f"nothing uses {variant.name!r}", hint)


def _inputs(spec: Resolved) -> Iterator[Violation]:
    used = {site.scope.owner.name for site in sites(spec) if isinstance(site.scope.owner, model.Struct)}
    asked = {seen for site in sites(spec) for name in _names_used(site) for seen in site.values.get(name, ())}
    for struct in (struct for struct in spec.protocol.structs if struct.name in used):
        own = {visit.name for visit in walk(struct.nodes)}
        for name in struct.given:
            if name not in own and Input(struct.name, name) not in asked:
                yield _unused(struct.where("given"), f"nothing in {struct.name} uses {name!r}")


def _names_used(site: Site) -> set[str]:
    """The first part of each name that an expression uses."""
    parts = expressions.walk(site.tree) if site.tree is not None else ()
    return {part.steps[0] for part in parts if isinstance(part, expressions.Name)}


def _meant(references: Iterable[str], known: Collection[str]) -> set[str | None]:
    """The names that are referred to; for a misspelt one, the nearest known name."""
    return {name if name in known else nearest(name, known) for name in references}


def _references(spec: Resolved) -> Iterator[str]:
    yield from (each.name for each in spec.included)
    for node in nodes(spec):
        if isinstance(node, model.Named):
            yield from (node.type.word, *node.stray.values(), *([node.enum] if node.enum is not None else []))
        if isinstance(node, model.Field) and node.flags is not None:
            yield node.flags
        if isinstance(node, model.Field | model.Computed) and isinstance(node.type, FlatBuffers):
            yield node.type.table


def _parameters_used(spec: Resolved) -> Iterator[str | None]:
    yield from _meant([spec.byte_order], (*ORDERS, *spec.parameters))
    yield from _meant((name for message in spec.messages for name in message.match), spec.parameters)
    for site in sites(spec):
        for name in dict.fromkeys(site.names):
            is_known = name in site.values or name in site.around
            yield name if is_known else nearest(name, site.around.all, spec.parameters)


def deprecated(spec: Resolved) -> Iterator[Violation]:
    """Reports unknown replacements, and uses of deprecated declarations."""
    yield from _replacements(spec)
    for node in nodes(spec):
        if isinstance(node, model.Named) and node.doc.deprecated is None:
            yield from _uses(node, spec)
    for each in spec.included:
        struct = spec.structs.get(each.name)
        if struct is not None and struct.doc.deprecated is not None:
            yield _deprecated_use(each, "include", struct.name, struct.doc.deprecated)
    for message in spec.messages:
        for variant in message.variants:
            if variant.shared and variant.doc.deprecated is not None and message.doc.deprecated is None:
                yield _deprecated_use(variant, "name", variant.name, variant.doc.deprecated)


def _replacements(spec: Resolved) -> Iterator[Violation]:
    replaced = [(thing, thing.doc.deprecated.replaced_by) for thing in spec.things if thing.doc.deprecated]
    known = frozenset(thing.name for thing in spec.things if isinstance(thing, _REPLACING)) if replaced else ()
    for thing, name in replaced:
        if name is not None and spec.is_whole and name not in known:
            at = thing.where("deprecated")
            yield Violation(at, f"nothing is called {name!r}", closest(name, known))


_REPLACING = (
    model.Named | model.Region | model.Message | model.Variant | model.Declarations | model.Parameter
    | model.Enum | model.EnumValue | model.Flags | model.Flag | model.Struct | model.Table | model.TableField
)  # fmt: skip
"""Declarations that ``replaced_by`` can name."""


def _uses(node: model.Named, spec: Resolved) -> Iterator[Violation]:
    flags = node.flags if isinstance(node, model.Field) else None
    table = node.type.table if isinstance(node.type, FlatBuffers) else ""
    for key, found in (
        ("type", spec.structs.get(node.type.word)),
        ("enum", spec.enums.get(node.enum or "")),
        ("flags", spec.flags.get(flags or "")),
        ("table", spec.tables.get(table)),
    ):
        if found is not None and found.doc.deprecated is not None:
            yield _deprecated_use(node, key, found.name, found.doc.deprecated)


def _deprecated_use(user: Described, key: str, name: str, deprecated: model.Deprecation) -> Violation:
    hint = f"use {deprecated.replaced_by}" if deprecated.replaced_by else ""
    since = f" since {deprecated.since}" if deprecated.since else ""
    return Violation(user.where(key), f"{name!r} is deprecated{since}", hint, Severity.WARNING)
