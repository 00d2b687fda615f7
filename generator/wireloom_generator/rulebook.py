"""The pages of rules, for ``wireloom explain`` and the docs.

Every id of a problem has a page: ``pages/<id>.md`` beside the rules.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from wireloom_generator import rules
from wireloom_generator.compat import rules as compat_rules


class Family(StrEnum):
    """What a rule checks: one spec, or the compatibility of two versions."""

    SPEC = "spec"
    COMPAT = "compat"


_PACKAGES = {Family.SPEC: rules, Family.COMPAT: compat_rules}
_CATEGORIES: Mapping[str, str] = {rule.id: rule.category for rule in compat_rules.RULES}
_PAGE = re.compile(
    r"# (?P<id>[\w-]+)\n\n(?P<purpose>[^\n]+)\n\n(?P<text>.+?)\n\n"
    r"Bad:\n\n```\w+\n(?P<bad>.+?)\n```\n\nGood:\n\n```\w+\n(?P<good>.+?)\n```\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """A rule. ``purpose`` is a sentence about what must hold, ``text`` the paragraphs about why, in Markdown; ``bad``
    and ``good`` are examples. ``category`` is that of a rule of compatibility, empty for other rules.
    """

    id: str
    family: Family
    category: str
    purpose: str
    text: str
    bad: str
    good: str


def _entries() -> Iterator[RuleDoc]:
    for family, package in _PACKAGES.items():
        for page in files(package).joinpath("pages").iterdir():
            found = _PAGE.fullmatch(page.read_text(encoding="utf-8"))
            assert found is not None, f"{page.name} does not have the parts of a rule's page"
            category = _CATEGORIES.get(found["id"], "") if family is Family.COMPAT else ""
            yield RuleDoc(family=family, category=category, **found.groupdict())


ENTRIES: tuple[RuleDoc, ...] = tuple(sorted(_entries(), key=lambda entry: (entry.family, entry.id)))
"""Every rule, sorted by family and id."""
