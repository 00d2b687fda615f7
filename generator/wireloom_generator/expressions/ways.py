"""What bytes go through, if that follows from values: ``gzip if codec == 1 else none``."""

from wireloom_generator.expressions import Conditional, Expr, Name, Value


def named(tree: Expr) -> Expr:
    """The expression with the names that it can give as texts."""
    match tree:
        case Name(name=name):
            return Value(name)
        case Conditional(test, then, other):
            return Conditional(test, named(then), named(other))
    return tree
