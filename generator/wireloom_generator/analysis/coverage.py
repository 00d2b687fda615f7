"""Which of several cases, tried in order, is never the one: the alternatives of a choice, the variants of a message."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from wireloom_generator import expressions
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.domains import TRUE
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.expressions import Expr, Logical, Unary, conditions, parsed
from wireloom_generator.expressions.conditions import Domains
from wireloom_generator.expressions.evaluation import Number
from wireloom_generator.reading import syntax

Case = TypeVar("Case", syntax.Alternative, syntax.Variant)


@dataclass(frozen=True, slots=True)
class Impossible:
    """Its condition cannot hold."""


@dataclass(frozen=True, slots=True)
class Repeated(Generic[Case]):
    """One before it has the same condition."""

    earlier: Case


@dataclass(frozen=True, slots=True)
class Implied(Generic[Case]):
    """One before it holds whenever it does."""

    earlier: Case


@dataclass(frozen=True, slots=True)
class Covered:
    """Those before it hold, one or another, whenever it does."""


def none_of(cases: Sequence[Case], known: Domains) -> Expr | None:
    """The condition that a record has none of the cases; None if nothing can be said of it."""
    trees = [parsed(case.when) if case.when is not None else TRUE for case in cases]
    sound = tuple(tree for tree in trees if tree is not None and domains.known(tree, known))
    return Unary("not", Logical("or", sound)) if len(sound) == len(trees) else None


def told(condition: Expr, found: Mapping[str, Number]) -> str:
    """The values of the names in a condition, in words; empty if it has none."""
    names = dict.fromkeys(name.name for name in expressions.names(condition))
    return " and ".join(
        f"{name} is {str(found[name]).lower()}" if name in found else f"there is no {name}" for name in names
    )


def judged(
    cases: Sequence[Case], assumed: Expr, known: Domains
) -> Iterator[tuple[Case, Impossible | Repeated[Case] | Implied[Case] | Covered | None]]:
    """Each case with why it is never the one where ``assumed`` holds, None if it perhaps is.

    Ends before a case of which nothing can be said, since those behind it are tried after it; and says nothing if one
    before the last has no condition, which is a mistake of its own.
    """
    if any(case.when is None for case in cases[:-1]):
        return
    for case, together in zip(cases, tried(cases), strict=True):
        tree = parsed(case.when) if case.when is not None else TRUE
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
    case: Case, before: Sequence[Case], holds: Expr, known: Domains
) -> Repeated[Case] | Implied[Case] | Covered:
    for earlier in before:
        assert earlier.when is not None
        if case.when is not None and earlier.when.split() == case.when.split():
            return Repeated(earlier)
        tree = parsed(earlier.when)
        if tree is not None and conditions.implies(holds, tree, known):
            return Implied(earlier)
    return Covered()
