"""Nothing follows what takes the rest.

``size: rest`` and ``repeat: rest`` go to the end of the section, so whatever comes behind them there would never have a
byte. Let the section end, give a size, or put the rest into a section of its own with a size.

Bad::

    - {name: body, type: bytes, size: rest}
    - {name: crc, type: u32}

Good::

    - {name: body, type: bytes, size: body_length}
    - {name: crc, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.sequences import Bounded, Nodes, at_end, needs_bytes, place, sequences
from wireloom_generator.model import Resolved, takes_rest
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Nodes after one that leaves them no bytes."""
    for nodes in sequences(spec):
        yield from _behind(spec, nodes)


def _behind(spec: Resolved, nodes: Nodes) -> Iterator[Problem]:
    taker: Bounded | None = None
    for node in nodes:
        if taker is not None and needs_bytes(node) and not _either(taker, node):
            key, name = place(node)
            what = f"{place(taker)[1]} takes all that is left, so nothing is left for {name}"
            yield Problem(node.where(key), "one-rest", what)
            return
        taker = at_end(spec, node, takes_rest) or taker


def _either(taker: Bounded, node: model.Node) -> bool:
    """Whether both are conditional, so that one may be present without the other."""
    return all(isinstance(item, model.Field) and item.when is not None for item in (taker, node))
