"""The conditions of two variants never hold together.

Variants are tried in order, so a record for which two conditions hold is read as the first of them. Somebody who reads
the document, or writes a row of the second, does not see that from its condition. Exclude in one condition what belongs
to the other; the last variant may have none, and is for the rest. This is a warning, with values for which both hold.

Bad::

    variants:
      - {name: v2, when: version >= 2}
      - {name: v1, when: version < 3}

Good::

    variants:
      - {name: v2, when: version >= 2}
      - {name: v1, when: version < 2}
"""

from collections.abc import Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import coverage, domains
from wireloom_generator.analysis.rivals import tried
from wireloom_generator.analysis.scopes import Scope, messages
from wireloom_generator.expressions import conditions
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Severity, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Pairs of variants that can hold for one record."""
    for scope in messages(spec):
        assert isinstance(scope.owner, model.Message)
        yield from _pairs(spec, scope, scope.owner.variants)


def _pairs(spec: Resolved, scope: Scope, variants: Sequence[model.Variant]) -> Iterator[Problem]:
    known, assumed = domains.of(spec, scope), domains.assumed(spec, scope)
    for *before, variant in tried(variants):
        tree = variant.when.tree if variant.when is not None else None
        if tree is None or not domains.known(tree, known):
            continue
        chosen = conditions.both(assumed, domains.first((*before, variant)))
        for other in before:
            earlier = other.when.tree if other.when is not None else None
            if other.when is None or earlier is None or not domains.known(earlier, known):
                continue
            together = conditions.both(earlier, tree)
            found = conditions.example(conditions.both(assumed, together), known)
            if found is not None and not conditions.impossible(chosen, known):
                at = variant.where("when")
                place = seen_from(at, other.where("when"))
                values = coverage.in_words(together, found)
                what = f"{other.name} holds too, {place}, {f'as when {values}' if values else 'always'}"
                hint = f"add what {other.name} leaves over, as in: … and not ({other.when.raw})"
                yield Problem(at, "variant-overlap", what, hint, Severity.WARNING)
                break
