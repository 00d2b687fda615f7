"""What a protocol declares is used.

An enum, flags, type, table, variant or parameter of the protocol file that nothing refers to is a leftover, or a
reference that was forgotten. A misspelt reference counts as a use, since another rule reports it. Libraries may
declare more than a protocol uses. This is a warning: what is generated is right, but perhaps not what was meant.

Bad::

    enums:
      - {name: Status, values: [{name: Ok, value: 0}]}    # and no field has enum: Status

Good::

    - {name: status, type: u16, enum: Status}
"""

from collections.abc import Collection, Iterable, Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Input, nodes, walk
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem, Severity, nearest
from wireloom_generator.reading.vocabulary import ORDERS
from wireloom_generator.types import NAMES, FlatBuffers


def check(spec: Resolved) -> Iterator[Problem]:
    """Declarations that nothing refers to; none while a file of the protocol could not be read."""
    if not spec.is_whole:
        return
    used = _meant(_references(spec), frozenset((*NAMES, *spec.enums, *spec.flags, *spec.structs, *spec.tables)))
    declared = spec.protocol.named
    seen = {item.where("name") for item in declared if item.name in used}
    for item in declared:
        at = item.where("name")
        if at not in seen:  # a type that is unrolled is there several times
            seen.add(at)
            yield _unused(at, f"nothing uses {item.name!r}")
    yield from _variants(spec)
    yield from _given(spec)
    asked = set(_asked(spec))
    for parameter in spec.protocol.parameters:
        if parameter.name not in asked:
            yield _unused(parameter.where("name"), f"nothing asks for parameter {parameter.name!r}")


def _unused(at: Location, what: str, hint: str = "") -> Problem:
    return Problem(at, "unused", what, hint, Severity.WARNING)


def _variants(spec: Resolved) -> Iterator[Problem]:
    used = [(message.name, variant) for message in spec.messages for variant in message.variants]
    own = {variant.name: message for message, variant in used if not variant.shared}
    shared = (variant.name for _, variant in used if variant.shared)
    meant = _meant(shared, {variant.name for part in spec.shared for variant in part.variants})
    for variant in spec.protocol.variants:
        if variant.name not in meant:
            message = own.get(variant.name)
            hint = f"{message} has a variant of that name; with shared: true it would be this one" if message else ""
            yield _unused(variant.where("name"), f"nothing uses {variant.name!r}", hint)


def _given(spec: Resolved) -> Iterator[Problem]:
    used = {site.scope.owner.name for site in sites(spec) if isinstance(site.scope.owner, model.Struct)}
    asked = {seen for site in sites(spec) for name in _outermost(site) for seen in site.values.get(name, ())}
    for struct in (struct for struct in spec.protocol.structs if struct.name in used):
        own = {visit.name for visit in walk(struct.nodes)}
        for name in struct.given:
            if name not in own and Input(struct.name, name) not in asked:
                yield _unused(struct.where("given"), f"nothing in {struct.name} asks for {name!r}")


def _outermost(site: Site) -> set[str]:
    """The names of the struct that an expression asks for anything, be it in lists or structs."""
    parts = expressions.walk(site.tree) if site.tree is not None else ()
    return {part.steps[0] for part in parts if isinstance(part, expressions.Name)}


def _names(site: Site) -> set[str]:
    """The names that an expression asks for."""
    return {name.name for name in expressions.names(site.tree)} if site.tree is not None else set()


def _meant(references: Iterable[str], known: Collection[str]) -> set[str | None]:
    """The names that are referred to; of a misspelt one, the nearest."""
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


def _asked(spec: Resolved) -> Iterator[str | None]:
    yield from _meant([spec.byte_order], (*ORDERS, *spec.parameters))
    yield from _meant((name for message in spec.messages for name in message.match), spec.parameters)
    for site in sites(spec):
        for name in _names(site):
            is_known = name in site.values or name in site.around
            yield name if is_known else nearest(name, site.around.all, spec.parameters)
