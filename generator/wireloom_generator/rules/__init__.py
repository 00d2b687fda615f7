"""The rules a spec must keep, one module each: ``rules/known_type.py`` is the rule ``known-type``.

A rule's docstring is what ``wireloom explain`` shows: the first line says what must hold, then come the reasons and a
bad and a good example. A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wireloom_generator import acceptance
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.reading.spec import Spec, load
from wireloom_generator.resolve import resolve
from wireloom_generator.rule_modules import rule_modules

Rule = Callable[[Resolved], Iterator[Problem]]


RULES: dict[str, Rule] = {rule: module.check for rule, module in rule_modules(__name__)}
"""Every rule by its id."""


def read(paths: Sequence[Path]) -> tuple[list[Resolved], list[Problem]]:
    """The models of the specs in ``paths``, and all problems from loading and rules, sorted."""
    specs, problems = load(paths)
    judged = [_judged(spec) for spec in specs]
    return [spec for spec, _ in judged], sorted({*problems, *(one for _, found in judged for one in found)})


def check(spec: Spec) -> list[Problem]:
    """All problems of a spec that it does not accept, sorted."""
    return _judged(spec)[1]


def _judged(spec: Spec) -> tuple[Resolved, list[Problem]]:
    resolved = resolve(spec)
    found = {problem for rule in RULES.values() for problem in rule(resolved)}
    return resolved, sorted(set(acceptance.applied(resolved, found, RULES)))
