"""A column keeps its type.

A narrower type, or another, cannot hold what is there. Each table format has its own rules for a wider one, which the
finding lists. ``table_type: decimal`` makes another type for readers who want longs.

Bad::

    - {name: end_seqno, type: u64}    # table_type: long before, a decimal(20,0) now

Good::

    - {name: end_seqno, type: u64, table_type: long}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import tables, walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.types.columns import brief

CATEGORY = Category.TABLE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns of another type."""
    for struct in tables.structs(comparison):
        for old, new in struct.kept:
            before, after = brief(old.type), brief(new.type)
            if before != after:
                wider = tables.widens(old.type, new.type)
                what = f"column was {before}, is {after}"
                yield Change(
                    f"{struct.path}.{new.name}", what, BACKWARD if wider else BOTH, tables.verdict(old.type, new.type)
                )
    for _, kept, was, now in walks.values(comparison):
        match was, now:
            case model.Field(long=False, decimal=False), model.Field(decimal=True) if was.wire == now.wire:
                yield Change(kept.new.path, "column is a decimal now for readers who want longs", BACKWARD)
            case model.Field(decimal=True), model.Field(long=False, decimal=False) if was.wire == now.wire:
                yield Change(kept.new.path, "column is a long now for readers who want longs", BOTH)
