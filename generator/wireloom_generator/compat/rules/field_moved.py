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
            place = tuple(pair.renamed.get(name, name) for name in kept.old.place)
            match kept.old.carrier, kept.new.carrier:
                case (model.Computed(), _) | (_, model.Computed()) | (model.Padding(), _):
                    continue
                case _ if carving.shrunk(kept.old, kept.new):
                    continue
                case BitLeaf() as old, BitLeaf() as new if not kept.moved and old.shift != new.shift:
                    yield Change(kept.new.path, f"moved from bit {old.shift} to bit {new.shift}", BOTH)
                case _ if place != kept.new.place:
                    what = f"moved from {_in_words(kept.old.place)} to {_in_words(kept.new.place)}"
                    yield Change(kept.new.path, what, BOTH)
                case _ if kept.moved:
                    yield Change(kept.new.path, "moved past fields beside it", BOTH)


def _in_words(place: tuple[str, ...]) -> str:
    return f"section {place[-1]}" if place else "the header"
