"""Expressions → functions of many rows at once, made of ``vectors``."""

import operator
from collections.abc import Callable
from typing import Any, assert_never, overload

from wireloom.columnar.frames import Frame, Values
from wireloom.columnar.items import item
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
    InList,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
)
from wireloom.expressions.words import numbered

Vectorised = Callable[[Values, Values, Frame], Any]
"""An expression as a function of ``this, record, frame``, as the codec's, over vectors instead of numbers."""

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
    """The expression as a function; None for None. There must be no ``expressions.unvectorised.reason`` against it."""
    return None if expression is None else _of(expression.tree)


def number_of_word(tree: Expr, known: tuple[str, ...]) -> Vectorised:
    """Which of the words that are ``known`` the expression chooses, as a function; see ``expressions.words``."""
    return _of(numbered(tree, known))


def _of(tree: Expr) -> Vectorised:
    match tree:
        case Value(value):
            plain = int(value) if isinstance(value, Hexadecimal) else value  # numpy takes no other integers as they are
            return lambda this, record, frame: plain
        case Name():
            return _found(tree)
        case Unary(sign, operand):
            return _joined(_UNARY[sign], operand)
        case Compare("==" | "!=" as sign, left, Value(bool() as truth)) if not _is_parameter(left):
            found = _of(left)
            return lambda this, record, frame: among(found(this, record, frame), (truth is (sign == "=="),))
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
            return lambda this, record, frame: function(one(this, record, frame))
        case [one, two]:
            return lambda this, record, frame: function(one(this, record, frame), two(this, record, frame))
        case several:
            return lambda this, record, frame: function(*(part(this, record, frame) for part in several))


def _folded(word: str, *parts: Expr) -> Vectorised:
    """``and`` or ``or`` of the parts; parts after one that decides all rows are not evaluated."""
    function, several = _SEVERAL[word], [_of(part) for part in parts]

    def found(this: Values, record: Values, frame: Frame) -> Any:
        values = []
        for part in several:
            values.append(part(this, record, frame))
            if settles(values[-1], truth=word == "or"):
                break
        return function(*values)

    return found


def _among(value: Vectorised, choices: list[Vectorised], *, negated: bool) -> Vectorised:
    def found(this: Values, record: Values, frame: Frame) -> Any:
        one = value(this, record, frame)
        others = [choice(this, record, frame) for choice in choices]
        return both(*(one != other for other in others)) if negated else among(one, tuple(others))

    return found


def _is_parameter(tree: Expr) -> bool:
    return isinstance(tree, Name) and tree.origin is Origin.PARAMETER


def _found(name: Name) -> Vectorised:
    if name.item is not None:
        return _item(name.item, in_record=name.origin is Origin.RECORD)
    key = name.name
    match name.origin:
        case Origin.PARAMETER:
            return lambda this, record, frame: frame.parameters[key]
        case Origin.RECORD:
            return lambda this, record, frame: record[key]
        case Origin.SECTION:
            return lambda this, record, frame: frame.left
        case Origin.INPUT:
            return lambda this, record, frame: frame.input(key)
        case Origin.ITEM:
            return lambda this, record, frame: frame.index
        case Origin.THIS | None:
            return lambda this, record, frame: this[key]


def _item(found: InList, *, in_record: bool) -> Vectorised:
    number = None if found.word == "last" else _of(found.number)

    def asked(this: Values, record: Values, frame: Frame) -> Any:
        index = None if number is None else number(this, record, frame)
        return item(record if in_record else this, found.list, index, found.inner)

    return asked


def _called(call: Call) -> Vectorised:
    match call.function:
        case Function.MIN:
            return _joined(least, *call.arguments)
        case Function.MAX:
            return _joined(greatest, *call.arguments)
        case Function.PRESENT:
            return _joined(present, call.target)
        case Function.COUNT:
            key, in_record = call.target.name, call.target.origin is Origin.RECORD
            return lambda this, record, frame: (record if in_record else this).count(key)
        case Function.SIZE:
            sized = call.target.name
            return lambda this, record, frame: frame.size(sized)
        case Function.OFFSET:
            target = call.target.name
            return lambda this, record, frame: frame.offset(target)
        case _:
            assert_never(call.function)
