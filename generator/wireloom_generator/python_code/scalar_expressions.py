"""Expressions → Python lambdas of ``this`` (the own struct), ``record`` (the header) and ``frame`` (see the codec)."""

from wireloom_generator import expressions
from wireloom_generator.expressions import (
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
from wireloom_generator.python_code.pretty import literal, string

_PRECEDENCE = {"or": 1, "and": 2, "not": 3, "in": 4, "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9}
_TIGHT = 10


def function(expression: Expr) -> str:
    """The expression as a lambda."""
    return f"lambda this, record, frame: {_text(expression)}"


def _text(expression: Expr, outer: int = 0) -> str:
    text, own = _convert(expression)
    return f"({text})" if own < outer else text


def _convert(expression: Expr) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    match expression:
        case Value(value):
            return literal(value), 99
        case Name():
            return _value_of(expression), 99
        case Unary("not", operand):
            return f"not {_text(operand, 3)}", 3
        case Unary(operator, operand):
            return f"{operator}{_text(operand, 11)}", 11
        case Binary(operator, left, right):
            own = _PRECEDENCE.get(operator, _TIGHT)
            return f"{_text(left, own)} {operator} {_text(right, own + 1)}", own
        case Compare("==", left, Value(bool() as value)):
            return f"{_text(left, 5)} is {value}", 4
        case Compare(operator, left, right):
            return _guarded(expression, f"{_text(left, 5)} {operator} {_text(right, 5)}")
        case Among(value, choices, negated):
            inner = ", ".join(_text(choice) for choice in choices)
            listed = f"({inner},)" if len(choices) == 1 else f"({inner})"
            return _guarded(expression, f"{_text(value, 5)} {'not in' if negated else 'in'} {listed}")
        case Logical(operator, operands):
            own = _PRECEDENCE[operator]
            return f" {operator} ".join(_text(operand, own + 1) for operand in operands), own
        case Conditional(test, then, other):
            return f"{_text(then, 1)} if {_text(test, 1)} else {_text(other)}", 0
        case Call(name, arguments):
            return _call(name, arguments), 4 if name == "present" else 99


def _guarded(comparison: Compare | Among, text: str) -> tuple[str, int]:
    """A comparison that is false, and never an error, when a value it asks for is absent."""
    absent = dict.fromkeys(map(_value_of, guards(comparison)))
    return (" and ".join([*(f"{name} is not None" for name in absent), text]), 2 if absent else 4)


def guards(comparison: Compare | Among) -> tuple[Name, ...]:
    """The names without whose values a comparison is false, whatever it compares; the others can be left to Python."""
    match comparison:
        case Compare("==", _, Value(bool())):
            return ()
        case Compare("==", left, right) if not _computes(comparison) and not (_nullable(left) and _nullable(right)):
            return ()
        case Among(value, choices, False) if not _computes(comparison):
            if not (_nullable(value) and any(map(_nullable, choices))):
                return ()
    return tuple(name for name in expressions.names(comparison) if name.nullable)


def _nullable(expression: Expr) -> bool:
    return any(name.nullable for name in expressions.names(expression))


def _computes(expression: Expr) -> bool:
    """Whether something in it has no result where a value is absent."""
    return any(
        isinstance(part, Binary)
        or (isinstance(part, Unary) and part.operator != "not")
        or (isinstance(part, Call) and part.function in expressions.OF_NUMBERS)
        for part in expressions.walk(expression)
    )


def _value_of(name: Name) -> str:
    if name.scope is Scope.PARAMETER:
        return f"frame.parameters[{string(name.name)}]"
    return f"{name.scope or 'this'}[{string(name.name)}]"


def _call(name: str, arguments: tuple[Expr, ...]) -> str:
    if name in expressions.OF_NUMBERS:
        return f"{name}({', '.join(_text(argument) for argument in arguments)})"
    target = arguments[0]
    assert isinstance(target, Name)
    match name:
        case "count":
            return f"len({_value_of(target)} or ())"
        case "present":
            return f"{_value_of(target)} is not None"
    return f"frame.{name}({string(target.name)})"
