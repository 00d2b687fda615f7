"""Trees → functions of one record.

Only the parts of a tree get into Python code: quoted names and texts, and numbers. Arithmetic with an absent value
gives an absent value, and a comparison with one is false.
"""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, assert_never

from wireloom.expressions import times
from wireloom.expressions.paths import inside, item, last
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
    may_be_absent,
    needed,
)

RecordFunction = Callable[[Any, Any, Any], Any]
"""An expression as a function of ``this`` (its own struct), ``record`` (the header) and ``frame`` (see the codec)."""

_UNANSWERED = (TypeError, ArithmeticError, ValueError)
"""The errors of expressions without a result: from a division by zero, or from values given to be written."""
USED = {"len": len, "max": max, "min": min, "inside": inside, "item": item, "last": last, **times.FUNCTIONS}
"""The functions that the source of an expression may call."""
_SOURCE = """
def ask(this, record, frame):
    try:
        return {}
    except UNANSWERED:
        return None
"""
_WHERE = {
    None: "this",
    Origin.THIS: "this",
    Origin.RECORD: "record",
    Origin.PARAMETER: "frame.parameters",
    Origin.INPUT: "frame.given",
}
_FRAMED = {Origin.SECTION: "left", Origin.ITEM: "index"}


def function(tree: Expr) -> RecordFunction:
    """The expression as a function."""
    made: dict[str, Any] = {"__builtins__": {}, "UNANSWERED": _UNANSWERED, **USED}
    exec(_SOURCE.format(Printer().value(tree)), made)
    found: RecordFunction = made["ask"]
    return found


class Printer:
    """Makes the source of an expression. Values checked for absence are kept in numbered variables.

    What a name is, and where it is, is found in ``this``, ``record`` and ``frame``, unless a subclass knows better.
    """

    def __init__(self) -> None:
        self._numbers = count()

    def value(self, tree: Expr) -> str:
        """What it is, or None."""
        match tree:
            case Value(value):
                return _literal(value)
            case Name():
                return self._found(tree)
            case Unary("not", operand):
                return f"(not {self.value(operand)})"
            case Unary() | Binary():
                return self._computed(tree)
            case Compare("==", left, Value(bool() as truth)):
                return f"({self.value(left)} is {truth})"
            case Compare("==", left, right):
                return self._same(left, right)
            case Compare(operator, left, right):
                there, (one, two) = self._present(left, right)
                return _all(*there, f"{one} {operator} {two}")
            case Among(value, choices, negated):
                return self._among(value, choices, negated)
            case Logical(operator, operands):
                return f"({f' {operator} '.join(map(self.value, operands))})"
            case Conditional(test, then, other):
                return f"({self.value(then)} if {self.value(test)} else {self.value(other)})"
            case Call(function):
                return self._called(tree, function)
            case _:
                assert_never(tree)

    def _called(self, tree: Call, function: Function) -> str:
        match function:
            case Function.MIN | Function.MAX:
                return self._computed(tree)
            case Function.PRESENT:
                return f"({self._found(tree.target)} is not None)"
            case Function.COUNT:
                return f"len({self._found(tree.target)} or ())"
            case Function.SIZE | Function.OFFSET:
                return self.placed(function, tree.target)
            case Function.CALENDAR | Function.NTP | Function.GPS | Function.GPS_COUNT:
                return f"{function}({', '.join(map(self.value, tree.arguments))})"
            case Function.MICROSECONDS | Function.YEAR | Function.MONTH | Function.DAY:
                return f"{function}({', '.join(map(self.value, tree.arguments))})"
            case _:
                assert_never(function)

    def placed(self, function: Function, target: Name) -> str:
        """The size or the offset of a field, a section or an item."""
        *structs, name = map(repr, target.steps)
        frame = f"frame.inside({', '.join(structs)})" if structs else "frame"
        match target.item:
            case None:
                return f"{frame}.{function}({name})"
            case InList(number=number, word=word, inner=inner):
                index = "'last'" if word == "last" else self.value(number)
                return f"{frame}.item_{function}({', '.join([name, index, *map(repr, inner)])})"

    def _found(self, name: Name) -> str:
        """The value of a name: from where it is found, how many bytes are left, or the number of an item."""
        if name.origin in _FRAMED:
            return self.framed(name.origin)
        first, *steps = name.steps
        steps = [repr(step) for step in steps]
        value = self.named(name.origin, first)
        value = f"inside({', '.join([value, *steps])})" if steps else value
        match name.item:
            case None:
                return value
            case InList(word="last", inner=inner):
                return f"last({', '.join([value, *map(repr, inner)])})"
            case InList(number=found, inner=inner):
                return f"item({', '.join([value, self.value(found), *map(repr, inner)])})"

    def named(self, origin: Origin | None, name: str) -> str:
        """A value of the struct, the header, the parameters or what the struct is given."""
        return f"{_WHERE[origin]}[{name!r}]"

    def framed(self, origin: Origin) -> str:
        """How many bytes are left, or the number of an item."""
        return f"frame.{_FRAMED[origin]}"

    def _computed(self, tree: Expr) -> str:
        there, value = self._strict(tree)
        return f"({value} if {_all(*there)} else None)" if there else value

    def _same(self, left: Expr, right: Expr) -> str:
        """``==``: no value equals None, so one side may be absent; if both may, one is asked whether it is."""
        if needed(left) == (left,) and not may_be_absent(right):
            return f"({self.value(left)} == {self.value(right)})"
        there, one = self._strict(left)
        others, two = ([], self.value(right)) if needed(right) == (right,) else self._strict(right)
        return _all(*there, *others, f"{one} == {two}")

    def _among(self, value: Expr, choices: tuple[Expr, ...], negated: bool) -> str:
        """As ``==`` with any of the choices, or as ``!=`` with all."""
        if negated:
            there, (one, *others) = self._present(value, *choices)
            return _all(*there, f"{one} not in {_tuple(others)}")
        is_plain = needed(value) == (value,) and not any(map(may_be_absent, choices))
        there, one = ([], self.value(value)) if is_plain else self._strict(value)
        return _all(*there, f"{one} in {_tuple(map(self.value, choices))}")

    def _present(self, *trees: Expr) -> tuple[list[str], list[str]]:
        """The condition for all of them to have values, and those values."""
        found = [self._strict(tree) for tree in trees]
        return [test for tests, _ in found for test in tests], [value for _, value in found]

    def _strict(self, tree: Expr) -> tuple[list[str], str]:
        """The condition for it to have a value, and that value."""
        match tree:
            case Unary("-" | "~" as operator, operand):
                there, value = self._strict(operand)
                return there, f"({operator}{value})"
            case Binary(operator, left, right):
                there, (one, two) = self._present(left, right)
                return there, f"({one} {operator} {two})"
            case Call(Function.MIN | Function.MAX as function, arguments):
                there, values = self._present(*arguments)
                return there, f"{function}({', '.join(values)})"
        if not may_be_absent(tree):
            return [], self.value(tree)
        held = f"_{next(self._numbers)}"
        return [f"({held} := {self.value(tree)}) is not None"], held


def _literal(value: int | float | str | bytes | None) -> str:
    return f"{value:#x}" if isinstance(value, int) and not isinstance(value, bool) else repr(value)


def _all(*conditions: str) -> str:
    return f"({' and '.join(conditions)})"


def _tuple(items: Iterable[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items)})"
