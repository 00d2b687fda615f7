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

from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Bits whose flag is another, one that was not there before."""
    for old, new in comparison.flags.kept:
        before = {flag.value: flag.name for flag in old.values}
        still = {flag.name for flag in new.values}
        for flag in new.values:
            earlier = before.get(flag.value)
            if earlier is not None and earlier not in still and flag.name not in before.values():
                path = f"{comparison.new.name}.{new.name}.{flag.name}"
                yield Change(path, f"has the bit of {earlier}, {flag.value:#x}", BOTH)
