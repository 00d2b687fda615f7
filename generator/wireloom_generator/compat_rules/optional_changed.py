"""A field at the end of its section stays optional, or stays mandatory.

Records without it are cut off once it must be there; old decoders, to which it must be, find new records cut off that
leave it out.

Bad::

    - {name: high_prepared_seqno, type: u64}    # optional before

Good::

    - {name: high_prepared_seqno, type: u64, optional: true}
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import BACKWARD, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that became optional or mandatory."""
    for pair in comparison.layouts:
        for kept in pair.kept:
            if kept.old.optional and not kept.new.optional:
                yield Change(kept.new.path, "mandatory now: records without it are malformed", BACKWARD)
            elif kept.new.optional and not kept.old.optional:
                yield Change(kept.new.path, "optional now: old decoders refuse records without it", FORWARD)
