"""A named number keeps its number.

Old numbers get no label, or another one, and rows that are encoded by the label give other bytes. A range that grows
labels more, which is a note.

Bad::

    values:
      - {name: UPSERT, value: 2}    # 1 before

Good::

    values:
      - {name: UPSERT, value: 1}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Category, Change, Side
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Names of enums that mean other numbers."""
    for names in walks.enum_values(comparison):
        for old, new in names.kept:
            if _numbers(old) != _numbers(new):
                yield Change(f"{names.path}.{new.name}", walks.was(_in_words(old), _in_words(new)), _breaks(old, new))


def _numbers(value: model.EnumValue) -> tuple[int, int, bool]:
    return value.first, value.last, value.range


def _breaks(old: model.EnumValue, new: model.EnumValue) -> frozenset[Side]:
    """A range only labels numbers, so readers are affected only by numbers that it loses."""
    if not (old.range and new.range):
        return BOTH
    return NEITHER if new.first <= old.first and old.last <= new.last else BACKWARD


def _in_words(value: model.EnumValue) -> str:
    return f"{value.first} to {value.last}" if value.range else str(value.first)
