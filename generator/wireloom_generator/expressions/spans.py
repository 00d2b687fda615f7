"""The range of an expression, as far as it follows from the ranges of its names."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Unary,
    Value,
    key,
    terms,
)


class Span(NamedTuple):
    """The whole numbers from ``least`` to ``most``; None for an end that is unknown."""

    least: int | None = None
    most: int | None = None

    @property
    def is_natural(self) -> bool:
        """Whether none of them is negative."""
        return self.least is not None and self.least >= 0

    @property
    def is_positive(self) -> bool:
        """Whether all of them are above 0."""
        return self.least is not None and self.least > 0

    def is_below(self, other: "Span") -> bool:
        """Whether all of them are less than all of another's."""
        return self.most is not None and other.least is not None and self.most < other.least

    def is_up_to(self, other: "Span") -> bool:
        """Whether none of them is more than any of another's."""
        return self.most is not None and other.least is not None and self.most <= other.least


Ends = Callable[[str], Span]
"""The span of a name, or of the size, the offset or the count of one, by its key."""


def span(tree: Expr, ends: Ends) -> Span:
    """The span of an expression if it has a value."""
    together = terms(tree)
    if together is not None:
        return _sum(together, ends)
    match tree:
        case Name() | Call(Function.SIZE | Function.OFFSET | Function.COUNT):
            return ends(key(tree))
        case Binary(operator, left, right):
            return _computed(operator, span(left, ends), span(right, ends))
        case Call(Function.MIN, arguments):
            found = [span(argument, ends) for argument in arguments]
            return Span(_all(min, (each.least for each in found)), _some(min, (each.most for each in found)))
        case Call(Function.MAX, arguments):
            found = [span(argument, ends) for argument in arguments]
            return Span(_some(max, (each.least for each in found)), _all(max, (each.most for each in found)))
        case Conditional(_, then, Value(value=None)):
            return span(then, ends)
        case Conditional(_, then, other):
            found = [span(then, ends), span(other, ends)]
            return Span(_all(min, (each.least for each in found)), _all(max, (each.most for each in found)))
        case Value() | Unary() | Compare() | Among() | Logical() | Call():
            return Span()


def out_of_reach(tree: Expr, ends: Ends) -> bool:
    """Whether the sides of a comparison are too far apart for it to hold."""
    if not isinstance(tree, Compare):
        return False
    one, two = span(tree.left, ends), span(tree.right, ends)
    match tree.operator:
        case "==":
            return one.is_below(two) or two.is_below(one)
        case "<":
            return two.is_up_to(one)
        case "<=":
            return two.is_below(one)
        case ">":
            return one.is_up_to(two)
        case ">=":
            return one.is_below(two)
    return False


def _sum(together: Mapping[str, int], ends: Ends) -> Span:
    low: list[int | None] = [together.get("", 0)]
    high = list(low)
    for name, factor in together.items():
        if name:
            found = ends(name) if factor >= 0 else ends(name)[::-1]
            low.append(None if found[0] is None else factor * found[0])
            high.append(None if found[1] is None else factor * found[1])
    return Span(_all(sum, low), _all(sum, high))


def _computed(operator: str, one: Span, two: Span) -> Span:
    match operator:
        case "+":
            return Span(_all(sum, (one.least, two.least)), _all(sum, (one.most, two.most)))
        case "&":
            natural = [each for each in (one, two) if each.is_natural]
            return Span(0, _some(min, (each.most for each in natural))) if natural else Span()
        case "|" | "^" if one.is_natural and two.is_natural:
            most = _all(max, (one.most, two.most))
            return Span(0, None if most is None else (1 << most.bit_length()) - 1)
        case "%" if two.is_positive:
            return Span(0, None if two.most is None else two.most - 1)
        case "//" if one.is_natural and two.is_positive:
            return Span(0, one.most)
        case ">>" if one.is_natural:
            return Span(0, one.most)
        case "*" if one.is_natural and two.is_natural:
            return Span(0, None if one.most is None or two.most is None else one.most * two.most)
    return Span()


def _all(function: Callable[[Iterable[int]], int], numbers: Iterable[int | None]) -> int | None:
    """The function of the numbers, if all of them are known."""
    found = list(numbers)
    known = [number for number in found if number is not None]
    return function(known) if len(known) == len(found) else None


def _some(function: Callable[[Iterable[int]], int], numbers: Iterable[int | None]) -> int | None:
    """The function of the known numbers, if one is."""
    known = [number for number in numbers if number is not None]
    return function(known) if known else None
