"""A column stays.

Tables keep it and new rows have null in it: queries go on and find nothing.

Bad::

    - {name: start_seqno, type: u64}
    # - {name: end_seqno, type: u64}    no longer there

Good::

    - {name: start_seqno, type: u64}
    - {name: end_seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator.compat import tables
from wireloom_generator.compat.changes import BACKWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.TABLE


def check(comparison: Comparison) -> Iterator[Change]:
    """Columns that are gone."""
    for struct in tables.structs(comparison):
        for column in struct.removed:
            yield Change(f"{struct.path}.{column.name}", "column removed", BACKWARD, tables.REMOVED)
