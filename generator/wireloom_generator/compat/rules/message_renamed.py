"""A message keeps its name.

It is the value of ``message``, the key of its struct, the name of its parser and of its column.

Bad::

    message: marker    # snapshot_marker before

Good::

    message: snapshot_marker
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Messages under another name."""
    for pair in comparison.messages:
        if pair.old.name != pair.new.name:
            yield Change(f"{comparison.new.name}.{pair.new.name}", f"was {pair.old.name}", BOTH)
