"""Evaluates expressions whose names are only partly known.

A condition holds, does not hold, or is unknown. An absent value is not unknown.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Hexadecimal,
    Literal,
    Logical,
    Name,
    Unary,
    Value,
    key,
)

Result = Literal | bytes | Fraction
"""A number; fractions lie between the numbers of a spec."""
Values = Mapping[str, Result | None]
"""Values by name; None for an absent one."""


class Undecided(Enum):
    """The value of something unknown."""

    UNDECIDED = "undecided"


UNDECIDED = Undecided.UNDECIDED
Answer = Result | None | Undecided
"""A value, None if absent, or undecided."""
Knowledge = Callable[[Name | Call], Answer]
"""What is known about a name, or about its size, offset, count or presence."""


class UnknowableError(ValueError):
    """The question cannot be decided."""


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip

_KINDS: dict[type, type] = {
    bool: bool, bytes: bytes, float: int, Fraction: int, Hexadecimal: int, int: int, str: str,
}  # fmt: skip
"""The types that can be compared with each other."""


def evaluate(tree: Expr, known: Knowledge) -> Answer:
    """The value of an expression."""
    match tree:
        case Name():
            return known(tree)
        case Value(value):
            return value
        case Compare(sign, left, right):
            return _compared(sign, evaluate(left, known), evaluate(right, known))
        case Binary(sign, left, right):
            return _binary(sign, evaluate(left, known), evaluate(right, known))
        case Among(value, choices, negated):
            found, sign = evaluate(value, known), "!=" if negated else "=="
            answers = (_compared(sign, found, evaluate(choice, known)) for choice in choices)
            return _several("and" if negated else "or", answers)
        case Logical(word, operands):
            return _logical(word, operands, known)
        case Conditional(test, then, other):
            decided = truth(test, known)
            return UNDECIDED if decided is UNDECIDED else evaluate(then if decided else other, known)
        case Unary("not", operand):
            answer = truth(operand, known)
            return UNDECIDED if answer is UNDECIDED else not answer
        case Unary(sign, operand):
            return _computed(operator.neg if sign == "-" else operator.invert, evaluate(operand, known))
        case Call():
            return _called(tree, known)


def _called(call: Call, known: Knowledge) -> Answer:
    match call.function:
        case Function.MIN:
            return _computed(min, *(evaluate(argument, known) for argument in call.arguments))
        case Function.MAX:
            return _computed(max, *(evaluate(argument, known) for argument in call.arguments))
        case Function.SIZE | Function.OFFSET | Function.COUNT | Function.PRESENT:
            return known(call)
        case Function.CALENDAR | Function.NTP | Function.GPS | Function.GPS_COUNT:
            return UNDECIDED
        case Function.MICROSECONDS | Function.YEAR | Function.MONTH | Function.DAY:
            return UNDECIDED


def truth(condition: Expr, known: Knowledge) -> bool | Undecided:
    """Whether the condition holds. It does not if it has no value; a number is not a condition."""
    if isinstance(condition, Logical):
        return _several(condition.operator, (truth(operand, known) for operand in condition.operands))
    found = evaluate(condition, known)
    return bool(found) if found is None or isinstance(found, bool) else UNDECIDED


def of_values(values: Values) -> Knowledge:
    """The knowledge that these names have these values."""

    def known(asked: Name | Call) -> Answer:
        if isinstance(asked, Name) or asked.function is not Function.PRESENT:
            return values.get(key(asked), UNDECIDED)
        found = values.get(key(asked.target), UNDECIDED)
        return UNDECIDED if found is UNDECIDED else found is not None

    return known


def holds(condition: Expr, values: Values) -> bool:
    """Whether the condition holds with these values. Raises ``UnknowableError``."""
    found = truth(condition, of_values(values))
    if found is UNDECIDED:
        raise UnknowableError
    return found is True


def _logical(word: str, operands: Iterable[Expr], known: Knowledge) -> Answer:
    """The first operand that decides, or the last, as in Python."""
    found: Answer = None
    for operand in operands:
        found = evaluate(operand, known)
        if found is not None and not isinstance(found, bool):
            return UNDECIDED
        if bool(found) is (word == "or"):
            return found
    return found


def _several(word: str, answers: Iterable[bool | Undecided]) -> bool | Undecided:
    decisive, found = word == "or", word != "or"
    unsure = False
    for answer in answers:
        if answer is decisive:
            return decisive
        unsure |= answer is UNDECIDED
    return UNDECIDED if unsure else found


def _compared(sign: str, one: Answer, two: Answer) -> bool | Undecided:
    """Whether the comparison of two values of one kind holds; other comparisons are another rule's concern."""
    if one is None or two is None:
        return False
    kind = _KINDS.get(type(one))
    if kind is None or kind is not _KINDS.get(type(two)):
        return UNDECIDED
    return _COMPARE[sign](one, two)


def _binary(sign: str, one: Answer, two: Answer) -> Answer:
    if sign in ("<<", ">>") and two is not None and not (isinstance(two, int) and 0 <= two <= 63):
        return UNDECIDED
    return _computed(_BINARY[sign], one, two)


def _computed(function: Callable[..., Result], *operands: Answer) -> Answer:
    """The result; unknown for wrong combinations, which other rules report."""
    if None in operands:
        return None
    for operand in operands:
        if _KINDS.get(type(operand)) is not int:
            return UNDECIDED
    try:
        return function(*operands)
    except (ArithmeticError, TypeError, ValueError):
        return UNDECIDED


def _is_number(tree: Expr) -> bool:
    return isinstance(tree, Value) and isinstance(tree.value, int)


def masked(tree: Expr) -> tuple[str, int] | None:
    """The name and those of its bits that a comparison uses; None if it uses anything else."""
    match tree:
        case Compare("==" | "!=", Binary("&", Name() as name, Value(int() as bits)), Value(int())):
            return key(name), bits
        case Among(Binary("&", Name() as name, Value(int() as bits)), choices, _) if all(map(_is_number, choices)):
            return key(name), bits
        case _:  # any other expression
            return None
