"""The modules of a package of rules. Each is a rule: ``known_type.py`` is the rule ``known-type``."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def rule_modules(package: str) -> Iterator[tuple[str, ModuleType]]:
    """Each rule's id and module, sorted by id."""
    for name in sorted(found.name for found in iter_modules(import_module(package).__path__)):
        yield name.replace("_", "-"), import_module(f"{package}.{name}")
