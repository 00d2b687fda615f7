"""A flag keeps its bit.

Old bytes have the flag set where they had another, or none.

Bad::

    values:
      - {name: Disk, value: 0x04}    # 0x02 before

Good::

    values:
      - {name: Disk, value: 0x02}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Flags at other bits."""
    for names in walks.flags(comparison):
        for old, new in names.kept:
            if old.value != new.value:
                yield Change(f"{names.path}.{new.name}", walks.was(f"{old.value:#x}", f"{new.value:#x}"), BOTH)
