"""What is in nodes of a file: entries by key, single values, and expressions."""

from collections.abc import Iterator
from typing import get_args

from wireloom_generator.reading import syntax
from wireloom_generator.reading.source import YamlList, YamlMapping, YamlNode, YamlScalar


def entry(node: YamlNode | None, key: str) -> YamlNode | None:
    """The value of a key of a mapping, if it has it."""
    found = node.entries if isinstance(node, YamlMapping) else ()
    return next((value for name, value in found if name.text == key), None)


def is_expression(hint: object) -> bool:
    """Whether what is annotated so can be an expression."""
    return hint is syntax.Expression or any(map(is_expression, get_args(hint))) or hint == syntax.Literal


def expressions_in(node: YamlNode) -> Iterator[YamlScalar]:
    """Single values, also by key."""
    if isinstance(node, YamlScalar):
        yield node
    elif isinstance(node, YamlMapping):
        yield from (value for _, value in node.entries if isinstance(value, YamlScalar))


def scalars(node: YamlNode | None) -> Iterator[YamlScalar]:
    """A single value, or those of a list."""
    if isinstance(node, YamlScalar):
        yield node
    elif isinstance(node, YamlList):
        yield from (each for each in node.items if isinstance(each, YamlScalar))
