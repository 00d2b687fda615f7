"""Two versions of specs → the changes between them, as found by the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator import frontend, model, resolve, rules
from wireloom_generator.compat import locations
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
        places = locations.index(new.specs[name]) if now else {name: _first(new, protocol)}
        for rule in compat_rules.RULES:
            for change in rule.check(comparison):
                found.add(Finding(locations.nearest(places, change.element), rule.id, rule.category, change))
    return sorted(found, key=lambda finding: finding.order)


def _first(version: Version, gone: model.Protocol) -> Location:
    """The location for a problem about a removed protocol: the first remaining one, or else where it was."""
    path = next((protocol.path for protocol in version.protocols.values()), gone.path)
    return Location(path, 1, 1)
