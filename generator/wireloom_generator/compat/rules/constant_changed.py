"""A constant stays what it is.

A record with another value in its place is malformed: old ones if the constant is new or another, new ones in old
decoders if it is gone.

Bad::

    - {name: magic, type: u8, const: 0x81}    # 0x80 before

Good::

    - {name: magic, type: u8, const: 0x80}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Constants that are new, gone or different."""
    for _, kept, old, new in walks.values(comparison):
        if old.const != new.const:
            yield Change(
                kept.new.path, f"constant {walks.was(old.const, new.const)}", walks.restricted(old.const, new.const)
            )
