"""A list stays a list, and its length has the same source.

One value where there were several, or a count from elsewhere, reads other bytes.

Bad::

    - {name: entries, type: FailoverEntry, repeat: {count: entry_count}}    # repeat: rest before

Good::

    - {name: entries, type: FailoverEntry, repeat: rest}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that repeat differently."""
    for pair, kept, old, new in walks.fields(comparison):
        if not _same(pair, old.repeat, new.repeat):
            yield Change(kept.new.path, walks.was(words.repeat(old.repeat), words.repeat(new.repeat)), BOTH)

    for _, kept, before, after in walks.values(comparison):
        if isinstance(before, model.BitField) and isinstance(after, model.BitField) and before.count != after.count:
            yield Change(kept.new.path, walks.was(words.items(before.count), words.items(after.count)), BOTH)


def _same(pair: LayoutPair, old: model.Repeat | None, new: model.Repeat | None) -> bool:
    if old is None or new is None:
        return old is new
    return pair.same(old.count, new.count) and pair.same(old.until, new.until)
