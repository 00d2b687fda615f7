"""A field keeps the enum or the flags that name its numbers.

Its value in Python is a member of that class, and the label column has its names.

Bad::

    - {name: snapshot_type, type: u32}    # flags: SnapshotType before

Good::

    - {name: snapshot_type, type: u32, flags: SnapshotType}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.CODEC


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields with other names for their numbers, or without the column of them; names that are new are a note."""
    for _, kept in walks.kept(comparison):
        old, new = _named(kept.old.node), _named(kept.new.node)
        if old != new:
            breaks = BACKWARD if old is not None else NEITHER
            yield Change(kept.new.path, walks.was(_in_words(old), _in_words(new)), breaks)


def _named(node: model.Named | model.Padding | model.Region) -> tuple[str, bool] | None:
    """The enum or the flags, and whether there is a column of labels."""
    if isinstance(node, model.Named) and node.enum is not None:
        return f"the enum {node.enum}", node.labels
    if isinstance(node, model.Field) and node.flags is not None:
        return f"the flags {node.flags}", node.labels
    return None


def _in_words(named: tuple[str, bool] | None) -> str:
    if named is None:
        return "without names"
    names, labels = named
    return f"named by {names}" if labels else f"named by {names} in Python alone"
