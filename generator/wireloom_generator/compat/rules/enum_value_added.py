"""A number gets a name without taking it from a range.

Numbers without a name survive in old decoders, without a label. A number that was in a named range had that label.

Bad::

    values:
      - {name: NEW_ERROR, value: -7}    # ERROR before, from the range
      - {name: ERROR, from: -49, to: -5}

Good::

    values:
      - {name: NEW_ERROR, value: -50}
      - {name: ERROR, from: -49, to: -5}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Names that enums did not have."""
    for names in walks.enum_values(comparison):
        for value in names.added:
            label = walks.labelled(names.old, value.first) if not value.range else None
            what = f"added; {value.first} was labelled {label.name}" if label else "added"
            yield Change(f"{names.path}.{value.name}", what, BOTH if label else NEITHER)
