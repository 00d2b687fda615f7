"""A field keeps the bytes that its value does not determine, or keeps none.

With ``raw``, bytes are read that are malformed without it, such as those of a number that is longer than need be.
Without it, records that were good are malformed; with it, ones are written that old decoders refuse.

Bad::

    - {name: number, type: leb128_u32}    # raw: number_bytes before

Good::

    - {name: number, type: leb128_u32, raw: number_bytes}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields of one type that have raw bytes in one version alone."""
    for _, kept, old, new in walks.fields(comparison):
        if old.type.kin == new.type.kin:
            if old.raw and not new.raw:
                yield Change(kept.new.path, f"raw was {old.raw}, is none", BACKWARD)
            elif new.raw and not old.raw:
                yield Change(kept.new.path, f"raw was none, is {new.raw}", FORWARD)
