"""A number is not given to another name.

Old bytes get the new label. Whether the name alone changed or the meaning too, no comparison can tell: accept the
finding if it is the name alone.

Bad::

    values:
      - {name: FlushScope, value: 3}    # CreateScope before

Good::

    values:
      - {name: CreateScope, value: 3}
      - {name: FlushScope, value: 6}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of enums whose name is another, one that the enum did not have before."""
    for names in walks.enum_values(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the number of {old.name}, {new.first}", BOTH)
