"""Expressions that are sums."""

from collections.abc import Callable, Container, Iterator

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
    asked,
    measured,
    parts,
)


def key(name: Name | Call) -> str:
    """The key of a name, or of the size of a name, in a sum."""
    if isinstance(name, Call):
        return f"{name.function}({name.target.name})"
    return name.name if name.origin is None else f"{name.origin}.{name.name}"


def terms(tree: Expr) -> dict[str, int] | None:
    """The number as a sum of names with factors, the constant under the empty name; None if it is not such a sum."""
    match tree:
        case Value(bool()):
            return None
        case Value(int() as number):
            return {"": number}
        case Name(item=InList()) | Call(_, (Name(item=InList()),)):
            return None
        case Name() | Call(Function.SIZE | Function.OFFSET | Function.COUNT):
            return {key(tree): 1}
        case Unary("-", operand):
            return _product(terms(operand), {"": -1})
        case Binary("+", left, right):
            return _sum(terms(left), terms(right))
        case Binary("-", left, right):
            return _sum(terms(left), _product(terms(right), {"": -1}))
        case Binary("*", left, right):
            return _product(terms(left), terms(right))
        case Value() | Unary() | Binary() | Compare() | Among() | Logical() | Conditional() | Call():
            return None


def _sum(one: dict[str, int] | None, two: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or two is None:
        return None
    return {name: one.get(name, 0) + two.get(name, 0) for name in {**one, **two}}


def _product(one: dict[str, int] | None, two: dict[str, int] | None) -> dict[str, int] | None:
    """The product, of which one must be a constant."""
    if one is None or two is None:
        return None
    if two.keys() != {""}:
        one, two = two, one
    return {name: factor * two[""] for name, factor in one.items()} if two.keys() == {""} else None


def specialized(tree: Expr, holds: Callable[[Expr], bool], known: Container[str] = ()) -> Expr:
    """The expression without the alternatives that parameters choose between, or ``known`` fields; ``holds`` says
    whether a condition is true. None may be on both.
    """
    match tree:
        case Conditional(test, then, other) if _of_parameters(test) or of_fields(test, known):
            return specialized(then if holds(test) else other, holds, known)
        case Unary(sign, operand):
            return Unary(sign, specialized(operand, holds, known))
        case Binary(sign, left, right):
            return Binary(sign, specialized(left, holds, known), specialized(right, holds, known))
    return tree


def choosing_parameters(tree: Expr) -> Iterator[str]:
    """The parameters that choose between its alternatives."""
    match tree:
        case Conditional(test, then, other) if _of_parameters(test):
            yield from (name.name for name in asked(test))
            yield from (*choosing_parameters(then), *choosing_parameters(other))
        case Unary() | Binary():
            for part in parts(tree):
                yield from choosing_parameters(part)


def _of_parameters(tree: Expr) -> bool:
    return not measured(tree) and all(name.origin is Origin.PARAMETER for name in asked(tree))


def of_fields(tree: Expr, known: Container[str]) -> bool:
    """Whether an expression uses ``known`` fields, and nothing else."""
    own, names = (None, Origin.THIS, Origin.RECORD), asked(tree)
    alone = all(name.origin in own and name.item is None and name.name in known for name in names)
    return bool(names) and alone and not measured(tree)


def linear(tree: Expr) -> tuple[int, dict[str, int]] | None:
    """The number as a constant and fields with factors; None if it is not such a sum."""
    found = terms(tree)
    if found is None or measured(tree) or any(name.origin is Origin.PARAMETER for name in asked(tree)):
        return None
    constant = found.pop("", 0)
    return constant, {
        name.removeprefix(f"{Origin.RECORD}.").removeprefix(f"{Origin.THIS}."): factor for name, factor in found.items()
    }
