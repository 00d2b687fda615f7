"""A new parameter has a default, and breaks nobody.

Who does not give it does not notice it. The finding is a note.

Bad::

    parameters:
      - {name: collections, type: bool, default: true}    # false before

Good::

    parameters:
      - {name: collections, type: bool, default: false}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Parameters, and values of them, that are new."""
    name = comparison.new.name
    for added in comparison.parameters.added:
        yield Change(f"{name}.{added.name}", f"parameter added, by default {str(added.default).lower()}", NEITHER)
    for old, new in comparison.parameters.kept:
        for choice in new.choices:
            if old.choices and choice not in old.choices:
                yield Change(f"{name}.{new.name}", f"can be {choice} now", NEITHER)
