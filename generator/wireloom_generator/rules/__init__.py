"""The rules a spec must keep, one module each: ``rules/known_type.py`` is the rule ``known-type``.

A rule's docstring is what ``wireloom explain`` shows: its first line what must hold, then why, and an example of each.
A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wireloom_generator import acceptance
from wireloom_generator.problems import Problem
from wireloom_generator.reading.spec import Spec, load
from wireloom_generator.rule_modules import rule_modules
from wireloom_generator.rules import too_large

Rule = Callable[[Spec], Iterator[Problem]]


RULES: dict[str, Rule] = {rule: module.check for rule, module in rule_modules(__name__)}
"""Every rule by its id."""


def read(paths: Sequence[Path]) -> tuple[list[Spec], list[Problem]]:
    """The specs in ``paths``, and all that loading them and the rules find wrong, sorted."""
    specs, problems = load(paths)
    return specs, sorted({*problems, *(problem for spec in specs for problem in check(spec))})


def check(spec: Spec) -> list[Problem]:
    """What all rules find wrong with a spec and it does not accept, sorted; of one that is too large, nothing else."""
    large = list(too_large.check(spec))
    if large:
        return large
    found = {problem for rule in RULES.values() for problem in rule(spec)}
    return sorted(set(acceptance.applied(spec, found, RULES)))
