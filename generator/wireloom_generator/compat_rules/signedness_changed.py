"""A number stays signed or unsigned.

Half of all bit patterns are other numbers then: what was 65,535 is -1.

Bad::

    - {name: source_id, type: u16}    # an i16 before

Good::

    - {name: source_id, type: i16}
"""

from collections.abc import Iterator

from wireloom_generator import ir
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Integers of the other sign."""
    for _, kept, old, new in walks.fields(comparison):
        match old.wire, new.wire:
            case ir.Integer(signed=one), ir.Integer(signed=other) if one is not other:
                sign = "signed" if other else "unsigned"
                yield Change(
                    kept.new.path, f"{walks.was(words.wire(old.wire), words.wire(new.wire))}: {sign} now", BOTH
                )
            case (ir.Leb128(), ir.ZigZag()) | (ir.ZigZag(), ir.Leb128()):
                pass  # the bytes are folded otherwise: field-retyped
