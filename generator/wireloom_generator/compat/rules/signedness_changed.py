"""A number stays signed or unsigned.

Half of all bit patterns are other numbers then: what was 65,535 is -1.

Bad::

    - {name: source_id, type: u16}    # an i16 before

Good::

    - {name: source_id, type: i16}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.types import Integer

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Integers of the other sign."""
    for _, kept, old, new in walks.fields(comparison):
        one, other = old.wire.type, new.wire.type
        if isinstance(one, Integer) and isinstance(other, Integer) and one.signed is not other.signed:
            sign = "signed" if other.signed else "unsigned"
            yield Change(kept.new.path, f"{walks.was(str(one), str(other))}: {sign} now", BOTH)
