"""What is packed stays packed, in the same way.

Unpack otherwise, the same bytes unpack to others, or to nothing. Decoders from before a compression was added to those
that values tell take its bytes for what they were.

Bad::

    - {name: data, type: bytes, size: rest, through: zlib, raw: data_packed}    # gzip before

Good::

    - {name: data, type: bytes, size: rest, through: gzip, raw: data_packed}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import Leaf

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Values and sections that are packed otherwise, unpack to other sizes, or keep other bytes."""
    for pair, kept in walks.kept(comparison):
        old, new = _through(kept.old), _through(kept.new)
        if old is None or new is None:
            if old is not new:
                yield Change(kept.new.path, f"through {walks.was(_text(old), _text(new))}", BOTH)
            continue
        if not _same(pair, old, new):
            yield Change(kept.new.path, f"through {walks.was(old.text, new.text)}", BOTH)
        if old.limit != new.limit:
            sides = BACKWARD if _least(new) < _least(old) else FORWARD
            yield Change(kept.new.path, f"limit {walks.was(old.limit, new.limit)}", sides)
        if isinstance(kept.new.carrier, model.Section):
            if old.raw and not new.raw:
                yield Change(kept.new.path, f"raw was {old.raw}, is none", BACKWARD)
            elif new.raw and not old.raw:
                yield Change(kept.new.path, f"raw was none, is {new.raw}", FORWARD)


def _through(leaf: Leaf) -> model.Through | None:
    return leaf.carrier.through if isinstance(leaf.carrier, model.Field | model.Section) else None


def _text(through: model.Through | None) -> str | None:
    return None if through is None else through.text


def _same(pair: LayoutPair, old: model.Through, new: model.Through) -> bool:
    return old.way == new.way and pair.same(old.asked, new.asked)


def _least(through: model.Through) -> float:
    return float("inf") if through.limit is None else through.limit
