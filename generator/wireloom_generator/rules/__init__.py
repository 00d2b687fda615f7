"""The rules that a spec must obey, in modules by subject.

Every function of these modules that is not private is a rule. The rule ``known-type`` is the function ``known_type``;
its page is ``pages/known-type.md``. The folder also has the pages of problems that the compiler finds before or after
the rules.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules
from typing import Any

from wireloom_generator import acceptance
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Violation

Rule = Callable[[Resolved], Iterator[Violation]]


def functions_in(package: str, path: Iterable[str]) -> Iterator[Any]:
    """The functions of a package's modules, without private and imported ones."""
    for module in iter_modules(path, f"{package}."):
        for name, value in vars(import_module(module.name)).items():
            if isfunction(value) and value.__module__ == module.name and not name.startswith("_"):
                yield value


RULES: Mapping[str, Rule] = {rule.__name__.replace("_", "-"): rule for rule in functions_in(__name__, __path__)}
"""Every rule by its id."""


def check(spec: Resolved) -> Iterator[Problem]:
    """All problems of a spec that it does not accept."""
    found = {violation.of(name) for name, rule in RULES.items() for violation in rule(spec)}
    return acceptance.applied(spec, found, RULES)
