"""A shared variant is one that the protocol or a library declares, and a message adds nothing to it but words.

A layout that several messages have is declared once, under `variants` of the protocol or of a library. A message names
it, in the order in which it is tried, and may document it. What it is stands where it is declared.

Bad::

    variants:
      - {name: refused, shared: true, when: opcode == 1}

Good::

    variants:
      - {name: refused, shared: true, doc: There is no such key.}
"""

from collections.abc import Collection, Iterator

from wireloom_generator.model import Resolved, Variant
from wireloom_generator.problems import Problem, closest

RULE = "known-variant"
_LAYOUT = ("title", "when", "valid", "sections")


def check(spec: Resolved) -> Iterator[Problem]:
    """Variants that are shared and nowhere declared, or declared in two places."""
    declared = [variant for shared in spec.shared for variant in shared.variants]
    names = frozenset(variant.name for variant in declared)
    for variant in declared:
        if variant.shared:
            what = f"{variant.name!r} is declared here, so it is shared already"
            yield Problem(variant.where("shared"), RULE, what, "delete the key")
    for message in spec.messages:
        for variant in message.variants:
            if variant.shared:
                yield from _shared(names, variant)


def _shared(known: Collection[str], variant: Variant) -> Iterator[Problem]:
    if variant.name not in known:
        what = f"no variant {variant.name!r} is declared to be shared"
        yield Problem(variant.where("name"), RULE, what, closest(variant.name, known))
        return
    for key in _LAYOUT:
        if variant.gives(key) and variant.where(key).path == variant.at.path:
            what = f"{key!r} of the shared variant {variant.name!r} stands where that is declared"
            yield Problem(variant.where(key), RULE, what, "delete it, or the key shared")
