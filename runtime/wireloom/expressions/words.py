"""Expressions that choose one of some words, as the name of a compression; where they choose nothing, ``none``."""

from wireloom.expressions.tree import Conditional, Expr, Value

NONE = "none"


def words(tree: Expr) -> tuple[str, ...]:
    """The words that an expression can choose, in the order in which they stand there."""
    match tree:
        case Value(str(word)):
            return (word,)
        case Value(None):
            return (NONE,)
        case Conditional(_, then, other):
            return tuple(dict.fromkeys((*words(then), *words(other))))
    raise AssertionError("nothing but words can be chosen")


def numbered(tree: Expr, known: tuple[str, ...]) -> Expr:
    """The same choice, of the numbers that the words have among those that are ``known``."""
    match tree:
        case Value(str(word)):
            return Value(known.index(word))
        case Value(None):
            return Value(known.index(NONE))
        case Conditional(test, then, other):
            return Conditional(test, numbered(then, known), numbered(other, known))
    raise AssertionError("nothing but words can be chosen")
