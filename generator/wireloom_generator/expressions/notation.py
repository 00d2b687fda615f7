"""Numbers as the spec writes them: numbers in hexadecimal are shown in hexadecimal, wherever people read them."""

from collections.abc import Iterable

from wireloom_generator.expressions import Among, Compare, Hexadecimal, Name, Value, parse, walk


def in_hexadecimal(values: Iterable[object]) -> bool:
    """Whether one of the values is written in hexadecimal."""
    return any(isinstance(value, Hexadecimal) for value in values)


def compared(*conditions: str) -> frozenset[str]:
    """The names that conditions compare with hexadecimal values or bits, bounds aside."""
    found: set[str] = set()
    for comparison in (part for condition in conditions for part in walk(parse(condition))):
        if isinstance(comparison, Among) or (isinstance(comparison, Compare) and comparison.operator in ("==", "!=")):
            inside = list(walk(comparison))
            if in_hexadecimal(part.value for part in inside if isinstance(part, Value)):
                found |= {part.name for part in inside if isinstance(part, Name)}
    return frozenset(found)
