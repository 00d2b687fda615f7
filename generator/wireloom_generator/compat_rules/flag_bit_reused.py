"""A bit is not given to another flag.

Old bytes that have it set mean the old flag. Whether the name alone changed or the meaning too, no comparison can tell:
accept the finding if it is the name alone.

Bad::

    values:
      - {name: History, value: 0x10}    # Acknowledge before

Good::

    values:
      - {name: Acknowledge, value: 0x10, doc: Not set since 5.0.}
      - {name: History, value: 0x20}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Bits whose flag is another, one that was not there before."""
    for names in walks.flags(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the bit of {old.name}, {new.value:#x}", BOTH)
