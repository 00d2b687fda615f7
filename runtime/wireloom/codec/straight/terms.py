"""What is known of values and places while a function is written: some are constants, the others variables of it."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from wireloom.coercion import LITERALS
from wireloom.expressions import Expression
from wireloom.expressions.scalar import USED, Printer
from wireloom.expressions.tree import (
    OF_NAMES,
    Call,
    Conditional,
    Expr,
    Function,
    Logical,
    Name,
    Origin,
    Value,
    may_be_absent,
    parts,
    rebuild,
)


class UnsaidError(Exception):
    """There is no straight line for this; the message says for what."""


class Certain(NamedTuple):
    """A value that is the same in all records that come here, and its source."""

    value: Any
    text: str


Operand = str | Certain
"""A value: a variable that holds it, or what it is."""
NONE = Certain(None, "None")


def text_of(term: Operand) -> str:
    """The source of a value."""
    return term.text if isinstance(term, Certain) else term


class Byte(NamedTuple):
    """A byte of the record: so many bytes behind the one whose number a variable holds; without one, its start."""

    base: str
    offset: int

    def __str__(self) -> str:
        if not self.base:
            return str(self.offset)
        if self.offset == 0:
            return self.base
        return f"{self.base} {'-' if self.offset < 0 else '+'} {abs(self.offset)}"

    def behind(self, count: int) -> "Byte":
        """The byte so many bytes further on."""
        return Byte(self.base, self.offset + count)


def distance(start: Byte, end: Byte) -> str | int:
    """How many bytes there are between two: a number if it is known, or else its source."""
    if start.base == end.base:
        return end.offset - start.offset
    if end.base and not start.base:
        return str(end.behind(-start.offset))
    return f"{end} - {start.base}" if start.offset == 0 else f"{end} - ({start})"


class Here(Printer):
    """What the names of expressions mean in one place.

    ``value`` finds a name, ``measure`` its size or its offset, ``left`` how many bytes are left. They raise
    ``UnsaidError``. A variable among those that are ``nullable`` may be None.
    """

    def __init__(
        self,
        value: Callable[[Origin | None, str], Operand],
        measure: Callable[[Function, str], str | int],
        left: Callable[[], str | int],
        nullable: Collection[Operand] = (),
    ) -> None:
        super().__init__()
        self._nullable = nullable
        self._value = value
        self._measure = measure
        self._left = left

    def ask(self, asked: Expression) -> Operand:
        """The value of an expression."""
        return self.term(self.folded(asked))

    def ask_number(self, asked: Expression | int) -> Operand:
        """The same, or the number."""
        return _literal(asked) if isinstance(asked, int) else self.ask(asked)

    def must(self, asked: Expression) -> Operand:
        """The value of an expression that always has one."""
        tree = self.folded(asked)
        if may_be_absent(tree):
            raise UnsaidError(asked.written)
        return self.term(tree)

    def folded(self, asked: Expression) -> Expr:
        """The expression with what is known of it in the place of its parts."""
        return self._folded(asked.tree)

    def term(self, tree: Expr) -> Operand:
        """The value of an expression that is folded."""
        return _literal(tree.value) if isinstance(tree, Value) else self.value(tree)

    def named(self, origin: Origin | None, name: str) -> str:
        return text_of(self._value(origin, name))

    def framed(self, origin: Origin) -> str:
        if origin is Origin.SECTION:
            return f"({self._left()})"
        raise UnsaidError("the number of an item")

    def placed(self, function: Function, target: Name) -> str:
        text = str(self._measure(function, _plain(target)))
        return text if text.isidentifier() else f"({text})"

    def _folded(self, tree: Expr) -> Expr:
        if isinstance(tree, Call) and tree.function in OF_NAMES:
            return self._asked(tree)
        if isinstance(tree, Name):
            known = self._known(tree)
            return self._judged(tree) if known is None else Value(known.value)
        tree = rebuild(tree, self._folded)
        match tree:
            case Conditional(Value(test), then, other):
                return then if test else other
            case Logical(operator, operands):
                return _logical(operator, operands)
            case Value():
                return tree
        return tree if any(not isinstance(part, Value) for part in parts(tree)) else _evaluated(tree)

    def _asked(self, tree: Call) -> Expr:
        if tree.function is Function.PRESENT:
            known = self._known(tree.target)
            return tree if known is None else Value(known.value is not None)
        if tree.function is not Function.COUNT:
            size = self._measure(tree.function, _plain(tree.target))
            return Value(size) if isinstance(size, int) else tree
        return tree

    def _judged(self, name: Name) -> Name:
        """The name with what is known of its presence."""
        if name.origin is Origin.SECTION:
            return name._replace(nullable=False)
        if name.item is not None or len(name.steps) > 1:
            return name
        return name._replace(nullable=self._value(name.origin, name.name) in self._nullable)

    def _known(self, name: Name) -> Certain | None:
        if name.item is not None or name.origin in (Origin.SECTION, Origin.ITEM):
            return None
        first, *steps = name.steps
        found = self._value(name.origin, first)
        return found if isinstance(found, Certain) and (not steps or found.value is None) else None


def _plain(target: Name) -> str:
    if target.item is not None or len(target.steps) > 1:
        raise UnsaidError(f"the place of {target.name}")
    return target.name


def _logical(operator: str, operands: tuple[Expr, ...]) -> Expr:
    """``and`` or ``or`` without the operands that do not matter. The value is that of the last one asked."""
    decides = operator == "or"
    left: list[Expr] = []
    for number, operand in enumerate(operands):
        if isinstance(operand, Value) and bool(operand.value) is not decides and number < len(operands) - 1:
            continue
        left.append(operand)
        if isinstance(operand, Value) and bool(operand.value) is decides:
            break
    return left[0] if len(left) == 1 else Logical(operator, tuple(left))


def _evaluated(tree: Expr) -> Expr:
    """The value of an expression without names."""
    try:
        return Value(eval(Printer().value(tree), {"__builtins__": {}, **USED}))
    except (TypeError, ArithmeticError, ValueError):
        raise UnsaidError("an expression without a value") from None


def _literal(value: Any) -> Certain:
    if type(value) not in LITERALS:
        raise UnsaidError(f"a constant of type {type(value).__name__}")
    return Certain(value, repr(value))


def lies_within(tree: Expr, least: int, most: int, range_of: Callable[[Name], tuple[int, int] | None]) -> bool:
    """Whether an expression is a choice among numbers that are all from ``least`` to ``most``."""
    match tree:
        case Conditional(_, then, other):
            return lies_within(then, least, most, range_of) and lies_within(other, least, most, range_of)
        case Name():
            found = range_of(tree)
            return found is not None and least <= found[0] and found[1] <= most
        case Value(value):
            return value is None or (isinstance(value, int) and least <= value <= most)
    return False


def negated(term: Operand) -> str:
    """The source of the opposite of a condition."""
    text = text_of(term)
    return f"not {text}"
