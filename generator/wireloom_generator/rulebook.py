"""What every rule says of itself: the pages of ``wireloom explain`` and of the docs, read from the rules' docstrings.

Whatever can stand in the brackets of a problem has an entry here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from textwrap import dedent

_PART = re.compile(r"^(Bad|Good)::$", re.MULTILINE)
_FAMILIES = {"compiler_rules": "spec", "rules": "spec", "compat_rules": "compat"}
"""The packages with a docstring for each rule, and whether their rules are about a spec or about two of them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule. ``purpose`` says in a sentence what must hold, ``text`` in paragraphs why, its code in double backticks;
    ``bad`` and ``good`` are examples. ``category`` is what a rule of compatibility is about, empty for one of specs."""

    id: str
    family: str
    category: str
    purpose: str
    text: str
    bad: str
    good: str


def _entries() -> Iterator[Entry]:
    for package, family in _FAMILIES.items():
        name = f"{__package__}.{package}"
        for module in iter_modules(import_module(name).__path__):
            yield _entry(family, f"{name}.{module.name}")


def _entry(family: str, name: str) -> Entry:
    module = import_module(name)
    purpose, _, rest = cleandoc(module.__doc__ or "").partition("\n")
    text, *parts = _PART.split(rest)
    examples = {kind: dedent(block).strip("\n") for kind, block in zip(parts[::2], parts[1::2], strict=True)}
    rule = name.rpartition(".")[2].replace("_", "-")
    category = str(getattr(module, "CATEGORY", ""))
    return Entry(rule, family, category, purpose, text.strip(), examples.get("Bad", ""), examples.get("Good", ""))


ENTRIES: tuple[Entry, ...] = tuple(sorted(_entries(), key=lambda entry: (entry.family, entry.id)))
"""Every rule, sorted by family and id."""
