"""Padding is a byte or more, alignment a multiple of two or more.

``pad`` is so many zero bytes, ``align`` as many as bring the offset from the record's start to a multiple. Neither
would put a byte anywhere with a smaller number, so whoever wrote it meant something else.

Bad::

    - {pad: 0}
    - {align: 1}

Good::

    - {pad: 3}
    - {align: 4}
"""

from collections.abc import Iterator

from wireloom_generator.analysis.scopes import written
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Padding that pads nothing."""
    for entry in written(spec):
        if isinstance(entry, syntax.Pad) and entry.pad < 1:
            yield Problem(
                entry.where("pad"), "padding", f"pad: {entry.pad} adds nothing", "write how many zero bytes, 1 or more"
            )
        elif isinstance(entry, syntax.Align) and entry.align < 2:
            yield Problem(
                entry.where("align"),
                "padding",
                f"align: {entry.align} does nothing",
                "write a multiple of 2 or more, as in align: 4",
            )
