"""A field at the end of its section stays optional, or stays mandatory.

Records without it are cut off once it must be there; old decoders, to which it must be, find new records cut off that
leave it out.

Bad::

    - {name: high_prepared_seqno, type: u64}    # optional before

Good::

    - {name: high_prepared_seqno, type: u64, optional: true}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import Kept
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Carrier

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that became optional or mandatory."""
    for _, kept in walks.kept(comparison):
        if kept.old.optional is kept.new.optional:
            continue
        if _may_be_empty(kept.old.carrier):
            yield Change(kept.new.path, f"{_now(kept)}: what was empty is absent, or the other way round", BOTH)
        elif kept.old.optional:
            yield Change(kept.new.path, f"{_now(kept)}: records without it are malformed", BACKWARD)
        else:
            yield Change(kept.new.path, f"{_now(kept)}: old decoders refuse records without it", FORWARD)


def _now(kept: Kept) -> str:
    return "optional now" if kept.new.optional else "mandatory now"


def _may_be_empty(carrier: Carrier) -> bool:
    """Whether it may take no bytes even where it is present."""
    match carrier:
        case model.Field(size=None) | model.Section() | model.Computed():
            return True
        case model.Field() | model.Padding() | model.Slot() | BitLeaf():
            return False
