"""Specs compared with earlier versions: the findings, without accepted and irrelevant ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wireloom_generator import acceptance
from wireloom_generator.compat import rules as compat_rules
from wireloom_generator.compat.changes import Category, Direction, Finding
from wireloom_generator.compat.compare import Version, compare
from wireloom_generator.problems import Problem, Severity
from wireloom_generator.reading import shape, source
from wireloom_generator.reading.written import Written, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted(Written):
    """Accepts a rule's findings at an element, with a reason."""

    rule: str = required("id of the rule, as shown in brackets in the finding", "column-renamed")
    element: str = required("dotted path of the element, with which the finding begins", "sensor.reading.temperature")
    reason: str = required("why the change is acceptable", "Nobody reads it yet.")

    def accepts(self, finding: Finding) -> bool:
        """Whether it accepts this finding; notes need not be accepted."""
        return bool(finding.change.breaks) and (finding.rule, finding.change.element) == (self.rule, self.element)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFile(Written):
    """The content of the file."""

    accept: tuple[Accepted, ...] = required(
        "the findings that are accepted", "[{rule: column-renamed, element: sensor.reading, reason: New.}]"
    )


def read_accepted(path: Path) -> tuple[tuple[Accepted, ...], list[Problem]]:
    """The entries of the file, and their problems."""
    document, problems = source.read(path, path, begin="begin with accept:")
    if document is None:
        return (), problems
    found, misshapen = shape.read_as(AcceptedFile, document)
    entries = found.accept if found else ()
    known = [rule.id for rule in compat_rules.RULES]
    faults = (fault for entry in entries for fault in acceptance.faults(entry, entry.rule, entry.reason, known))
    return entries, sorted([*problems, *misshapen, *faults])


def _unused(entries: Sequence[Accepted], findings: Sequence[Finding], protocols: Collection[str]) -> list[Problem]:
    """A warning for each entry about one of the protocols that accepts no finding."""
    return [
        Problem(
            entry.at,
            "accepted",
            f"there is no {entry.rule} finding at {entry.element}",
            "delete the entry once every version that is compared has the change",
            Severity.WARNING,
        )
        for entry in entries
        if entry.element.partition(".")[0] in protocols and not any(entry.accepts(finding) for finding in findings)
    ]


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
    """The report: findings by location, the number of ``accepted`` ones, and entries that accept nothing."""

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
    return Report(tuple(reported), len(concerned) - len(reported), tuple(_unused(accepted, list(found), protocols)))
