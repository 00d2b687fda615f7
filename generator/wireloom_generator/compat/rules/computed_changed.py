"""A computed column is computed as before.

The same bytes now give another value.

Bad::

    - {name: id, type: u8, compute: id_nibble}    # 15 + id_escape if id_nibble == 15 else id_nibble before

Good::

    - {name: id, type: u8, compute: 15 + id_escape if id_nibble == 15 else id_nibble}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import tables, walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change, Side
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns that are computed differently, or refuse other results."""
    for pair, kept in walks.kept(comparison):
        match kept.old.carrier, kept.new.carrier:
            case model.Computed() as old, model.Computed() as new:
                if not pair.same(old.value, new.value):
                    yield Change(kept.new.path, walks.was(old.value, new.value), BOTH)
                before, after = old.columns[0].type, new.columns[0].type
                if before != after:
                    yield Change(kept.new.path, f"its type {walks.was(before, after)}", _breaks(before, after))


def _breaks(old: model.ColumnType, new: model.ColumnType) -> frozenset[Side]:
    """A result that does not fit is malformed: old decoders refuse what a wider type lets through."""
    if tables.widens(old, new):
        return FORWARD
    return BACKWARD if tables.widens(new, old) else BOTH
