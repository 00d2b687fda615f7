"""A number keeps what it stands for.

With another unit, epoch or scale the same bytes are another time or another quantity, and nobody is told.

Bad::

    - {name: sent_at, type: u64, as: {timestamp: {unit: s}}}    # unit: ms before

Good::

    - {name: sent_at, type: u64, as: {timestamp: {unit: ms}}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.types.meanings import Meaning

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields and computed columns that stand for something else."""
    for _, kept in walks.kept(comparison):
        old, new = kept.old.node, kept.new.node
        if isinstance(old, model.Named) and isinstance(new, model.Named) and old.meaning != new.meaning:
            yield Change(kept.new.path, walks.was(_in_words(old.meaning), _in_words(new.meaning)), BOTH)


def _in_words(meaning: Meaning | None) -> str:
    return "the plain number" if meaning is None else meaning.notation
