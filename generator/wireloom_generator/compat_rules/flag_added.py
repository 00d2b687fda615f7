"""A flag on a bit that had none breaks nobody.

Bits without a name survive in old decoders, though not in the list of flags. The finding is a note.

Bad::

    values:
      - {name: History, value: 0x02}    # Disk before

Good::

    values:
      - {name: Disk, value: 0x02}
      - {name: History, value: 0x10}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Flags on bits that had none."""
    for old, new in comparison.flags.kept:
        names, bits = {flag.name for flag in old.values}, {flag.value for flag in old.values}
        for flag in new.values:
            if flag.name not in names and flag.value not in bits:
                yield Change(f"{comparison.new.name}.{new.name}.{flag.name}", "added", NEITHER)
