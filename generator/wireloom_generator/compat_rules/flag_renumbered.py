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
    for old, new in comparison.flags.kept:
        after = {flag.name: flag.value for flag in new.values}
        for flag in old.values:
            if after.get(flag.name, flag.value) != flag.value:
                path = f"{comparison.new.name}.{new.name}.{flag.name}"
                yield Change(path, walks.was(f"{flag.value:#x}", f"{after[flag.name]:#x}"), BOTH)
