"""What a field may hold does not get narrower, nor wider.

Values outside are malformed. A narrower range refuses records that were good; a wider one lets through what old
decoders refuse. ``table_type: long`` is a range too: numbers from 2^63 up are malformed with it.

Bad::

    - {name: level, type: u8, valid: level <= 3}    # level <= 4 before

Good::

    - {name: level, type: u8, valid: level <= 4}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that may hold other values than before."""
    for pair, kept, old, new in walks.values(comparison):
        if not pair.same(old.valid, new.valid):
            what = f"valid {walks.was(old.valid, new.valid)}"
            yield Change(kept.new.path, what, walks.narrowed(old.valid, new.valid))
        match old, new:
            case model.Field(long=False), model.Field(long=True):
                yield Change(kept.new.path, "numbers from 2^63 up are malformed now", BACKWARD)
            case model.Field(long=True), model.Field(long=False) if old.wire == new.wire:
                yield Change(kept.new.path, "numbers from 2^63 up are no longer malformed", FORWARD)
