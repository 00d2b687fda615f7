"""Two versions of specs → the changes between them, as found by the rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator import frontend, model, resolve, rules
from wireloom_generator.compat import rules as compat_rules
from wireloom_generator.compat.changes import Finding
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.problems import Location, Problem, Severity

_NEEDED = frozenset({
    "bits", "byte-order", "checksum-cycle", "column-collision", "const-fits", "derive-cycle", "dispatch", "empty",
    "enum-values", "expression", "expression-type", "extent", "flag-values", "form", "integer-width", "known-enum",
    "known-include", "known-section", "known-table", "known-type", "proof", "record-length", "recursive-type", "repeat",
    "table-fields", "table-type", "unique-name", "value-source", "variant-columns",
})  # fmt: skip
"""The rules that a spec must keep to have a meaning."""

_ASKING_MORE = frozenset({*rules.RULES, "accepted"}) - _NEEDED
"""Rules whose violations do not prevent a comparison, because a release may be older than the rule."""


@dataclass(frozen=True, slots=True)
class Version:
    """The protocols of one version of some specs, by name, with the places of everything in them."""

    protocols: dict[str, model.Protocol]
    specs: dict[str, model.Resolved]


class BadSpecsError(Exception):
    """Specs that cannot be compared because they have errors."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0]
        where = f"{first.location.path.parent.name}/{first.location.path.name}:{first.location.line}"
        super().__init__(f"{where}: error[{first.rule}]: {first.what}")
        self.problems = tuple(problems)


def read(paths: Sequence[Path], *, earlier: bool = False) -> Version:
    """The specs in ``paths``. Raises ``BadSpecsError`` if they have errors; ``earlier`` specs may have errors that
    leave their meaning clear.
    """
    specs, problems = frontend.read(paths)
    borne = _ASKING_MORE if earlier else frozenset()
    errors = [problem for problem in problems if problem.severity is Severity.ERROR and problem.rule not in borne]
    if errors:
        raise BadSpecsError(errors)
    read = {spec.protocol.name: spec for spec in specs}
    return Version({name: resolve.protocol_of(spec) for name, spec in read.items()}, read)


def compare(old: Version, new: Version) -> list[Finding]:
    """All that has changed from ``old`` to ``new``, sorted by its place in the new specs."""
    found: set[Finding] = set()
    for name, protocol in old.protocols.items():
        now = new.protocols.get(name)
        comparison = Comparison(protocol, now) if now else Comparison(protocol, protocol, gone=True)
        places = _locations(new.specs[name]) if now else {name: _first(new, protocol)}
        for rule in compat_rules.RULES:
            for change in rule.check(comparison):
                found.add(Finding(_nearest(places, change.element), rule.id, rule.category, change))
    return sorted(found, key=lambda finding: finding.order)


def _first(version: Version, gone: model.Protocol) -> Location:
    """The location for a problem about a removed protocol: the first remaining one, or else where it was."""
    path = next((protocol.path for protocol in version.protocols.values()), gone.path)
    return Location(path, 1, 1)


Locations = Mapping[str, Location]


def _locations(spec: model.Resolved) -> Locations:
    """Every element's location. A field in a variant is also found under its message."""
    found: dict[str, Location] = {}
    for path, location in _places(spec, spec.protocol.name):
        found.setdefault(path, location)
    return found


def _nearest(places: Locations, path: str) -> Location:
    """The location of an element, or of the closest one around it."""
    while path not in places and "." in path:
        path = path.rpartition(".")[0]
    return places[path]


def _places(spec: model.Resolved, name: str) -> Iterator[tuple[str, Location]]:
    yield name, spec.protocol.where("protocol")
    yield f"{name}.record", spec.record.at
    for shared in spec.shared:
        for item in (*shared.parameters, *shared.named):
            yield f"{name}.{item.name}", item.where("name")
        for numbers in shared.numbers:
            yield from ((f"{name}.{numbers.name}.{value.name}", value.where("name")) for value in numbers.values)
        for table in shared.tables:
            yield from ((f"{name}.{table.name}.{field.name}", field.where("name")) for field in table.fields)
        for struct in shared.structs:
            yield from _nodes(f"{name}.{struct.name}", struct.nodes)
    for message in spec.messages:
        yield from _message(f"{name}.{message.name}", message)
    yield from _nodes(name, spec.record.nodes)


def _message(path: str, message: model.Message) -> Iterator[tuple[str, Location]]:
    yield path, message.where("message")
    for nodes in message.sections.values():
        yield from _nodes(path, nodes)
    for variant in message.variants:
        yield f"{path}.{variant.name}", variant.where("name")
        for nodes in variant.sections.values():
            yield from _nodes(f"{path}.{variant.name}", nodes)
    yield from _nodes(path, message.nodes)


def _nodes(path: str, nodes: Iterable[model.Node]) -> Iterator[tuple[str, Location]]:
    for node in model.walk(nodes):
        if isinstance(node, model.Named):
            yield f"{path}.{node.name}", node.where("name")
        elif isinstance(node, model.Region):
            yield f"{path}.{node.name}", node.where("section")
