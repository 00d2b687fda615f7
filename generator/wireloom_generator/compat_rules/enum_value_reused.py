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

from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of enums whose name is another, one that the enum did not have before."""
    for old, new in comparison.enums.kept:
        before = {(value.first, value.last): value.name for value in old.values}
        names = {value.name for value in old.values}
        still = {value.name for value in new.values}
        for value in new.values:
            earlier = before.get((value.first, value.last))
            if earlier is not None and earlier not in still and value.name not in names:
                path = f"{comparison.new.name}.{new.name}.{value.name}"
                yield Change(path, f"has the number of {earlier}, {value.first}", BOTH)
