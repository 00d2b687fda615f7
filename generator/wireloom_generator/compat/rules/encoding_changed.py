"""Text keeps its encoding.

The same bytes are other characters, or none at all.

Bad::

    - {name: key, type: text, size: rest, encoding: latin-1}    # utf-8 before

Good::

    - {name: key, type: text, size: rest}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.types import Text

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Text in another encoding."""
    for _, kept, old, new in walks.fields(comparison):
        match old.wire.type, new.wire.type:
            case Text(encoding=one), Text(encoding=other) if one != other:
                yield Change(kept.new.path, walks.was(one, other), BOTH)
