"""What an expression is for given values, and the shapes of it whose turning points are known."""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Literal,
    Logical,
    Name,
    Unary,
    Value,
)

Number = Literal | Fraction
"""A value; fractions are those between the numbers of a spec."""
Values = Mapping[str, Number | None]
"""Values by name; None of what is absent."""


class UnknowableError(ValueError):
    """A question that is not decided here."""


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def key(name: Name | Call) -> str:
    """What a name, or the size of one, is told from others by."""
    if isinstance(name, Call):
        argument = name.arguments[0]
        assert isinstance(argument, Name)
        return f"{name.function}({argument.name})"
    return name.name if name.scope is None else f"{name.scope}.{name.name}"


def value(tree: Expr, values: Values) -> Number | None:
    """What the expression is; None without a value that it needs. Raises ``UnknowableError``."""
    match tree:
        case Value(constant):
            if isinstance(constant, bytes):
                raise UnknowableError
            return constant
        case Name():
            return values[key(tree)]
        case Logical("and", operands):
            return all(truth(operand, values) for operand in operands)
        case Logical(_, operands):
            return any(truth(operand, values) for operand in operands)
        case Unary("not", operand):
            return not truth(operand, values)
        case Conditional(test, then, other):
            return value(then if truth(test, values) else other, values)
        case Compare(sign, left, right):
            one, two = value(left, values), value(right, values)
            return one is not None and two is not None and _compared(_COMPARE[sign], one, two)
        case Among(tested, choices, negated):
            found, listed = value(tested, values), [value(choice, values) for choice in choices]
            return found is not None and (None not in listed or not negated) and (found in listed) != negated
        case Call("present", (Name() as name,)):
            return values[key(name)] is not None
        case Call("size" | "offset" | "count"):
            return values[key(tree)]
        case _:
            return _number(tree, values)


def truth(condition: Expr, values: Values) -> bool:
    """Whether the condition holds; it does not without a value. Raises ``UnknowableError``, of a number too."""
    found = value(condition, values)
    if found is not None and not isinstance(found, bool):
        raise UnknowableError
    return bool(found)


def _compared(function: Callable[[Number, Number], bool], one: Number, two: Number) -> bool:
    """Whether two values of one kind compare so; a spec that compares others is told so elsewhere."""
    for kind in (str, bool):
        if isinstance(one, kind) != isinstance(two, kind):
            raise UnknowableError
    return bool(_calculated(function, one, two))


def _number(tree: Expr, values: Values) -> Number | None:
    match tree:
        case Unary(sign, operand):
            found = value(operand, values)
            return None if found is None else _calculated(operator.neg if sign == "-" else operator.invert, found)
        case Binary(sign, left, right):
            one, two = value(left, values), value(right, values)
            if one is None or two is None:
                return None
            if sign in ("<<", ">>") and not (isinstance(two, int) and 0 <= two <= 63):
                raise UnknowableError
            return _calculated(_BINARY[sign], one, two)
        case Call(function, arguments):
            numbers = [value(argument, values) for argument in arguments]
            return None if None in numbers else _calculated(min if function == "min" else max, *numbers)
        case _:
            raise UnknowableError


def _calculated(function: Callable[..., Number], *operands: Number | None) -> Number:
    """The result for what a spec has perhaps put together wrongly, which other rules tell."""
    try:
        return function(*operands)
    except (ArithmeticError, TypeError, ValueError):
        raise UnknowableError from None


def _is_number(tree: Expr) -> bool:
    return isinstance(tree, Value) and isinstance(tree.value, int)


def masked(tree: Expr) -> tuple[str, int] | None:
    """The name and the bits of it that a comparison asks for; None if it asks for more."""
    match tree:
        case Compare("==" | "!=", Binary("&", Name() as name, Value(int() as bits)), Value(int())):
            return key(name), bits
        case Among(Binary("&", Name() as name, Value(int() as bits)), choices, _) if all(map(_is_number, choices)):
            return key(name), bits
        case _:
            return None


def terms(tree: Expr) -> dict[str, int] | None:
    """The number as a sum of names with a factor each, the constant under the empty name; None if it is none."""
    match tree:
        case Value(bool()):
            return None
        case Value(int() as number):
            return {"": number}
        case Name() | Call("size" | "offset" | "count"):
            return {key(tree): 1}
        case Unary("-", operand):
            return _product(terms(operand), {"": -1})
        case Binary("+", left, right):
            return _sum(terms(left), terms(right))
        case Binary("-", left, right):
            return _sum(terms(left), _product(terms(right), {"": -1}))
        case Binary("*", left, right):
            return _product(terms(left), terms(right))
        case _:
            return None


def _sum(one: dict[str, int] | None, two: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or two is None:
        return None
    return {name: one.get(name, 0) + two.get(name, 0) for name in {**one, **two}}


def _product(one: dict[str, int] | None, two: dict[str, int] | None) -> dict[str, int] | None:
    """The product, of which one must be a constant."""
    if one is None or two is None:
        return None
    if two.keys() != {""}:
        one, two = two, one
    return {name: factor * two[""] for name, factor in one.items()} if two.keys() == {""} else None


Ends = Callable[[str], tuple[int, int] | None]
"""The lowest and the highest number that a name can be."""


def out_of_reach(tree: Expr, ends: Ends) -> bool:
    """Whether the sides of a comparison are numbers that are too far apart for it to hold."""
    match tree:
        case Compare(sign, left, right):
            one, two = _span(left, ends), _span(right, ends)
        case _:
            return False
    if one is None or two is None:
        return False
    match sign:
        case "==":
            return one[0] > two[1] or two[0] > one[1]
        case "<":
            return one[0] >= two[1]
        case "<=":
            return one[0] > two[1]
        case ">":
            return one[1] <= two[0]
        case ">=":
            return one[1] < two[0]
        case _:
            return False


def _span(tree: Expr, ends: Ends) -> tuple[int, int] | None:
    """The lowest and the highest that a sum of names can be."""
    parts = terms(tree)
    if parts is None:
        return None
    low = high = parts.pop("", 0)
    for name, factor in parts.items():
        found = ends(name)
        if found is None:
            return None
        low += min(factor * found[0], factor * found[1])
        high += max(factor * found[0], factor * found[1])
    return low, high
