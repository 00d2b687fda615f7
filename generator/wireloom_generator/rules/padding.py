"""Padding is a byte or more, alignment a multiple of two or more.

``pad`` is so many zero bytes, ``align`` as many as bring the offset from the record's start to a multiple, or with
``from`` that from the start of a section around it. Neither would put a byte anywhere with a smaller number, so whoever
wrote it meant something else.

Bad::

    - {pad: 0}
    - {align: 1}

Good::

    - {pad: 3}
    - {align: 4}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Scope, every, nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest


def check(spec: Resolved) -> Iterator[Problem]:
    """Padding without bytes, and alignment from nowhere."""
    yield from dict.fromkeys(problem for scope in every(spec) for problem in _origins(scope))
    for node in nodes(spec):
        if not isinstance(node, model.Padding):
            continue
        count = node.fixed
        if node.gives("pad") and count is not None and count < 1:
            what, hint = f"pad: {count} adds nothing", "write how many zero bytes, 1 or more"
            yield Problem(node.where("pad"), "padding", what, hint)
        elif node.gives("align") and node.align < 2:
            what, hint = f"align: {node.align} does nothing", "write a multiple of 2 or more, as in align: 4"
            yield Problem(node.where("align"), "padding", what, hint)


def _origins(scope: Scope) -> Iterator[Problem]:
    for visit in scope.visits:
        item = visit.item
        if isinstance(item, model.Padding) and item.start is not None and item.start not in visit.sections:
            what = f"{item.start!r} is no section around it"
            yield Problem(item.where("from"), "padding", what, closest(item.start, filter(None, visit.sections)))
