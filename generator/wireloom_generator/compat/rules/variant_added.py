"""A new variant takes records that no variant had, and old decoders have a place for its bytes.

Old decoders have no variant for its records: they keep the bytes in the trailing columns of its sections, or, where
there is none, take such records for malformed.

Bad::

    record:
      fields:
        - {section: body, size: rest}    # bytes left over are malformed
    variants:
      - {name: v2, when: version == 2}    # new

Good::

    record:
      fields:
        - {section: body, size: rest, trailing: trailing_body}
    variants:
      - {name: v2, when: version == 2}    # new
"""

from collections.abc import Iterator

from wireloom_generator.compat.changes import FORWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Variants that are new."""
    for pair in comparison.messages:
        if not pair.old.variants:
            continue  # what the message was is compared with each of them
        for variant in pair.variants.added:
            path = f"{comparison.new.name}.{pair.new.name}.{variant.name}"
            closed = [section for section in variant.sections if section not in pair.old.trailing]
            if closed:
                what = f"variant added; old decoders have no place for its bytes in {', '.join(closed)}"
                yield Change(path, what, FORWARD)
            else:
                kept = "; old decoders keep its bytes in the trailing columns" if variant.sections else ""
                yield Change(path, f"variant added{kept}", NEITHER)
