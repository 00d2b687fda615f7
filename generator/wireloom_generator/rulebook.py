"""The pages of rules for ``wireloom explain`` and the docs, most of them taken from the rules' docstrings.

Every id that can be in the brackets of a problem has an entry here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from inspect import cleandoc
from textwrap import dedent

from wireloom_generator.compiler_rules import PAGES
from wireloom_generator.rule_modules import rule_modules


class Family(StrEnum):
    """What rules are about: one spec, or the compatibility of two versions."""

    SPEC = "spec"
    COMPAT = "compat"


_PART = re.compile(r"^(Bad|Good)::$", re.MULTILINE)
_PACKAGES = {"rules": Family.SPEC, "compat.rules": Family.COMPAT}
"""The packages with a module for each rule, whose docstring is its page."""


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """A rule. ``purpose`` is a sentence about what must hold, ``text`` the paragraphs about why, with code in double
    backticks; ``bad`` and ``good`` are examples. ``category`` is that of a rule of compatibility, empty for other
    rules.
    """

    id: str
    family: Family
    category: str
    purpose: str
    text: str
    bad: str
    good: str


def _entries() -> Iterator[RuleDoc]:
    for rule, page in PAGES.items():
        yield _entry(rule, Family.SPEC, "", page)
    for package, family in _PACKAGES.items():
        for rule, module in rule_modules(f"{__package__}.{package}"):
            yield _entry(rule, family, str(getattr(module, "CATEGORY", "")), module.__doc__ or "")


def _entry(rule: str, family: Family, category: str, page: str) -> RuleDoc:
    purpose, _, rest = cleandoc(page).strip().partition("\n")
    text, *parts = _PART.split(rest)
    examples = {kind: dedent(block).strip("\n") for kind, block in zip(parts[::2], parts[1::2], strict=True)}
    return RuleDoc(rule, family, category, purpose, text.strip(), examples.get("Bad", ""), examples.get("Good", ""))


ENTRIES: tuple[RuleDoc, ...] = tuple(sorted(_entries(), key=lambda entry: (entry.family, entry.id)))
"""Every rule, sorted by family and id."""
