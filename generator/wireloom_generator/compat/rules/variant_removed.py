"""A variant stays.

Its records have no variant then, or another one, and its fields are no longer decoded.

Bad::

    variants:
      - {name: v2, when: version == 2}
    # - {name: v1, when: version == 1}    no longer there

Good::

    variants:
      - {name: v2, when: version == 2}
      - {name: v1, when: version == 1, doc: Not sent since 7.0.}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Variants of the old version that the new one does not have."""
    for pair in comparison.messages:
        for variant in pair.variants.removed:
            path = f"{comparison.new.name}.{pair.new.name}.{variant.name}"
            taking = [new.name for new in pair.new.variants if not walks.never_together(variant.when, new.when)]
            if taking:
                yield Change(path, f"variant removed; its records can be {' or '.join(taking)} now", BOTH)
            else:
                yield Change(path, "variant removed; its records are no longer decoded", BACKWARD)
