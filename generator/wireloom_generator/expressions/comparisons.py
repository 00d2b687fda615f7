"""The comparisons of a condition: their names, and the values at which they change."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from wireloom_generator.expressions import (
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    Literal,
    Logical,
    Name,
    Unary,
    Value,
    key,
    parts,
    terms,
)
from wireloom_generator.expressions.evaluation import Result


def conjuncts(tree: Expr) -> Iterator[Expr]:
    """The parts that must all hold for the condition to hold."""
    if isinstance(tree, Logical) and tree.operator == "and":
        for operand in tree.operands:
            yield from conjuncts(operand)
    else:
        yield tree


def atoms(tree: Expr) -> tuple[Expr, ...]:
    """The parts of a condition other than and, or, not and if."""
    match tree:
        case Unary("not") | Logical() | Conditional():
            return tuple(atom for part in parts(tree) for atom in atoms(part))
        case Value() | Name() | Unary() | Binary() | Compare() | Among() | Call():
            return (tree,)


@cache
def keys(tree: Expr) -> tuple[str, ...]:
    """The names that the tree depends on, with sizes as if they were names."""
    match tree:
        case Name() | Call(Function.SIZE | Function.OFFSET | Function.COUNT):
            return (key(tree),)
        case Value() | Unary() | Binary() | Compare() | Among() | Logical() | Conditional() | Call():
            return tuple(dict.fromkeys(name for part in parts(tree) for name in keys(part)))


def pinned(condition: Expr) -> Iterator[tuple[str, Literal]]:
    """The names that can have only one value if the condition holds."""
    for part in conjuncts(condition):
        match part:
            case Compare("==", Name() as name, Value(bool() | int() | str() as value)):
                yield key(name), value


def asks_presence(part: Expr, name: str) -> bool:
    """Whether this part of a condition depends on whether the name has a value."""
    match part:
        case Name(nullable=True):
            return key(part) == name
        case Call(Function.PRESENT):
            return key(part.target) == name
        case _:  # any other expression
            return False


@cache
def points(atom: Expr) -> tuple[tuple[str, Result], ...]:
    """The values of a name at which the comparison can change; none if they are unknown."""
    pairs: list[tuple[Expr, Expr]] = []
    match atom:
        case Compare(_, left, right):
            pairs = [(left, right)]
        case Among(tested, choices, _):
            pairs = [(tested, choice) for choice in choices]
    is_ordered = isinstance(atom, Compare) and atom.operator not in ("==", "!=")
    found = [_roots(left, right, is_ordered) for left, right in pairs]
    return tuple(point for roots in found for point in roots) if all(found) else ()


def _roots(left: Expr, right: Expr, is_ordered: bool) -> list[tuple[str, Result]]:
    match left, right:
        case (Name() as name, Value(str() as text)) | (Value(str() as text), Name() as name):
            return [] if is_ordered else [(key(name), text)]
        case (Name() as name, Value(bytes() as octets)) | (Value(bytes() as octets), Name() as name):
            return [] if is_ordered else [(key(name), octets)]
        case (Name() as name, Value(bool() as truth)) | (Value(bool() as truth), Name() as name):
            return [(key(name), truth)]
    one, other = terms(left), terms(right)
    if one is None or other is None:
        return []
    rest = other.pop("", 0) - one.pop("", 0)
    names = one.keys() | other.keys()
    if len(names) != 1:
        return []
    (asked,) = names
    slope = one.get(asked, 0) - other.get(asked, 0)
    if slope == 0:
        return []
    return [(asked, Fraction(rest, slope)), *((asked, rest // slope + step) for step in (-1, 0, 1, 2))]
