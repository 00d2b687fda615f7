"""Specs compared with earlier versions: the findings, without accepted and irrelevant ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wireloom_generator.compat.accepted import Accepted, unused
from wireloom_generator.compat.changes import Category, Direction, Finding
from wireloom_generator.compat.compare import Version, compare
from wireloom_generator.problems import Problem


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding, and the earlier versions for which it was found."""

    finding: Finding
    against: tuple[str, ...]

    def problem(self, versions: Sequence[str]) -> Problem:
        """The finding as a problem, which names the versions unless all were compared."""
        problem = self.finding.problem
        if len(self.against) == len(versions):
            return problem
        return replace(problem, what=f"{problem.what}, against {', '.join(self.against)}")


@dataclass(frozen=True, slots=True)
class Report:
    """The report: findings by location, how many more are ``accepted``, and entries that accept none."""

    findings: tuple[Reported, ...]
    accepted: int
    unused: tuple[Problem, ...]

    @property
    def breaking(self) -> int:
        """The number of findings that break somebody."""
        return sum(bool(reported.finding.change.breaks) for reported in self.findings)


def report(
    earlier: Mapping[str, Version],
    new: Version,
    category: Category,
    direction: Direction,
    accepted: Sequence[Accepted] = (),
) -> Report:
    """The specs compared with each of the earlier versions, given by name.

    An entry that accepts a finding counts as used even if the finding is not of this category and direction.
    """
    found: dict[Finding, list[str]] = {}
    for name, old in earlier.items():
        for finding in compare(old, new):
            found.setdefault(finding, []).append(name)
    protocols = {name for version in (*earlier.values(), new) for name in version.protocols}
    concerned = {finding: names for finding, names in found.items() if finding.concerns(category, direction)}
    reported = [
        Reported(finding, tuple(names))
        for finding, names in concerned.items()
        if not any(entry.accepts(finding) for entry in accepted)
    ]
    reported.sort(key=lambda one: one.finding.order)
    return Report(tuple(reported), len(concerned) - len(reported), tuple(unused(accepted, list(found), protocols)))
