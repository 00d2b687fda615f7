"""The kinds of values: the kind of an expression, and the parts of it that have the wrong kind."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, StrEnum
from typing import NamedTuple, assert_never

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Hexadecimal,
    Logical,
    Name,
    Unary,
    Value,
    parts,
)


class Kind(StrEnum):
    """What sort of value a name or an expression has, as problems name it."""

    NUMBER = "a number"
    FLOAT = "a floating-point number"
    DECIMAL = "a decimal with a fraction"
    TIME = "a time"
    SPAN = "a duration"
    SCALED = "a scaled number"
    ADDRESS = "an identifier"
    CONDITION = "true or false"
    TEXT = "text"
    BYTES = "bytes"
    LIST = "a list"
    STRUCT = "a struct"


PLAIN = (Kind.NUMBER, Kind.FLOAT, Kind.CONDITION, Kind.TEXT, Kind.BYTES)
"""The kinds that an expression can have; of other values it can use only the size."""
WIDE = (Kind.LIST, Kind.STRUCT)
"""The kinds that contain other values, which can be inputs of a type."""
_NUMBERS = (Kind.NUMBER, Kind.FLOAT)
_KINDS: Mapping[type, Kind] = {
    bool: Kind.CONDITION, bytes: Kind.BYTES, float: Kind.FLOAT, int: Kind.NUMBER, Hexadecimal: Kind.NUMBER,
    str: Kind.TEXT,
}  # fmt: skip

KindOf = Callable[[Name], Kind | None]
"""The kind of a name's values; None if it is unknown."""


class Fault(Enum):
    """Why a part of an expression does not fit."""

    UNWANTED = "its place requires the other kind"
    UNLIKE = "it is compared with the other kind"
    UNORDERED = "it is compared by order, and its kind has none"
    MIXED = "what may stand in its place is of the other kind"
    OPAQUE = "it is a name with values that no expression works with"


class Misfit(NamedTuple):
    """A part whose kind, ``found``, does not fit; ``other`` is the kind that would, if there is one."""

    part: Expr
    fault: Fault
    found: Kind
    other: Kind


def kind(tree: Expr, of: KindOf = lambda name: None) -> Kind | None:
    """The kind of an expression's value; None if it is unknown."""
    match tree:
        case Value(value):
            return _KINDS.get(type(value))
        case Name():
            found = of(tree)
            return found if found in PLAIN else None
        case Unary("not") | Compare() | Among() | Logical():
            return Kind.CONDITION
        case Unary() | Binary():
            return Kind.NUMBER
        case Conditional(_, then, Value(value=None)):
            return kind(then, of)
        case Conditional(_, then, other):
            found = kind(then, of)
            return found if found is kind(other, of) else None
        case Call(function):
            return _given(function)


def _given(function: Function) -> Kind:
    match function:
        case Function.PRESENT:
            return Kind.CONDITION
        case Function.SIZE | Function.OFFSET | Function.COUNT | Function.MIN | Function.MAX:
            return Kind.NUMBER
        case Function.CALENDAR | Function.NTP | Function.GPS | Function.GPS_COUNT:
            return Kind.NUMBER
        case Function.MICROSECONDS | Function.YEAR | Function.MONTH | Function.DAY:
            return Kind.NUMBER


def misfits(tree: Expr, of: KindOf, wanted: Kind | None = None) -> Iterator[Misfit]:
    """The misfits in an expression, whose own value must be of the kind ``wanted`` if that is given."""
    if wanted is not None:
        yield from _unwanted(wanted, (tree,), of)
    match tree:
        case Value():
            return
        case Call(Function.SIZE | Function.OFFSET | Function.COUNT | Function.PRESENT):
            for part in parts(tree.target):
                yield from misfits(part, of, Kind.NUMBER)
            return
        case Name():
            if (found := of(tree)) is not None and found not in PLAIN:
                yield Misfit(tree, Fault.OPAQUE, found, found)
            yield from _unwanted(Kind.NUMBER, parts(tree), of)
        case Unary("not") | Logical():
            yield from _unwanted(Kind.CONDITION, parts(tree), of)
        case Unary() | Binary() | Call():
            yield from _unwanted(Kind.NUMBER, parts(tree), of)
        case Conditional(test, then, other):
            yield from _unwanted(Kind.CONDITION, (test,), of)
            one, two = kind(then, of), kind(other, of)
            if one and two and one is not two:
                yield Misfit(other, Fault.MIXED, two, one)
        case Compare(operator, left, right):
            yield from _compared(left, right, of, ordered=operator not in ("==", "!="))
        case Among(value, choices):
            for choice in choices:
                yield from _compared(value, choice, of, ordered=False)
        case _:
            assert_never(tree)
    for part in parts(tree):
        yield from misfits(part, of)


def _unwanted(wanted: Kind, trees: Iterable[Expr], of: KindOf) -> Iterator[Misfit]:
    for tree in trees:
        if (found := kind(tree, of)) is not None and found is not wanted:
            yield Misfit(tree, Fault.UNWANTED, found, wanted)


def _compared(left: Expr, right: Expr, of: KindOf, *, ordered: bool) -> Iterator[Misfit]:
    one, two = kind(left, of), kind(right, of)
    if one and two and one is not two and not (one in _NUMBERS and two in _NUMBERS):
        yield Misfit(left, Fault.UNLIKE, one, two)
    elif ordered and Kind.CONDITION in (one, two):
        yield Misfit(left, Fault.UNORDERED, Kind.CONDITION, Kind.CONDITION)
