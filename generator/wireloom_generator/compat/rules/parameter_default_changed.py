"""A parameter keeps its default.

Whoever does not give it reads the same bytes differently, and writes different ones, without having changed anything.

Bad::

    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: little}    # big before

Good::

    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: big}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Parameters with another default."""
    for old, new in comparison.parameters.kept:
        if old.default != new.default:
            path = f"{comparison.new.name}.{new.name}"
            yield Change(path, f"default {walks.was(old.default, new.default)}", BOTH)
