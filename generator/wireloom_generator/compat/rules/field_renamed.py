"""A field keeps its name.

The bytes are the same, but code asks for the old name: the key of the parsed row, the argument of ``build``, the JSON
object.

Bad::

    - {name: first_seqno, type: u64}    # start_seqno before

Good::

    - {name: start_seqno, type: u64}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields under another name, and the columns of what sections leave over."""
    for _, kept in walks.kept(comparison):
        if kept.renamed:
            yield Change(kept.new.path, f"was {kept.old.name}", BOTH)
        match kept.old.carrier, kept.new.carrier:
            case (
                (model.Section(trailing=old) | model.Slot(trailing=old)),
                (model.Section(trailing=new) | model.Slot(trailing=new)),
            ):
                if old and new and old != new:
                    yield Change(kept.new.path, f"trailing was {old}, is {new}", BOTH)
            case model.Field(raw=str() as old), model.Field(raw=str() as new) if old != new:
                yield Change(kept.new.path, f"raw was {old}, is {new}", BOTH)
