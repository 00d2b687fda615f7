"""Padding stays as long as it was.

What stands behind it is read from where it is not. Padding must be zero, so bytes that become padding are malformed
where they are not, and a field in its place is malformed to old decoders unless it is 0.

Bad::

    - {pad: 2}    # 3 before

Good::

    - {pad: 3}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.problems import counted

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Padding that is new, gone or of another length."""
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case model.Padding() as old, model.Padding() as new if not _same(pair, old, new):
                    yield Change(kept.new.path, f"padding {walks.was(_in_words(old), _in_words(new))}", BOTH)
                case model.Padding(), model.Padding() if kept.moved:
                    yield Change(kept.new.path, "padding moved past fields beside it", BOTH)
                case model.Padding(), model.Field() as field:
                    what = "was padding; old decoders refuse what is not 0"
                    yield Change(kept.new.path, what, FORWARD if walks.may_be_zero(field) else BOTH)
                case model.Field() as field, model.Padding():
                    what = "is padding now; what is not 0 is malformed"
                    yield Change(kept.old.path, what, BACKWARD if walks.may_be_zero(field) else BOTH)
        for leaf in pair.removed:
            if isinstance(leaf.carrier, model.Padding):
                yield Change(leaf.path, f"padding of {_in_words(leaf.carrier)} removed", BOTH)
        for leaf in pair.added:
            if isinstance(leaf.carrier, model.Padding):
                yield Change(leaf.path, f"padding of {_in_words(leaf.carrier)} added", BOTH)


def _same(pair: LayoutPair, old: model.Padding, new: model.Padding) -> bool:
    return (old.align, old.start) == (new.align, new.start) and pair.same(old.size, new.size)


def _in_words(padding: model.Padding) -> str:
    if padding.align == 1:
        return f"{padding.size.text} bytes" if padding.fixed is None else counted(padding.fixed, "byte")
    return f"up to a multiple of {padding.align}" + (f" from {padding.start}" if padding.start else "")
