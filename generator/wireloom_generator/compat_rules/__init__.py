"""The rules of compatibility, one module each: ``compat_rules/field_moved.py`` is the rule ``field-moved``.

A rule's docstring is what ``wireloom explain`` shows: its first line what must hold, then why, and an example of each.
``CATEGORY`` is what a change that it finds breaks. A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by its id."""

    id: str
    category: Category
    check: Callable[[Comparison], Iterator[Change]]


def _discovered() -> Iterator[Rule]:
    for found in sorted(iter_modules(__path__), key=lambda module: module.name):
        module = import_module(f"{__name__}.{found.name}")
        yield Rule(found.name.replace("_", "-"), module.CATEGORY, module.check)


RULES: tuple[Rule, ...] = tuple(_discovered())
"""Every rule, sorted by its id."""
