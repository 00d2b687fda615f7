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
    """Numbers with another name: a new one, that of another range, or that of another enum."""
    for names in walks.enum_values(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the number of {old.name}, {new.first}", BOTH)
        for old, new, number in walks.relabelled(names.old, names.new):
            if old.range and new.range and (old, new) not in names.reused:
                yield Change(f"{names.path}.{new.name}", f"{number} was labelled {old.name}", BOTH)
    yield from _of_other_enums(comparison)


def _of_other_enums(comparison: Comparison) -> Iterator[Change]:
    """Numbers of fields that now have another enum with other names for them."""
    before = {enum.name: enum.values for enum in comparison.old.enums}
    after = {enum.name: enum.values for enum in comparison.new.enums}
    for _, kept in walks.kept(comparison):
        one, other = walks.enum_of(kept.old), walks.enum_of(kept.new)
        if one is None or other is None or one == other:
            continue
        for old, new, number in walks.relabelled(before[one], after.get(other, ())):
            yield Change(kept.new.path, f"{number} was {old.name}, is {new.name}", BOTH)
