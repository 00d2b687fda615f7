"""Variants that can both hold stay in the order in which they are tried.

The first that holds is taken, so the same record is another variant.

Bad::

    variants:
      - {name: any, when: version >= 1}    # second before
      - {name: v2, when: version == 2}

Good::

    variants:
      - {name: v2, when: version == 2}
      - {name: any, when: version >= 1}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Pairs of variants that are tried the other way round."""
    for pair in comparison.messages:
        place = {id(variant): index for index, variant in enumerate(pair.new.variants)}
        for index, (_, first) in enumerate(pair.variants.kept):
            for _, second in pair.variants.kept[index + 1 :]:
                if place[id(second)] < place[id(first)] and not walks.never_together(first.when, second.when):
                    path = f"{comparison.new.name}.{pair.new.name}.{second.name}"
                    yield Change(path, f"is tried before {first.name} now, and both can hold", BOTH)
