"""A computed column is computed as before.

It is told of the same bytes, so it is another value of them now.

Bad::

    - {name: id, type: u8, compute: id_nibble}    # 15 + id_escape if id_nibble == 15 else id_nibble before

Good::

    - {name: id, type: u8, compute: 15 + id_escape if id_nibble == 15 else id_nibble}
"""

from collections.abc import Iterator

from wireloom_generator import ir
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns that are computed otherwise."""
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case ir.Computed(value=old), ir.Computed(value=new) if not pair.same(old, new):
                    yield Change(kept.new.path, walks.was(old, new), BOTH)
