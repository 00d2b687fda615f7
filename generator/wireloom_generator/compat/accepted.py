"""Accepted findings, each with a reason, in a YAML file beside the specs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from wireloom_generator import acceptance
from wireloom_generator.compat import rules as compat_rules
from wireloom_generator.compat.changes import Finding
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
        """Whether it is about this finding; notes need no acceptance."""
        return bool(finding.change.breaks) and (finding.rule, finding.change.element) == (self.rule, self.element)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFile(Written):
    """The content of the file."""

    accept: tuple[Accepted, ...] = required(
        "the findings that are accepted", "[{rule: column-renamed, element: sensor.reading, reason: New.}]"
    )


def read(path: Path) -> tuple[tuple[Accepted, ...], list[Problem]]:
    """The entries of the file, and their problems."""
    document, problems = source.read(path, path, begin="begin with accept:")
    if document is None:
        return (), problems
    found, misshapen = shape.read_as(AcceptedFile, document)
    entries = found.accept if found else ()
    known = [rule.id for rule in compat_rules.RULES]
    faults = (fault for entry in entries for fault in acceptance.faults(entry, entry.rule, entry.reason, known))
    return entries, sorted([*problems, *misshapen, *faults])


def unused(entries: Sequence[Accepted], findings: Sequence[Finding], protocols: Collection[str]) -> list[Problem]:
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
