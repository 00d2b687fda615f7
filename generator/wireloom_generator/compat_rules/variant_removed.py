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

from wireloom_generator import ir
from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Variants of the old version that the new one does not have."""
    for pair in comparison.messages:
        for variant in pair.variants.removed:
            path = f"{comparison.new.name}.{pair.new.name}.{variant.name}"
            yield Change(path, f"variant removed; {_chosen(variant)}", BACKWARD)


def _chosen(variant: ir.Variant) -> str:
    return f"records with `{variant.when.text}` are no longer decoded" if variant.when else "it took what no other did"
