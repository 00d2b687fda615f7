"""A field stays where it is among the others.

The bytes say nothing about which field they belong to: only the order does. Two fields that change places read each
other's bytes.

Bad::

    fields:
      - {name: end_seqno, type: u64}      # the second before
      - {name: start_seqno, type: u64}

Good::

    fields:
      - {name: start_seqno, type: u64}
      - {name: end_seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat.alignment import Kept, LayoutPair
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields that are after others than before, in another section, or at other bits."""
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            what = _moved(pair, kept)
            if what and not carving.shrunk(kept.old, kept.new):
                yield Change(kept.new.path, what, BOTH)


def _moved(pair: LayoutPair, kept: Kept) -> str:
    """Where it has moved, in words; empty if it has not, or if that is told otherwise."""
    place = tuple(pair.renamed.get(name, name) for name in kept.old.place)
    match kept.old.carrier, kept.new.carrier:
        case (model.Computed(), _) | (_, model.Computed()) | (model.Padding(), _):
            return ""
        case BitLeaf(shift=before), BitLeaf(shift=after) if before != after and not kept.moved:
            return f"moved from bit {before} to bit {after}"
    if place != kept.new.place:
        return f"moved from {_in_words(kept.old.place)} to {_in_words(kept.new.place)}"
    return "moved past fields beside it" if kept.moved else ""


def _in_words(place: tuple[str, ...]) -> str:
    return f"section {place[-1]}" if place else "the header"
