"""Errata are kept.

An erratum is why the spec differs from its document. Without it, the next reader believes the document.

Bad::

    match: {opcode: 0x5f}
    # erratum: the document says 0x5e    no longer there

Good::

    match: {opcode: 0x5f}
    erratum: The document says 0x5e.
"""

from collections.abc import Iterator

from wireloom_generator.compat import docs
from wireloom_generator.compat.changes import BOTH, NEITHER, Category, Change
from wireloom_generator.compat.comparison import Comparison

CATEGORY = Category.DOCS


def check(comparison: Comparison) -> Iterator[Change]:
    """Errata that are new, gone or different."""
    for path, old, new in docs.pairs(comparison):
        gone = sum(erratum not in new.errata for erratum in old.errata)
        come = sum(erratum not in old.errata for erratum in new.errata)
        if gone:
            yield Change(path, f"{gone} of {len(old.errata)} errata {'changed' if come else 'removed'}", BOTH)
        elif come:
            yield Change(path, "erratum added", NEITHER)
