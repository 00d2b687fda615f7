"""A protocol stays, under its name.

Its package, its Spark source and its entry point go by that name.

Bad::

    protocol: databus_v1    # databus before

Good::

    protocol: databus
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """A protocol that is gone."""
    if comparison.gone:
        yield Change(comparison.old.name, "protocol removed", BOTH)
