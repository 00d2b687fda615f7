"""The rules of compatibility, in modules by subject.

Every function of these modules that is not private is a rule. The rule ``field-moved`` is the function ``field_moved``;
its page is ``pages/field-moved.md``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.rules import functions_in

_CODEC = frozenset({
    "answers-changed", "default-changed", "enum-removed", "enum-value-added", "enum-value-removed", "field-renamed",
    "flag-added", "flag-removed", "label-changed", "labelling-changed", "message-renamed", "parameter-added",
    "parameter-removed", "ports-changed", "variant-renamed",
})  # fmt: skip
"""The rules whose findings break only the Python API."""
_OF_MODULES = {f"{__name__}.columns": Category.TABLE, f"{__name__}.documentation": Category.DOCS}
"""What the findings of a whole module break. Those of all other rules break the bytes."""


@dataclass(frozen=True, slots=True)
class CompatRule:
    """A rule: its id, what its findings break, and the function that finds them."""

    id: str
    category: Category
    check: Callable[[Comparison], Iterator[Change]]


def _rules() -> Iterator[CompatRule]:
    for check in functions_in(__name__, __path__):
        name = check.__name__.replace("_", "-")
        category = Category.CODEC if name in _CODEC else _OF_MODULES.get(check.__module__, Category.WIRE)
        yield CompatRule(name, category, check)


RULES: tuple[CompatRule, ...] = tuple(_rules())
