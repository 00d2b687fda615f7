"""No field that was in the bytes is taken out of them.

Old records still have its bytes. Whatever stands behind it is read from the wrong place, or the bytes are left over; at
best the value is no longer told. Old decoders look for it in new records, unless it was optional.

Bad::

    fields:
      - {name: length, type: u16}
    # - {name: flags, type: u16}    no longer there
      - {name: id, type: u32}

Good::

    fields:
      - {name: length, type: u16}
      - {name: flags, type: u16, reserved: true}    # without a meaning, but its place is kept
      - {name: id, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields of the old version that the new one does not have."""
    for pair in comparison.layouts:
        carving = Carving(pair)
        for leaf in pair.removed:
            if isinstance(leaf.node, model.Computed):
                yield Change(leaf.path, "no longer computed", BACKWARD)
            elif carving.given_away(leaf):
                yield Change(leaf.path, "reserved no longer; all of it is told", NEITHER)
            elif carving.into_number(leaf):
                yield Change(leaf.path, "told otherwise now", BACKWARD)
            elif isinstance(leaf.node, model.Named):
                hint = "reserved: true keeps its place" if not leaf.optional else ""
                is_last = all(other in pair.removed for other in pair.old.behind(leaf))
                replaced = any(other.place == leaf.place for other in pair.added)
                breaks = BACKWARD if leaf.optional and is_last and not replaced else BOTH
                yield Change(leaf.path, "removed", breaks, hint)
