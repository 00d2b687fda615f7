"""An enum and a set of flags keep their names.

They are classes of the Python API, by these names.

Bad::

    enums:
      - name: EventKind    # DbusOpcode before

Good::

    enums:
      - name: DbusOpcode
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Enums and flags that are gone, those under a new name too."""
    name = comparison.old.name
    yield from (Change(f"{name}.{enum.name}", "enum removed", BACKWARD) for enum in comparison.enums.removed)
    yield from (Change(f"{name}.{flags.name}", "flags removed", BACKWARD) for flags in comparison.flags.removed)
