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
    """Bits with another flag: a new one, or one of another set."""
    for names in walks.flags(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the bit of {old.name}, {new.value:#x}", BOTH)
    before = {flags.name: flags.values for flags in comparison.old.flags}
    after = {flags.name: flags.values for flags in comparison.new.flags}
    for _, kept, one, other in walks.fields(comparison):
        if one.flags is None or other.flags is None or one.flags == other.flags:
            continue
        names_now = {flag.value: flag.name for flag in after.get(other.flags, ())}
        for flag in before[one.flags]:
            now = names_now.get(flag.value, flag.name)
            if now != flag.name:
                yield Change(kept.new.path, f"{flag.value:#x} was {flag.name}, is {now}", BOTH)
