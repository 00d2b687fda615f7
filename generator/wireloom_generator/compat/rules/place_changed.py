"""A field stays where it stands, be it in sequence or elsewhere, and its bytes stay its own or those of others.

Who reads it where it stood finds other bytes. Where its bytes belong to others now, or no longer do, what else stands
in the section is no longer the same.

Bad::

    - {name: index, type: u32, at: index_offset}    # at: offset(body) + index_offset before

Good::

    - {name: index, type: u32, at: offset(body) + index_offset}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that stand elsewhere than before."""
    for pair, kept, old, new in walks.fields(comparison):
        if not pair.same(old.place, new.place):
            yield Change(kept.new.path, walks.was(_in_words(old), _in_words(new)), BOTH)
        elif old.shared is not new.shared:
            whose = "belong to others now" if new.shared else "are its own now"
            yield Change(kept.new.path, f"its bytes {whose}", BOTH)


def _in_words(field: model.Field) -> str:
    return "in sequence" if field.place is None else f"at `{field.place.text}`"
