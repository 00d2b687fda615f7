"""A field is there on the same condition as before.

Where the old and the new condition disagree, the bytes of the field are read as what stands behind it, or the other way
round.

Bad::

    - {name: version, type: u8, when: extras_length >= 1}    # extras_length == 1 before

Good::

    - {name: version, type: u8, when: extras_length == 1}
"""

from collections.abc import Iterator
from functools import partial

from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import Guard, Leaf, Presence

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that are there on another condition."""
    for pair, kept in walks.kept(comparison):
        old, new = _conditions(kept.old), _conditions(kept.new)
        if len(old) != len(new) or not all(map(partial(_same, pair), old, new)):
            yield Change(kept.new.path, walks.was(_in_words(old), _in_words(new)), BOTH)


def _conditions(leaf: Leaf) -> tuple[Guard, ...]:
    return tuple(guard for guard in leaf.guards if guard.presence is not Presence.OPTIONAL)


def _same(pair: LayoutPair, old: Guard, new: Guard) -> bool:
    """Whether two guards hold for the same records."""
    return (
        old.presence is new.presence
        and pair.same(old.condition, new.condition)
        and len(old.otherwise) == len(new.otherwise)
        and all(map(pair.same, old.otherwise, new.otherwise))
    )


def _in_words(guards: tuple[Guard, ...]) -> str:
    return f"there {' and '.join(map(str, guards)) or 'always'}"
