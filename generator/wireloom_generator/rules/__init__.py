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
from wireloom_generator.rules import too_large

Rule = Callable[[Resolved], Iterator[Problem]]


RULES: dict[str, Rule] = {rule: module.check for rule, module in rule_modules(__name__)}
"""Every rule by its id."""
BEFORE = "too-large"
"""The rule that judges the syntax, before it is resolved."""


def read(paths: Sequence[Path]) -> tuple[list[Resolved], list[Problem]]:
    """The models of the specs in ``paths``, and all problems from loading and rules, sorted."""
    specs, problems = load(paths)
    judged = [_judged(spec) for spec in specs]
    return [spec for spec, _ in judged if spec], sorted({*problems, *(one for _, found in judged for one in found)})


def check(spec: Spec) -> list[Problem]:
    """All problems of a spec that it does not accept, sorted; if it is too large, only that."""
    return _judged(spec)[1]


def _judged(spec: Spec) -> tuple[Resolved | None, list[Problem]]:
    large = list(too_large.check(spec))
    if large:
        return None, large
    resolved = resolve(spec)
    found = {problem for name, rule in RULES.items() if name != BEFORE for problem in rule(resolved)}
    return resolved, sorted(set(acceptance.applied(spec, found, RULES)))
