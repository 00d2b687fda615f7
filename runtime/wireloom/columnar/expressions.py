"""Expressions over numbers of many records at once, as functions made of ``vectors``."""

import operator
from collections.abc import Callable
from typing import Any, assert_never, overload

from wireloom.columnar.rows import Rows
from wireloom.columnar.vectors import among, both, choose, either, greatest, least, negate, present, settles
from wireloom.expressions import Expression
from wireloom.expressions.numerals import Hexadecimal
from wireloom.expressions.tree import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
)
from wireloom.programs.values import WORD, NoProgramError

Vectorised = Callable[[Rows], Any]
"""An expression as a function of rows, as the codec's, over vectors instead of numbers."""

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_UNARY: dict[str, Callable[[Any], Any]] = {"not": negate, "-": operator.neg, "~": operator.invert}
_SEVERAL: dict[str, Callable[..., Any]] = {"and": both, "or": either}


@overload
def vector(expression: Expression) -> Vectorised: ...


@overload
def vector(expression: Expression | None) -> Vectorised | None: ...


def vector(expression: Expression | None) -> Vectorised | None:
    """The expression as a function; None for None. Raises ``NoProgramError`` if it is more than numbers of a record
    and parameters, or divides by something other than a literal number.
    """
    return None if expression is None else _of(expression.tree)


def _of(tree: Expr) -> Vectorised:
    match tree:
        case Value(value) if isinstance(value, float) or (isinstance(value, int) and abs(value) >= WORD):
            raise NoProgramError("a number that is not whole, or has more than 64 bits")
        case Binary("//" | "%", _, divisor) if not isinstance(divisor, Value):
            raise NoProgramError("a division by something other than a literal number")
        case Value(value):
            plain = int(value) if isinstance(value, Hexadecimal) else value  # numpy takes no other integers as they are
            return lambda rows: plain
        case Name():
            return _found(tree)
        case Unary(sign, operand):
            return _joined(_UNARY[sign], operand)
        case Compare("==" | "!=" as sign, left, Value(bool() as truth)) if not _is_parameter(left):
            found = _of(left)
            return lambda rows: among(found(rows), (truth is (sign == "=="),))
        case Binary(sign, left, right) | Compare(sign, left, right):
            return _joined(_OPERATORS[sign], left, right)
        case Among(value, choices, negated):
            found, listed = _of(value), [_of(choice) for choice in choices]
            return _among(found, listed, negated=negated)
        case Logical(word, operands):
            return _folded(word, *operands)
        case Conditional(test, then, other):
            return _joined(choose, test, then, other)
        case Call():
            return _called(tree)
        case _:
            assert_never(tree)


def _joined(function: Callable[..., Any], *parts: Expr) -> Vectorised:
    """A function of the values of the parts."""
    match [_of(part) for part in parts]:
        case [one]:
            return lambda rows: function(one(rows))
        case [one, two]:
            return lambda rows: function(one(rows), two(rows))
        case several:
            return lambda rows: function(*(part(rows) for part in several))


def _folded(word: str, *parts: Expr) -> Vectorised:
    """``and`` or ``or`` of the parts; parts after one that decides all rows are not evaluated."""
    function, several = _SEVERAL[word], [_of(part) for part in parts]

    def found(rows: Rows) -> Any:
        values = []
        for part in several:
            values.append(part(rows))
            if settles(values[-1], truth=word == "or"):
                break
        return function(*values)

    return found


def _among(value: Vectorised, choices: list[Vectorised], *, negated: bool) -> Vectorised:
    def found(rows: Rows) -> Any:
        one = value(rows)
        others = [choice(rows) for choice in choices]
        return both(*(one != other for other in others)) if negated else among(one, tuple(others))

    return found


def _is_parameter(tree: Expr) -> bool:
    return isinstance(tree, Name) and tree.origin is Origin.PARAMETER


def _found(name: Name) -> Vectorised:
    key = name.name
    match name.origin:
        case Origin.PARAMETER:
            return lambda rows: rows.parameters[key]
        case Origin.RECORD | Origin.THIS | None if name.item is None:
            return lambda rows: rows[key]
    raise NoProgramError(f"a length that is computed from {key}")


def _called(call: Call) -> Vectorised:
    match call.function:
        case Function.MIN:
            return _joined(least, *call.arguments)
        case Function.MAX:
            return _joined(greatest, *call.arguments)
        case Function.PRESENT:
            return _joined(present, call.target)
    raise NoProgramError(f"a length that is computed from {call.function.value}()")
