"""Warnings that the spec itself accepts, each at its place and with a reason."""

from collections.abc import Collection, Iterator

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity, closest
from wireloom_generator.reading import syntax

_RULE = "accepted"


def applied(spec: Resolved, problems: Collection[Problem], rules: Collection[str]) -> Iterator[Problem]:
    """The problems that are not accepted, and the problems of the acceptances.

    An acceptance applies to the mapping it is in: to warnings at the mapping's beginning or at one of its values.
    """
    accepted: set[Problem] = set()
    for thing in spec.things:
        for entry in thing.written.accept:
            places = {thing.at, *thing.written.places.values()}
            meant = [problem for problem in problems if problem.rule == entry.rule and problem.location in places]
            warnings = [problem for problem in meant if problem.severity is Severity.WARNING]
            accepted.update(warnings)
            yield from _faults(entry, rules)
            if meant and not warnings:
                yield Problem(entry.where("rule"), _RULE, f"{entry.rule} is an error here, which cannot be accepted")
            elif not meant and entry.rule in rules and spec.is_whole:
                what = f"nothing of {entry.rule} was found here"
                yield Problem(entry.at, _RULE, what, "delete the entry", Severity.WARNING)
    yield from (problem for problem in problems if problem not in accepted)


def _faults(entry: syntax.Acceptance, rules: Collection[str]) -> Iterator[Problem]:
    if entry.rule not in rules:
        hint = closest(entry.rule, rules)
        yield Problem(entry.where("rule"), _RULE, f"there is no rule {entry.rule!r}", hint)
    if not entry.reason.strip():
        yield Problem(entry.where("reason"), _RULE, "no reason is given", "say why it may be so")
