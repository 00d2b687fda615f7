"""What a field is derived from stays the same.

Decoders check it: a record whose length, count or other derived field follows another rule is malformed.

Bad::

    - {name: length, type: u16, derive: size(record)}    # size(body) before

Good::

    - {name: length, type: u16, derive: size(body)}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields with another rule for their value."""
    for pair, kept, old, new in walks.values(comparison):
        if not pair.same(old.derive, new.derive):
            what = f"derivation {walks.was(old.derive, new.derive)}"
            yield Change(kept.new.path, what, walks.restricted(old.derive, new.derive))
