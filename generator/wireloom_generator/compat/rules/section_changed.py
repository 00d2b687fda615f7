"""A section keeps its place, its size and what becomes of bytes that are left over in it.

A section of another size ends elsewhere, and so does everything that reaches to its end. Bytes left over are malformed
without a trailing column.

Bad::

    - {section: value, size: rest}    # trailing: trailing_value before

Good::

    - {section: value, size: rest, trailing: trailing_value}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import Leaf

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Sections that are new, gone, of another size, or closed otherwise."""
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case (model.Section() | model.Slot()) as old, (model.Section() | model.Slot()) as new:
                    yield from _section(pair, kept.new.path, old, new)
        yield from (Change(leaf.path, "section removed", BOTH) for leaf in pair.removed if _is_section(leaf))
        yield from (Change(leaf.path, "section added", BOTH) for leaf in pair.added if _is_section(leaf))


def _section(pair: LayoutPair, path: str, old: model.Region, new: model.Section | model.Slot) -> Iterator[Change]:
    if not pair.same_extent(old.extent, new.extent):
        yield Change(path, f"section {walks.was(words.extent(old.extent), words.extent(new.extent))}", BOTH)
    if old.trailing and not new.trailing:
        yield Change(path, f"bytes left over, kept in {old.trailing} before, are malformed now", BACKWARD)
    elif new.trailing and not old.trailing:
        yield Change(path, f"bytes left over, malformed before, are kept in {new.trailing}", FORWARD)


def _is_section(leaf: Leaf) -> bool:
    return isinstance(leaf.carrier, model.Region)
