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

from wireloom_generator import conditions, domains, syntax
from wireloom_generator.domains import TRUE
from wireloom_generator.expressions import Expr
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.scopes import Scope, messages
from wireloom_generator.sites import parsed
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Variants that are never chosen."""
    for scope in messages(spec):
        message = scope.owner
        assert isinstance(message, syntax.Message)
        open_ends = [variant for variant in message.variants[:-1] if variant.when is None]
        for variant in open_ends:
            hint = "only the last may do without when"
            what = "the variants behind this one are never chosen"
            yield Problem(variant.where("name"), "variant-order", what, hint)
        if not open_ends:
            yield from _covered(spec, scope, message.variants)


def _covered(spec: Spec, scope: Scope, variants: Sequence[syntax.Variant]) -> Iterator[Problem]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    trees = [parsed(variant.when) if variant.when is not None else TRUE for variant in variants]
    for index, (variant, tree) in enumerate(zip(variants, trees, strict=True)):
        if tree is None or not domains.known(tree, known):
            return
        at, holds = variant.where("when" if variant.when is not None else "name"), conditions.both(assumed, tree)
        if conditions.satisfiable(holds, known) is False:
            hint = "type, match, const, valid and when leave its fields no such values"
            yield Problem(at, "variant-order", "never chosen: its condition cannot hold", hint)
            continue
        chosen = conditions.both(assumed, domains.first(variants[: index + 1]))
        if conditions.satisfiable(chosen, known) is False:
            yield Problem(at, "variant-order", f"never chosen: {_who_covers(index, variants, known, assumed)}")


def _who_covers(index: int, variants: Sequence[syntax.Variant], known: conditions.Domains, assumed: Expr) -> str:
    variant = variants[index]
    for other in variants[:index]:
        place = seen_from(variant.where("when"), other.where("when"))
        if other.when is None or variant.when is None:
            continue
        if other.when.split() == variant.when.split():
            return f"{other.name} has the same condition, {place}"
        tree, earlier = parsed(variant.when), parsed(other.when)
        if tree and earlier and conditions.implies(conditions.both(assumed, tree), earlier, known):
            return f"{other.name} holds whenever this does, {place}"
    return "the variants before it hold for every record" if variant.when is None else "the variants before it cover it"
