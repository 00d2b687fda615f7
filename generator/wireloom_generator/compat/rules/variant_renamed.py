"""A variant keeps its name.

It is the value of the column ``variant``, by which code and queries tell layouts apart.

Bad::

    variants:
      - {name: first, when: extras_length == 20}    # v1 before

Good::

    variants:
      - {name: v1, when: extras_length == 20}
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Variants under another name."""
    for pair in comparison.messages:
        for old, new in pair.variants.kept:
            if old.name != new.name:
                yield Change(f"{comparison.new.name}.{pair.new.name}.{new.name}", f"was {old.name}", BOTH)
