"""Every variant can be chosen.

Variants are tried in order, and the first whose condition holds is taken. One that is never taken is a layout that no
record will ever be read in, while the bytes it was written for are read in another. So one without ``when``, which
always holds, comes last; and no condition is one that cannot hold, or that holds only where one before it does.

Bad::

    variants:
      - {name: v1}
      - {name: v2, when: version == 2}

Good::

    variants:
      - {name: v2, when: version == 2}
      - {name: v1}
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.coverage import Covered, Implied, Impossible, Repeated, judged
from wireloom_generator.analysis.scopes import Scope, messages
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Variants that are never chosen."""
    for scope in messages(spec):
        message = scope.owner
        assert isinstance(message, model.Message)
        for variant in (variant for variant in message.variants[:-1] if variant.when is None):
            hint = "only the last may do without when"
            what = "the variants behind this one are never chosen"
            yield Problem(variant.where("name"), "variant-order", what, hint)
        yield from _never_chosen(spec, scope, message.variants)


def _never_chosen(spec: Resolved, scope: Scope, variants: Sequence[model.Variant]) -> Iterator[Problem]:
    for variant, reason in judged(variants, domains.assumed(spec, scope), domains.of(spec, scope)):
        at, hint = variant.where("when" if variant.when is not None else "name"), ""
        match reason:
            case None:
                continue
            case Impossible():
                what = "its condition cannot hold"
                hint = "type, match, const, valid and when leave its fields no such values"
            case Repeated(earlier):
                what = f"{earlier.name} has the same condition, {seen_from(at, earlier.where('when'))}"
            case Implied(earlier) if variant.when is not None:
                what = f"{earlier.name} holds whenever this does, {seen_from(at, earlier.where('when'))}"
            case Implied() | Covered():
                covers = "hold for every record" if variant.when is None else "cover it"
                what = f"the variants before it {covers}"
            case _:
                assert_never(reason)
        yield Problem(at, "variant-order", f"never chosen: {what}", hint)
