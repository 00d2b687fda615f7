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

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Flags on bits that had none."""
    for names in walks.flags(comparison):
        yield from (Change(f"{names.path}.{flag.name}", "added", NEITHER) for flag in names.added)
