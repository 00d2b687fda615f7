"""Trees → functions of one record, through the tree of a Python lambda: no text of a spec is ever Python's.

Every name may be absent. What computes with an absent value is absent, and a comparison with one is false.
"""

import ast
from collections.abc import Sequence
from itertools import count
from typing import assert_never

from wireloom.expressions.expression import Scalar
from wireloom.expressions.tree import (
    OF_NUMBERS,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Logical,
    Name,
    Scope,
    Unary,
    Value,
)

_BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "//": ast.FloorDiv, "%": ast.Mod,
    "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "<<": ast.LShift, ">>": ast.RShift,
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip
_UNARY: dict[str, type[ast.unaryop]] = {"-": ast.USub, "~": ast.Invert}
_LOGICAL: dict[str, type[ast.boolop]] = {"and": ast.And, "or": ast.Or}
_GIVEN = {"__builtins__": {}, "len": len, "max": max, "min": min}
_NONE = ast.Constant(None)


def function(tree: Expr) -> Scalar:
    """The expression as a function."""
    names = [ast.arg(name) for name in ("this", "record", "frame")]
    given = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    code = ast.Expression(ast.Lambda(given, _Compiling().value(tree)))
    found: Scalar = eval(compile(ast.fix_missing_locations(code), "<expression>", "eval"), _GIVEN)
    return found


def may_be_absent(tree: Expr) -> bool:
    """Whether it can have no value, all being well."""
    match tree:
        case Value(value):
            return value is None
        case Name(scope=scope):
            return scope is not Scope.PARAMETER
        case Unary(operator, operand):
            return operator != "not" and may_be_absent(operand)
        case Binary(_, left, right):
            return may_be_absent(left) or may_be_absent(right)
        case Compare() | Among():
            return False
        case Logical(_, operands):
            return any(map(may_be_absent, operands))
        case Conditional(_, then, other):
            return may_be_absent(then) or may_be_absent(other)
        case Call(name, arguments):
            return name in OF_NUMBERS and any(map(may_be_absent, arguments))
        case _:
            assert_never(tree)


class _Compiling:
    """Makes one lambda. What it asks whether it is there is held under a number."""

    def __init__(self) -> None:
        self._numbers = count()

    def value(self, tree: Expr) -> ast.expr:
        """What it is, or None."""
        match tree:
            case Value(value):
                return _constant(value)
            case Name():
                return _found(tree)
            case Unary("not", operand):
                return ast.UnaryOp(ast.Not(), self.value(operand))
            case Unary() | Binary():
                return self._computed(tree)
            case Compare("==", left, Value(bool() as truth)):
                return ast.Compare(self.value(left), [ast.Is()], [ast.Constant(truth)])
            case Compare("==", left, right):
                return self._same(left, right)
            case Compare(operator, left, right):
                there, (one, two) = self._present(left, right)
                return _all([*there, ast.Compare(one, [_COMPARE[operator]()], [two])])
            case Among(value, choices, negated):
                return self._among(value, choices, negated)
            case Logical(operator, operands):
                return ast.BoolOp(_LOGICAL[operator](), list(map(self.value, operands)))
            case Conditional(test, then, other):
                return ast.IfExp(self.value(test), self.value(then), self.value(other))
            case Call(name):
                return self._computed(tree) if name in OF_NUMBERS else _asked(tree)
            case _:
                assert_never(tree)

    def _computed(self, tree: Expr) -> ast.expr:
        there, value = self._strict(tree)
        return ast.IfExp(_all(there), value, _NONE) if there else value

    def _same(self, left: Expr, right: Expr) -> ast.expr:
        """``==``: nothing is like a value, so one side may be absent; if both may, one is asked whether it is."""
        there, one = self._strict(left)
        other, two = self._strict(right)
        if not other and len(there) == 1 and not _computes(left):
            there, one = [], self.value(left)
        elif len(other) == 1 and not _computes(right):
            other, two = [], self.value(right)
        return _all([*there, *other, ast.Compare(one, [ast.Eq()], [two])])

    def _among(self, value: Expr, choices: tuple[Expr, ...], negated: bool) -> ast.expr:
        """As ``==`` with any of the choices, or as ``!=`` with all."""
        if negated:
            there, (one, *others) = self._present(value, *choices)
            return _all([*there, ast.Compare(one, [ast.NotIn()], [ast.Tuple(others, ast.Load())])])
        there, one = self._strict(value)
        if len(there) == 1 and not _computes(value) and not any(map(may_be_absent, choices)):
            there, one = [], self.value(value)
        return _all([*there, ast.Compare(one, [ast.In()], [ast.Tuple(list(map(self.value, choices)), ast.Load())])])

    def _present(self, *trees: Expr) -> tuple[list[ast.expr], list[ast.expr]]:
        """What must hold for all of them to have values, and the values they have then."""
        found = [self._strict(tree) for tree in trees]
        return [test for tests, _ in found for test in tests], [value for _, value in found]

    def _strict(self, tree: Expr) -> tuple[list[ast.expr], ast.expr]:
        """What must hold for it to have a value, and the value it has then."""
        match tree:
            case Unary("-" | "~" as operator, operand):
                there, value = self._strict(operand)
                return there, ast.UnaryOp(_UNARY[operator](), value)
            case Binary(operator, left, right):
                there, (one, two) = self._present(left, right)
                return there, ast.BinOp(one, _BINARY[operator](), two)
            case Call(name, arguments) if name in OF_NUMBERS:
                there, values = self._present(*arguments)
                return there, _call(ast.Name(name, ast.Load()), *values)
        if not may_be_absent(tree):
            return [], self.value(tree)
        held = f"_{next(self._numbers)}"
        kept = ast.NamedExpr(ast.Name(held, ast.Store()), self.value(tree))
        return [ast.Compare(kept, [ast.IsNot()], [_NONE])], ast.Name(held, ast.Load())


def _computes(tree: Expr) -> bool:
    return (
        isinstance(tree, Binary)
        or (isinstance(tree, Unary) and tree.operator != "not")
        or (isinstance(tree, Call) and tree.function in OF_NUMBERS)
    )


def _constant(value: int | float | str | bytes | None) -> ast.Constant:
    return ast.Constant(int(value) if isinstance(value, int) and not isinstance(value, bool) else value)


def _all(conditions: Sequence[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), list(conditions)) if len(conditions) > 1 else conditions[0]


def _call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(function, list(arguments), [])


def _found(name: Name) -> ast.expr:
    """What is found under a name: in the own struct, in the header, or among the parameters."""
    scope = name.scope or Scope.THIS
    where: ast.expr = ast.Name(scope.value, ast.Load())
    if scope is Scope.PARAMETER:
        where = ast.Attribute(ast.Name("frame", ast.Load()), "parameters", ast.Load())
    return ast.Subscript(where, ast.Constant(name.name), ast.Load())


def _asked(call: Call) -> ast.expr:
    """What is known of a name beside its value."""
    (target,) = call.arguments
    assert isinstance(target, Name)
    match call.function:
        case "present":
            return ast.Compare(_found(target), [ast.IsNot()], [_NONE])
        case "count":
            items = ast.BoolOp(ast.Or(), [_found(target), ast.Tuple([], ast.Load())])
            return _call(ast.Name("len", ast.Load()), items)
    return _call(ast.Attribute(ast.Name("frame", ast.Load()), call.function, ast.Load()), ast.Constant(target.name))
