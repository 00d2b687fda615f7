"""Quickly excludes cases that cannot apply to the same record, by comparing the values of a name.

This is only a filter: cases without a common value cannot hold together, and the others must be examined further.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from wireloom_generator import model
from wireloom_generator.expressions import Among, Compare, Expr, Literal, Logical, Name, Value, key
from wireloom_generator.expressions.kinds import Kind, kind

Bound = Mapping[str, frozenset[Literal | bytes]]
"""The only values that names can have if something holds."""
Case = model.Alternative | model.Variant
"""One of several cases tried in order: the first whose ``when`` holds, or that has none, is taken."""
AnyCase = TypeVar("AnyCase", bound=Case)


def tried(cases: Sequence[AnyCase]) -> Iterator[tuple[AnyCase, ...]]:
    """Each case with the earlier ones that may hold at the same time."""
    trees = (case.when.tree if case.when is not None else None for case in cases)
    for index, before in enumerate(rivals(bound(tree) if tree is not None else {} for tree in trees)):
        yield (*(cases[other] for other in before), cases[index])


def rivals(found: Iterable[Bound]) -> Iterator[Sequence[int]]:
    """For each case, the numbers of earlier ones that share a value with it for every name that both bind."""
    before = _Before()
    for one in found:
        yield before.meeting(one)
        before.add(one)


class _Before:
    """The earlier cases, by the values that they bind names to."""

    def __init__(self) -> None:
        self.all: list[Bound] = []
        self.binding: dict[str, set[int]] = {}
        self.having: dict[tuple[str, Literal | bytes], list[int]] = {}

    def add(self, one: Bound) -> None:
        for name, values in one.items():
            self.binding.setdefault(name, set()).add(len(self.all))
            for value in values:
                self.having.setdefault((name, value), []).append(len(self.all))
        self.all.append(one)

    def meeting(self, one: Bound) -> Sequence[int]:
        """The cases that no name distinguishes from this one, searched under the name with the fewest candidates."""
        if not one:
            return range(len(self.all))
        name = min(one, key=lambda name: self.count(name, one[name]))
        found = {other for value in one[name] for other in self.having.get((name, value), ())}
        others = self.binding.get(name, set())
        if len(others) < len(self.all):
            found |= set(range(len(self.all))) - others
        return sorted(other for other in found if _meet(one, self.all[other]))

    def count(self, name: str, values: frozenset[Literal | bytes]) -> int:
        """An upper limit on how many cases share one of these values of the name."""
        free = len(self.all) - len(self.binding.get(name, ()))
        return free + sum(len(self.having.get((name, value), ())) for value in values)


def _meet(one: Bound, other: Bound) -> bool:
    return not any(name in other and values.isdisjoint(other[name]) for name, values in one.items())


def bound(tree: Expr) -> Bound:
    """The names that the condition restricts to listed values."""
    match tree:
        case Compare("==", Name() as name, Value() as value) | Compare("==", Value() as value, Name() as name):
            return _bound(name, (value,))
        case Among(Name() as name, choices, negated=False):
            return _bound(name, choices)
        case Logical("and", operands):
            return _all([bound(operand) for operand in operands])
        case Logical(_, operands):
            return _either([bound(operand) for operand in operands])
    return {}


def _bound(name: Name, choices: Sequence[Expr]) -> Bound:
    """The values of one kind that a name is compared with; several kinds are another rule's concern."""
    values = [choice.value for choice in choices if isinstance(choice, Value) and isinstance(choice.value, int | str)]
    kinds = {kind(choice) for choice in choices}
    if len(values) < len(choices) or (not kinds <= {Kind.NUMBER} and kinds != {Kind.TEXT}):
        return {}
    return {f"{key(name)} {'text' if Kind.TEXT in kinds else 'number'}": frozenset(values)}


def _all(found: Sequence[Bound]) -> Bound:
    together: dict[str, frozenset[Literal | bytes]] = {}
    for one in found:
        together |= {name: together[name] & values if name in together else values for name, values in one.items()}
    return together


def _either(found: Sequence[Bound]) -> Bound:
    names = set(found[0]).intersection(*found[1:])
    return {name: frozenset(value for one in found for value in one[name]) for name in names}
