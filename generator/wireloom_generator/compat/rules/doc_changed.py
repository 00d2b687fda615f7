"""Descriptions stay the same.

Texts, titles, units, sources, versions and what is deprecated go to docstrings, comments of columns and the
documentation; their readers see other words.

Bad::

    - {name: end_seqno, type: u64, doc: Where it ends.}    # Where the snapshot ends. before

Good::

    - {name: end_seqno, type: u64, doc: Where the snapshot ends.}
"""

from collections.abc import Iterator

from wireloom_generator.compat import docs
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.DOCS


def check(comparison: Comparison) -> Iterator[Change]:
    """Elements with another description."""
    for path, old, new in docs.pairs(comparison):
        for what, before, after in (
            ("title", old.title, new.title),
            ("doc", old.text, new.text),
            ("unit", old.unit, new.unit),
            ("since", old.since, new.since),
            ("deprecated", old.deprecated, new.deprecated),
            ("source", old.source, new.source),
        ):
            if before != after:
                yield Change(path, f"{what} {_how(before, after)}", BOTH)


def _how(old: object, new: object) -> str:
    return "added" if not old else "removed" if not new else "changed"
