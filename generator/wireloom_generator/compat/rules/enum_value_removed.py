"""A named number keeps a name.

The bytes are read as before, but the label is gone: code that asks for the member fails, and so do rows that are
encoded by the label.

Bad::

    values:
      - {name: DELETE, value: 2}
    # - {name: UPSERT, value: 1}    no longer there

Good::

    values:
      - {name: DELETE, value: 2}
      - {name: UPSERT, value: 1, doc: Not sent since 4.0.}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Names of enums that are gone; numbers with a new name are another rule's concern."""
    for names in walks.enum_values(comparison):
        for value in names.removed:
            label = walks.labelled(names.new, value.first)
            what = f"removed; {value.first} is labelled {label.name} now" if label else "removed; its label is null now"
            yield Change(f"{names.path}.{value.name}", what, BOTH if label else BACKWARD)
