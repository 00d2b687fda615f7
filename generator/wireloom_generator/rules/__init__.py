"""The rules a spec must keep, one module each: ``rules/known_type.py`` is the rule ``known-type``.

A rule's docstring is what ``wireloom explain`` shows: the first line says what must hold, then come the reasons and a
bad and a good example. A new file here is a new rule; nothing else lists them.
"""

from collections.abc import Callable, Iterator

from wireloom_generator import acceptance
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem
from wireloom_generator.rule_modules import rule_modules

Rule = Callable[[Resolved], Iterator[Problem]]


RULES: dict[str, Rule] = {rule: module.check for rule, module in rule_modules(__name__)}
"""Every rule by its id."""


def check(spec: Resolved) -> Iterator[Problem]:
    """All problems of a spec that it does not accept."""
    found = {problem for rule in RULES.values() for problem in rule(spec)}
    return acceptance.applied(spec, found, RULES)
