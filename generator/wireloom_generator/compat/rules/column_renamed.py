"""A column keeps its name.

Tables know columns by their names: the old one stays behind with null, and queries ask for it.

Bad::

    - {name: first_seqno, type: u64}    # start_seqno before

Good::

    - {name: start_seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator.compat import tables
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.TABLE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns under another name."""
    for struct in tables.structs(comparison):
        for old, new in struct.renamed:
            yield Change(f"{struct.path}.{new.name}", f"column was {old.name}", BOTH, tables.RENAMED)
