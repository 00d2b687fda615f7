"""Specs against earlier versions of them: what is told once what is accepted, or concerns nobody, is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wireloom_generator.compat.accepted import Accepted, unused
from wireloom_generator.compat.changes import Category, Direction, Finding
from wireloom_generator.compat.compare import Version, compare
from wireloom_generator.problems import Problem


@dataclass(frozen=True, slots=True)
class Told:
    """A finding, and the earlier versions against which it was found."""

    finding: Finding
    against: tuple[str, ...]


    def problem(self, versions: Sequence[str]) -> Problem:
        """The finding as a problem; it says of which versions it is, if not of all that were compared."""
        problem = self.finding.problem
        if len(self.against) == len(versions):
            return problem
        return replace(problem, what=f"{problem.what}, against {', '.join(self.against)}")


@dataclass(frozen=True, slots=True)
class Report:
    """What is told: findings by their places, how many more are ``accepted``, and entries that accept none."""

    findings: tuple[Told, ...]
    accepted: int
    unused: tuple[Problem, ...]

    @property
    def breaking(self) -> int:
        """How many of the findings break somebody."""
        return sum(bool(told.finding.change.breaks) for told in self.findings)


def check(
    earlier: Mapping[str, Version],
    new: Version,
    category: Category,
    direction: Direction,
    accepted: Sequence[Accepted] = (),
) -> Report:
    """The specs against each of the earlier versions, which are given by name."""
    found: dict[Finding, list[str]] = {}
    for name, old in earlier.items():
        for finding in compare(old, new, category):
            breaks = finding.change.breaks
            if not breaks or breaks & direction.sides:
                found.setdefault(finding, []).append(name)
    told = [Told(finding, tuple(names)) for finding, names in found.items() if not _is_accepted(finding, accepted)]
    told.sort(key=lambda one: one.finding.order)
    return Report(tuple(told), len(found) - len(told), tuple(unused(accepted, list(found))))


def _is_accepted(finding: Finding, accepted: Sequence[Accepted]) -> bool:
    return bool(finding.change.breaks) and any(entry.accepts(finding) for entry in accepted)
