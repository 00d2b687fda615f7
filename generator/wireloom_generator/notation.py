"""Numbers as the spec writes them: what it writes in hexadecimal is shown so, wherever a person reads it."""

from collections.abc import Iterable

from wireloom_generator.expressions import Among, Compare, Expr, Name, Value, walk
from wireloom_generator.numerals import Hexadecimal


def in_hexadecimal(values: Iterable[object]) -> bool:
    """Whether one of the values is written in hexadecimal."""
    return any(isinstance(value, Hexadecimal) for value in values)


def compared(expression: Expr | None) -> frozenset[str]:
    """The names whose values an expression writes in hexadecimal: what they equal, or bits of them; no bounds."""
    found: set[str] = set()
    for comparison in walk(expression) if expression is not None else ():
        if isinstance(comparison, Among) or (isinstance(comparison, Compare) and comparison.operator in ("==", "!=")):
            inside = list(walk(comparison))
            if in_hexadecimal(part.value for part in inside if isinstance(part, Value)):
                found |= {part.name for part in inside if isinstance(part, Name)}
    return frozenset(found)
