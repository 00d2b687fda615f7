"""Nothing follows what takes the rest.

``size: rest`` and ``repeat: rest`` go to the end of the section, so whatever comes behind them there would never have a
byte. Let the section end, give a size, or put the rest into a section of its own with a size.

What takes the rest only under a condition, be it a field with ``when`` or an alternative, may have behind it what can
be absent or empty. What always has bytes would be missing whenever the rest is taken.

Bad::

    - {name: body, type: bytes, size: rest}
    - {name: crc, type: u32}

Good::

    - {name: body, type: bytes, size: body_length}
    - {name: crc, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.sequences import Nodes, needs_bytes, place, sequences
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Nodes after one that leaves them no bytes."""
    for nodes in sequences(spec):
        yield from _behind(spec, nodes)


def _behind(spec: Resolved, nodes: Nodes) -> Iterator[Problem]:
    taker: model.Node | None = None
    always = False
    for node in nodes:
        if taker is not None and _lacks(node, always=always):
            key, name = place(node)
            what = f"{place(taker)[1]} takes all that is left, so nothing is left for {name}"
            yield Problem(node.where(key), "one-rest", what)
            return
        found = _taker(spec, node)
        if found is not None:
            taker, always = found, model.exhausting((node,), spec.structs) is not None


def _lacks(node: model.Node, *, always: bool) -> bool:
    """Whether it could have bytes if something in front did not take them ``always``, or else whenever it does."""
    taken = model.space((node,))
    return needs_bytes(node) and (taken.most != 0 if always else taken.least > 0)


def _taker(spec: Resolved, node: model.Node) -> model.Node | None:
    """What takes all that is left where it is there: the node itself, or something in one of its alternatives."""
    if isinstance(node, model.Choice | model.Ordered):
        found = (_taker(spec, inner) for inner in model.children(node))
        return next((taker for taker in found if taker is not None), None)
    return node if model.exhausts(node, spec.structs) else None
