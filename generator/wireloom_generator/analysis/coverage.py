"""Cases tried in order that can never be taken: alternatives of a choice, or variants of a message."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from wireloom_generator import expressions
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.rivals import AnyCase, tried
from wireloom_generator.expressions import Expr, Logical, Unary, conditions
from wireloom_generator.expressions.conditions import Domains
from wireloom_generator.expressions.evaluation import Result


@dataclass(frozen=True, slots=True)
class Impossible:
    """Its condition can never hold."""


@dataclass(frozen=True, slots=True)
class Repeated(Generic[AnyCase]):
    """An earlier case has the same condition."""

    earlier: AnyCase


@dataclass(frozen=True, slots=True)
class Implied(Generic[AnyCase]):
    """An earlier case holds whenever this one does."""

    earlier: AnyCase


@dataclass(frozen=True, slots=True)
class Covered:
    """Some earlier case holds whenever this one does."""


def none_of(cases: Sequence[AnyCase], known: Domains) -> Expr | None:
    """The condition under which a record has none of the cases; None if nothing is known."""
    trees = [case.when.tree if case.when is not None else TRUE for case in cases]
    sound = tuple(tree for tree in trees if tree is not None and domains.known(tree, known))
    return Unary("not", Logical("or", sound)) if len(sound) == len(trees) else None


def in_words(condition: Expr, found: Mapping[str, Result]) -> str:
    """The values of the names in a condition, for messages; empty if it has none."""
    names = dict.fromkeys(name.name for name in expressions.names(condition))
    return " and ".join(
        f"{name} is {str(found[name]).lower()}" if name in found else f"there is no {name}" for name in names
    )


def judged(
    cases: Sequence[AnyCase], assumed: Expr, known: Domains
) -> Iterator[tuple[AnyCase, Impossible | Repeated[AnyCase] | Implied[AnyCase] | Covered | None]]:
    """Each case with the reason why it is never taken if ``assumed`` holds; None if it may be taken.

    Ends before a case about which nothing is known, because later cases depend on it. Empty if a case before the last
    has no condition, which is another mistake.
    """
    if any(case.when is None for case in cases[:-1]):
        return
    for case, together in zip(cases, tried(cases), strict=True):
        tree = case.when.tree if case.when is not None else TRUE
        if tree is None or not domains.known(tree, known):
            return
        holds = conditions.both(assumed, tree)
        if conditions.impossible(holds, known):
            yield case, Impossible()
        elif conditions.impossible(conditions.both(assumed, domains.first(together)), known):
            yield case, _covering(case, together[:-1], holds, known)
        else:
            yield case, None


def _covering(
    case: AnyCase, before: Sequence[AnyCase], holds: Expr, known: Domains
) -> Repeated[AnyCase] | Implied[AnyCase] | Covered:
    for earlier in before:
        assert earlier.when is not None
        if case.when is not None and earlier.when.text == case.when.text:
            return Repeated(earlier)
        tree = earlier.when.tree
        if tree is not None and conditions.implies(holds, tree, known):
            return Implied(earlier)
    return Covered()
