"""Columns stay in their order.

Table formats know columns by name, but ``insertInto``, ``UNION`` and ``INSERT … SELECT *`` go by position: values end
up in the wrong column, without any error if the types agree.

Bad::

    fields:
      - {name: end_seqno, type: u64}      # the second before
      - {name: start_seqno, type: u64}

Good::

    fields:
      - {name: start_seqno, type: u64}
      - {name: end_seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator.compat import tables
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.TABLE


def check(comparison: Comparison) -> Iterator[Change]:
    """Structs whose columns are in another order, reported at the columns that moved."""
    for struct in tables.structs(comparison):
        for column in struct.moved:
            yield Change(f"{struct.path}.{column.name}", "column moved past columns beside it", BOTH, tables.REORDERED)
