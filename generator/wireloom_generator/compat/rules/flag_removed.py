"""A flag keeps a name.

The bit survives, but it is no longer in the list of flags: code that asks for the member fails, and so do rows that are
encoded by the list.

Bad::

    values:
      - {name: Memory, value: 0x01}
    # - {name: Disk, value: 0x02}    no longer there

Good::

    values:
      - {name: Memory, value: 0x01}
      - {name: Disk, value: 0x02}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Flags that are gone; bits with a new flag are another rule's concern."""
    for names in walks.flags(comparison):
        for flag in names.removed:
            yield Change(f"{names.path}.{flag.name}", "removed; the bit has no name now", BACKWARD)
