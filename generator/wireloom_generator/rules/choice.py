"""A choice has alternatives that can all be taken.

They are tried in order, and the first that matches, and whose condition holds, is taken. One that is never taken
describes bytes that no record has, and hides a mistake in its condition or in an earlier one. So each has a condition
(``when`` or ``match``), except perhaps the last, and none contradicts itself or holds only if an earlier one does. If
``valid``, ``const`` or the alternatives before leave no value for one, that is a warning: documents list cases that do
not occur here.

Bad::

    - choice:
        - fields: [{name: id, type: u32}]
        - {when: is_wide, fields: [{name: id, type: u64}]}

Good::

    - choice:
        - {when: is_wide, fields: [{name: id, type: u64}]}
        - fields: [{name: id, type: u32}]
"""

from collections.abc import Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.coverage import Covered, Implied, Impossible, Repeated, judged
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.scopes import Scope, Visit, every, nodes
from wireloom_generator.expressions import conditions
from wireloom_generator.model import Alternative, Resolved
from wireloom_generator.problems import Location, Problem, Severity, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Alternatives that are never taken, and choices without any."""
    for node in nodes(spec):
        if isinstance(node, model.Choice):
            yield from _choice(spec, node)
    found: dict[Location, list[tuple[str, Severity] | None]] = {}
    for scope in every(spec):
        known = domains.of(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, model.Choice):
                for alternative, why in _never_taken(spec, scope, visit, visit.item.alternatives, known):
                    found.setdefault(alternative.at, []).append(why)
    for at, uses in found.items():
        never = [use for use in uses if use is not None]
        if len(never) == len(uses):  # a type can be used where an alternative is never taken and where it is
            what, severity = never[0]
            yield Problem(at, "choice", f"never taken: {what}", severity=severity)


def _choice(spec: Resolved, choice: model.Choice) -> Iterator[Problem]:
    for alternative in choice.alternatives:
        for word, enum in alternative.misnamed if isinstance(alternative, model.When) else ():
            yield Problem(alternative.at, "choice", *unnamed(spec.enums[enum], word))
    if not choice.alternatives:
        yield Problem(choice.where("choice"), "choice", "a choice needs at least one alternative")
    for alternative in choice.alternatives[:-1]:
        if alternative.when is None:
            hint = "give this one a condition, or put it last"
            yield Problem(alternative.at, "choice", "the alternatives behind this one are never taken", hint)


def _never_taken(
    spec: Resolved, scope: Scope, visit: Visit, cases: Sequence[Alternative], known: conditions.Domains
) -> Iterator[tuple[Alternative, tuple[str, Severity] | None]]:
    """Each alternative with the reason why it is never taken here, and what that is; None if it may be."""
    assumed = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch))
    for case, reason in judged(cases, assumed, known):
        match reason:
            case None:
                yield case, None
            case Impossible():
                tree = None if case.when is None else case.when.tree
                by_itself = tree is not None and conditions.impossible(tree)
                yield case, ("its condition cannot hold here", Severity.ERROR if by_itself else Severity.WARNING)
            case Repeated(earlier):
                yield case, (f"the alternative {_place(case, earlier)} has the same condition", Severity.ERROR)
            case Implied(earlier):
                severity = Severity.ERROR if _by_itself(case, earlier) else Severity.WARNING
                yield case, (f"the alternative {_place(case, earlier)} holds whenever this does", severity)
            case Covered():
                yield case, ("the alternatives before it cover it", Severity.WARNING)


def _by_itself(case: Alternative, earlier: Alternative) -> bool:
    """Whether an earlier condition follows from that of the case, whatever ``valid`` and ``const`` are."""
    one = case.when.tree if case.when is not None else None
    other = earlier.when.tree if earlier.when is not None else None
    return one is not None and other is not None and conditions.implies(one, other)


def _place(case: Alternative, earlier: Alternative) -> str:
    return seen_from(case.at, earlier.at)
