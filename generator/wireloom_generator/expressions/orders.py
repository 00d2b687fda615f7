"""Byte orders and compressions that follow from values: ``little if mark == 0x4949 else big``."""

from collections.abc import Iterator

from wireloom_generator.expressions import Conditional, Expr, Name, Unary, Value


def little(tree: Expr) -> Expr | None:
    """The condition under which the order is little; None if the expression can give something else."""
    match tree:
        case Name(name="little" | "big" as name):
            return Value(name == "little")
        case Conditional(test, then, other):
            one, two = little(then), little(other)
            if one is None or two is None:
                return None
            if (one, two) == (Value(True), Value(False)):
                return test
            return Unary("not", test) if (one, two) == (Value(False), Value(True)) else Conditional(test, one, two)
    return None


def outcomes(tree: Expr) -> Iterator[Expr]:
    """The possible results of the expression."""
    if isinstance(tree, Conditional):
        yield from outcomes(tree.then)
        yield from outcomes(tree.other)
    else:
        yield tree


def named(tree: Expr) -> Expr:
    """The expression with names of compressions, its possible results, as texts."""
    match tree:
        case Name(name=name):
            return Value(name)
        case Conditional(test, then, other):
            return Conditional(test, named(then), named(other))
    return tree
