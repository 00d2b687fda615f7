"""A variant is chosen on the same condition as before.

Records for which the old and the new condition disagree are another variant, or none.

Bad::

    variants:
      - {name: v1, when: extras_length >= 20}    # extras_length == 20 before

Good::

    variants:
      - {name: v1, when: extras_length == 20}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change, Side
from wireloom_generator.compat.comparison import Comparison, MessagePair
from wireloom_generator.expressions import conditions

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Variants with another condition."""
    for pair in comparison.messages:
        for old, new in pair.variants.kept:
            if not pair.same(old.when, new.when):
                path = f"{comparison.new.name}.{pair.new.name}.{new.name}"
                yield Change(path, f"condition {walks.was(old.when, new.when)}", _breaks(pair, old, new))


def _breaks(pair: MessagePair, old: model.Variant, new: model.Variant) -> frozenset[Side]:
    """Who is broken: only one side if one condition implies the other, unless a later variant is affected."""
    if old.when is None or new.when is None:
        return BOTH
    behind = [variant.when for variant in pair.new.variants[pair.new.variants.index(new) + 1 :]]
    for wider, narrower, breaks in ((new.when, old.when, FORWARD), (old.when, new.when, BACKWARD)):
        apart = (walks.never_together(wider, other) for other in behind)
        if conditions.implies(narrower.expression, wider.expression) and all(apart):
            return breaks
    return BOTH
