"""Expressions that are sums."""

from wireloom.expressions.tree import Binary, Expr, Name, Scope, Value


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
