"""The rules of compatibility, one module each: ``field_moved.py`` is the rule ``field-moved``.

A rule's docstring is what ``wireloom explain`` shows: the first line says what must hold, then come the reasons and a
bad and a good example. ``CATEGORY`` is what its findings break. A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.rule_modules import rule_modules


@dataclass(frozen=True, slots=True)
class CompatRule:
    """A rule by its id."""

    id: str
    category: Category
    check: Callable[[Comparison], Iterator[Change]]


RULES: tuple[CompatRule, ...] = tuple(
    CompatRule(rule, module.CATEGORY, module.check) for rule, module in rule_modules(__name__)
)
"""Every rule, sorted by its id."""
