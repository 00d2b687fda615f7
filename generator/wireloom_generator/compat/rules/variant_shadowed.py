"""A new variant does not take records from one that was there.

Variants are tried in order. One that is tried before another, and whose condition can hold where the other's does,
takes its records: they decode otherwise now.

Bad::

    variants:
      - {name: v3, when: version >= 2}    # new
      - {name: v2, when: version == 2}

Good::

    variants:
      - {name: v2, when: version == 2}
      - {name: v3, when: version >= 3}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """New variants before old ones whose records they can take."""
    for pair in comparison.messages:
        kept = {id(new) for _, new in pair.variants.kept}
        for index, variant in enumerate(pair.new.variants):
            if id(variant) in kept or not pair.old.variants:
                continue
            for later in pair.new.variants[index + 1 :]:
                if id(later) in kept and not walks.never_together(variant.when, later.when):
                    path = f"{comparison.new.name}.{pair.new.name}.{variant.name}"
                    yield Change(path, f"can take records of {later.name}, which is tried later", BOTH)
