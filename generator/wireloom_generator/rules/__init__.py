"""The rules a spec must keep, one module each: ``rules/known_type.py`` is the rule ``known-type``.

A rule's docstring is what ``wireloom explain`` shows: its first line what must hold, then why, and an example of each.
A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from wireloom_generator.problems import Problem
from wireloom_generator.spec import Spec

Rule = Callable[[Spec], Iterator[Problem]]


def _discovered() -> dict[str, Rule]:
    found: dict[str, Rule] = {}
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        found[module.name.replace("_", "-")] = import_module(f"{__name__}.{module.name}").check
    return found


RULES: dict[str, Rule] = _discovered()
"""Every rule by its id."""


def check(spec: Spec) -> list[Problem]:
    """What all rules find wrong with a spec, sorted."""
    return sorted({problem for rule in RULES.values() for problem in rule(spec)})
