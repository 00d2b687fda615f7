"""A choice has alternatives that can all be taken.

They are tried in order, and the first whose condition holds is taken. One that is never taken describes bytes that no
record has, and hides a mistake in its condition or in one before it. So each says when it is taken, only the last may
do without; and no condition is one that cannot hold, or that holds only where one before it does.

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

from wireloom_generator import conditions, domains, syntax
from wireloom_generator.domains import TRUE
from wireloom_generator.expressions import Expr
from wireloom_generator.problems import Location, Problem, seen_from
from wireloom_generator.scopes import Scope, Visit, every, written
from wireloom_generator.sites import parsed
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Alternatives that are never taken, and choices without any."""
    for entry in written(spec):
        if isinstance(entry, syntax.Choice):
            yield from _choice(entry)
    found: dict[Location, list[str | None]] = {}
    for scope in every(spec):
        known = domains.of(spec, scope)
        for visit in scope.visits:
            if isinstance(visit.item, syntax.Choice):
                for alternative, what in _covered(spec, scope, visit, visit.item.choice, known):
                    found.setdefault(alternative.where("when"), []).append(what)
    for at, uses in found.items():
        if None not in uses:  # a type can be used where an alternative is never taken and where it is
            yield Problem(at, "choice", f"never taken: {uses[0]}")


def _choice(choice: syntax.Choice) -> Iterator[Problem]:
    if not choice.choice:
        yield Problem(choice.where("choice"), "choice", "a choice has an alternative or more")
    for alternative in choice.choice[:-1]:
        if alternative.when is None:
            hint = "only the last may do without when"
            yield Problem(alternative.at, "choice", "the alternatives behind this one are never taken", hint)


def _covered(
    spec: Spec, scope: Scope, visit: Visit, cases: Sequence[syntax.Alternative], known: conditions.Domains
) -> Iterator[tuple[syntax.Alternative, str | None]]:
    """Each alternative with why it is never taken here; None if it perhaps is."""
    trees = [parsed(case.when) if case.when is not None else TRUE for case in cases]
    if any(case.when is None for case in cases[:-1]) or any(t is None or not domains.known(t, known) for t in trees):
        return
    assumed = conditions.both(domains.assumed(spec, scope), domains.taken(visit.branch, scope.visits, scope))
    for index, (case, tree) in enumerate(zip(cases, trees, strict=True)):
        assert tree is not None
        what: str | None = None
        if conditions.satisfiable(conditions.both(assumed, tree), known) is False:
            what = "its condition cannot hold here"
        elif conditions.satisfiable(conditions.both(assumed, domains.first(cases[: index + 1])), known) is False:
            what = _who_covers(case, cases[:index], conditions.both(assumed, tree), known)
        yield case, what


def _who_covers(
    case: syntax.Alternative, before: Sequence[syntax.Alternative], holds: Expr, known: conditions.Domains
) -> str:
    at = case.where("when")
    for other in before:
        assert other.when is not None
        place = seen_from(at, other.where("when"))
        if case.when is not None and other.when.split() == case.when.split():
            return f"the alternative {place} has the same condition"
        earlier = parsed(other.when)
        if earlier is not None and conditions.implies(holds, earlier, known):
            return f"the alternative {place} holds whenever this does"
    return "the alternatives before it cover it"
