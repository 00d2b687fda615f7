"""A new field is optional and the last of its section, and old decoders have a place for its bytes.

Old records do not have it: where it must be there, they are cut off, or what stands behind it is read from the wrong
place. Old decoders come upon its bytes: they keep them if the section has a trailing column and the field is the last
one, else the record is malformed to them. A field that is carved out of reserved bits or bytes is 0 in old records, and
old decoders keep what it is; nor does it matter if bits of a number get names, or all of them one together.

Bad::

    sections:
      value:
        - {name: purge_seqno, type: u64}
        - {name: high_prepared_seqno, type: u64}    # new

Good::

    sections:
      value:
        - {name: purge_seqno, type: u64}
        - {name: high_prepared_seqno, type: u64, optional: true}    # new
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, FORWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import Leaf

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields of the new version that the old one does not have."""
    for pair in comparison.layouts:
        carving = Carving(pair)
        for leaf in pair.added:
            if isinstance(leaf.node, model.Computed):
                yield Change(leaf.path, "computed from what was there before", NEITHER)
            elif carving.from_number(leaf):
                yield Change(leaf.path, "tells bits that were told before", NEITHER)
            elif carving.from_reserved(leaf) and isinstance(leaf.node, model.Field | model.BitField):
                what = "carved out of what was reserved; old records have 0 there"
                yield Change(leaf.path, what, NEITHER if walks.may_be_zero(leaf.node) else BACKWARD)
            elif isinstance(leaf.node, model.Named):
                yield _added(pair, leaf)


def _added(pair: LayoutPair, leaf: Leaf) -> Change:
    section = leaf.place[-1] if leaf.place else ""
    kept = pair.old.keeps.get(section) if _is_last(pair, leaf) else None
    old_records = NEITHER if leaf.optional and _is_last(pair, leaf) else BACKWARD
    old_decoders = FORWARD if kept is None else NEITHER
    what = "added, optional" if leaf.optional else "added"
    if kept is not None:
        what += f"; old decoders keep its bytes in {kept}"
    elif old_decoders and not old_records:
        what += "; old decoders have no place for its bytes"
    hint = "optional: true lets old records do without" if old_records and kept is not None else ""
    return Change(leaf.path, what, old_records | old_decoders, hint)


def _is_last(pair: LayoutPair, leaf: Leaf) -> bool:
    """Whether nothing known to old decoders comes after it in its section, or was in its place."""
    replaces = any(other.place == leaf.place for other in pair.removed)
    return not replaces and all(other in pair.added for other in pair.new.behind(leaf))
