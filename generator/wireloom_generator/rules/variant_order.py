"""Every variant can be chosen.

Variants are tried in order, and the first whose condition holds is taken. One without ``when`` always holds, so it
comes last; a second one with the same condition is never reached.

Bad::

    variants:
      - {name: v1}
      - {name: v2, when: version == 2}

Good::

    variants:
      - {name: v2, when: version == 2}
      - {name: v1}
"""

from collections.abc import Iterator

from wireloom_generator import syntax
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Variants that are never chosen."""
    for message in spec.messages:
        for variant in message.variants[:-1]:
            if variant.when is None:
                hint = "only the last may do without when"
                what = "the variants behind this one are never chosen"
                yield Problem(variant.where("name"), "variant-order", what, hint)
        first: dict[str, syntax.Variant] = {}
        for variant in message.variants:
            if variant.when is None:
                continue
            known = first.setdefault(" ".join(variant.when.split()), variant)
            if known is not variant:
                at = variant.where("when")
                place = seen_from(at, known.where("when"))
                yield Problem(at, "variant-order", f"never chosen: {known.name} has the same condition, {place}")
