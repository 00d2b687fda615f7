"""The warnings that a spec accepts."""

from collections.abc import Collection, Iterator

from wireloom_generator.model import Framed, Resolved
from wireloom_generator.model.declarations import Described
from wireloom_generator.problems import Location, Problem, Severity, closest
from wireloom_generator.reading.declarations import Documented
from wireloom_generator.reading.written import Written

_RULE = "accepted"


def applied(spec: Resolved, problems: Collection[Problem], rules: Collection[str]) -> Iterator[Problem]:
    """The problems that are not accepted, and problems of the ``accept`` entries themselves.

    An entry applies to the mapping that it is in: to warnings at the mapping's beginning or at one of its values. The
    entries of a record or message also cover its proof.
    """
    accepted: set[Problem] = set()
    for thing in spec.things:
        for entry in thing.doc.accepted:
            places = set(_places(thing))
            meant = [problem for problem in problems if problem.rule == entry.rule and problem.location in places]
            warnings = [problem for problem in meant if problem.severity is Severity.WARNING]
            accepted.update(warnings)
            yield from faults(entry, entry.rule, entry.reason, rules)
            if meant and not warnings:
                yield Problem(entry.where("rule"), _RULE, f"{entry.rule} is an error here, which cannot be accepted")
            elif not meant and entry.rule in rules and spec.is_whole:
                what = f"there is no {entry.rule} warning here"
                yield Problem(entry.at, _RULE, what, "delete the entry", Severity.WARNING)
    yield from (problem for problem in problems if problem not in accepted)


def _places(thing: Described | Documented) -> Iterator[Location]:
    """The places of a mapping, its values and its proof."""
    yield from (thing.at, *thing.places.values())
    if isinstance(thing, Framed) and thing.proof is not None:
        yield from thing.proof.places.values()


def faults(entry: Written, rule: str, reason: str, known: Collection[str]) -> Iterator[Problem]:
    """The mistakes in an entry of ``accept``."""
    if rule not in known:
        yield Problem(entry.where("rule"), _RULE, f"there is no rule {rule!r}", closest(rule, known))
    if not reason.strip():
        yield Problem(entry.where("reason"), _RULE, "no reason is given", "say why this is acceptable")
