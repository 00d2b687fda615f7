"""A new column breaks no table.

What table formats have to be told to take it is in the finding, which is a note.

Bad::

    - {name: purge_seqno, type: u32}    # u64 before: the column is retyped

Good::

    - {name: purge_seqno, type: u64}
    - {name: high_prepared_seqno, type: u64, optional: true}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat import tables
from wireloom_generator.compat.changes import NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.TABLE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns that are new, structs of new messages among them."""
    for struct in tables.structs(comparison):
        for column in struct.added:
            yield Change(f"{struct.path}.{column.name}", "column added", NEITHER, tables.ADDED)
