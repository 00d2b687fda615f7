"""Expressions → Python lambdas over many rows at once (see ``wireloom.columnar.vectors``), where that can be done."""

from collections.abc import Iterable
from dataclasses import dataclass

from wireloom_generator import expressions, model
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
from wireloom_generator.python_code.scalar_expressions import guards

_PRECEDENCE = {"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9}
_TIGHT = 10
_WORDS = {"and": "both", "or": "either", "min": "least", "max": "greatest"}
_LONGEST = 2**63 - 1
_WHOLE = {model.Primitive.BYTE, model.Primitive.SHORT, model.Primitive.INT, model.Primitive.LONG}


class RowwiseError(ValueError):
    """Something is decoded row by row; the text says what."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Turns a protocol's expressions into lambdas. ``strange`` are the names whose values are no whole numbers."""

    strange: frozenset[str]

    @classmethod
    def of(cls, columns: Iterable[model.Column]) -> "Vectors":
        """For expressions over ``columns`` and what is in them; a name that is strange anywhere is so everywhere."""
        return cls(frozenset(_strange(columns)))

    def function(self, expression: Expr) -> str:
        """The expression as a lambda. Raises ``RowwiseError`` if it cannot be one."""
        return f"lambda this, record, frame: {self._text(expression)}"

    def _text(self, expression: Expr, outer: int = 0) -> str:
        text, own = self._convert(expression)
        return f"({text})" if own < outer else text

    def _convert(self, expression: Expr) -> tuple[str, int]:
        """The text, and how tightly its outermost operator binds."""
        match expression:
            case Value(value):
                if not isinstance(value, int) or abs(value) > _LONGEST:
                    raise RowwiseError(f"an expression has {value!r} in it")
                return literal(value), 99
            case Name():
                return self._value_of(expression), 99
            case Unary("not", operand):
                return f"plan.negate({self._text(operand)})", 99
            case Unary(operator, operand):
                return f"{operator}{self._text(operand, 11)}", 11
            case Binary(operator, left, right):
                own = _PRECEDENCE.get(operator, _TIGHT)
                return f"{self._text(left, own)} {operator} {self._text(right, own + 1)}", own
            case Compare(operator, left, right):
                return self._guarded(expression, *self._compared(operator, left, right))
            case Among(value, choices, negated):
                found = f"plan.among({self._operand(value)}, {self._choices(value, choices)})"
                return self._guarded(expression, f"plan.negate({found})" if negated else found, 99)
            case Logical(operator, operands):
                return f"plan.{_WORDS[operator]}({', '.join(map(self._text, operands))})", 99
            case Conditional(test, then, other):
                chosen = ", ".join(self._optional(part) for part in (then, other))
                return f"plan.choose({self._text(test)}, {chosen})", 99
            case Call(name, arguments):
                return self._call(name, arguments), 99

    def _guarded(self, comparison: Compare | Among, text: str, own: int) -> tuple[str, int]:
        """A comparison is false where a value that it asks for is absent; a plain one is so by itself."""
        absent = dict.fromkeys(self._value_of(name) for name in guards(comparison))
        if isinstance(comparison, Compare) and not any(map(_decides, expressions.parts(comparison))):
            return text, own
        present = [f"plan.present({name})" for name in absent]
        return (f"plan.both({', '.join([*present, text])})", 99) if absent else (text, own)

    def _optional(self, part: Expr) -> str:
        return "None" if part == Value(None) else self._text(part)

    def _compared(self, operator: str, left: Expr, right: Expr) -> tuple[str, int]:
        if operator in ("==", "!=") and _parameter(left) and isinstance(right, Value):
            return f"({self._value_of(left)} {operator} {literal(right.value)})", 99
        match operator, right:
            case "==", Value(bool() as value):
                return f"plan.among({self._text(left)}, ({value},))", 99
            case "!=", Value(bool() as value):
                return f"plan.among({self._text(left)}, ({not value},))", 99
        return f"{self._text(left, 5)} {operator} {self._text(right, 5)}", 4

    def _operand(self, value: Expr) -> str:
        return self._value_of(value) if _parameter(value) else self._text(value)

    def _choices(self, value: Expr, choices: tuple[Expr, ...]) -> str:
        plain = _parameter(value) and all(isinstance(choice, Value) for choice in choices)
        texts = [
            literal(choice.value) if plain and isinstance(choice, Value) else self._text(choice) for choice in choices
        ]
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def _value_of(self, name: Expr) -> str:
        assert isinstance(name, Name)
        if name.scope is Scope.PARAMETER:
            return f"frame.parameters[{string(name.name)}]"
        if name.name in self.strange:
            raise RowwiseError(f"an expression asks for {name.name}, which is no whole number")
        return f"{name.scope or 'this'}[{string(name.name)}]"

    def _call(self, name: str, arguments: tuple[Expr, ...]) -> str:
        if name in expressions.OF_NUMBERS:
            return f"plan.{_WORDS[name]}({', '.join(map(self._text, arguments))})"
        target = arguments[0]
        assert isinstance(target, Name)
        match name:
            case "count":
                return f"{target.scope or 'this'}.count({string(target.name)})"
            case "present" if target.scope is Scope.PARAMETER:
                return f"plan.present({self._value_of(target)})"
            case "present":
                return f"plan.present({target.scope or 'this'}[{string(target.name)}])"
        return f"frame.{name}({string(target.name)})"


def _decides(part: Expr) -> bool:
    """Whether it may have a value although one that it asks for is absent."""
    match part:
        case Compare() | Among() | Logical() | Conditional() | Unary("not"):
            return True
    return any(map(_decides, expressions.parts(part)))


def _parameter(value: Expr) -> bool:
    return isinstance(value, Name) and value.scope is Scope.PARAMETER


def _strange(columns: Iterable[model.Column]) -> Iterable[str]:
    for column in columns:
        match column.type:
            case model.Primitive():
                if column.type not in _WHOLE and column.type is not model.Primitive.BOOLEAN:
                    yield column.name
            case model.Decimal(scale=scale):
                if scale:
                    yield column.name
            case model.ListType(element=element):
                yield column.name
                if isinstance(element, model.StructType):
                    yield from _strange(element.columns)
            case model.StructType(columns=inner):
                yield column.name
                yield from _strange(inner)


def linear(expression: Expr) -> tuple[int, dict[str, int]] | None:
    """The expression as a number and the names that are added to it, each times a factor; None if it is no such sum."""
    match expression:
        case Value(int() as value) if not isinstance(value, bool):
            return value, {}
        case Name(name=name, scope=scope) if scope is not Scope.PARAMETER:
            return 0, {name: 1}
        case Binary("+" | "-" as operator, left, right):
            one, two = linear(left), linear(right)
            if one is None or two is None:
                return None
            sign = 1 if operator == "+" else -1
            terms = dict(one[1])
            for name, factor in two[1].items():
                terms[name] = terms.get(name, 0) + sign * factor
            return one[0] + sign * two[0], terms
        case Binary("*", left, right):
            one, two = linear(left), linear(right)
            if one is None or two is None or (one[1] and two[1]):
                return None
            (constant, terms), factor = (one, two[0]) if one[1] else (two, one[0])
            return constant * factor, {name: factor * times for name, times in terms.items()}
    return None
