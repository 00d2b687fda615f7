"""A new parameter has a default, and breaks nobody.

Who does not give it does not notice it. The finding is a note. It is more where the header of a capture says it:
records that ask for more of what that says need it when they are read alone.

Bad::

    parameters:
      - {name: collections, type: bool, default: true}    # false before

Good::

    parameters:
      - {name: collections, type: bool, default: false}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BACKWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Parameters, and values of them, that are new."""
    name = comparison.new.name
    for added in comparison.parameters.added:
        path = f"{name}.{added.name}"
        if added.default is None:
            yield Change(path, "records ask for it, of the header of their capture; those alone are given it", BACKWARD)
        else:
            yield Change(path, f"parameter added, by default {str(added.default).lower()}", NEITHER)
    for old, new in comparison.parameters.kept:
        for choice in new.choices:
            if old.choices and choice not in old.choices:
                yield Change(f"{name}.{new.name}", f"can be {choice} now", NEITHER)
