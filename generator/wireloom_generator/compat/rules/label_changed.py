"""A number keeps the words that people read for it.

They stand in label columns, where queries look for them, and rows that are encoded by the label need them.

Bad::

    values:
      - {name: GPS_L1CA, value: 0, label: L1 C/A}    # label: GPS L1CA before

Good::

    values:
      - {name: GPS_L1CA, value: 0, label: GPS L1CA, doc: Also called L1 C/A.}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Names of enums and flags that are read as other words."""
    yield from _changed(walks.enum_values(comparison))
    yield from _changed(walks.flags(comparison))


def _changed(found: Iterable[walks.NumberNames[walks.N]]) -> Iterator[Change]:
    for names in found:
        for old, new in names.kept:
            if old.label != new.label:
                yield Change(f"{names.path}.{new.name}", walks.was(repr(old.label), repr(new.label)), BOTH)
