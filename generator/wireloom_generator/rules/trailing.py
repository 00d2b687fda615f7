"""A column for left-over bytes can get some.

``trailing`` is the column for the bytes that a section's fields leave over. Where one of them always takes all that is
left, the column is null in every record, and who reads the spec looks for bytes in the wrong place.

Bad::

    - section: outer
      size: 8
      trailing: outer_rest
      fields:
        - {name: number, type: u8}
        - {name: data, type: bytes, size: rest}

Good::

    - section: outer
      size: 8
      fields:
        - {name: number, type: u8}
        - {name: data, type: bytes, size: rest}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.analysis.sequences import opened, place, takes_rest
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Columns for left-over bytes after something that always takes all bytes."""
    for node in nodes(spec):
        if isinstance(node, model.Region) and node.trailing is not None:
            taker = _taker(spec, model.children(node))
            if taker is not None:
                what = f"{node.trailing!r} can never hold anything, since {place(taker)[1]} takes all that is left"
                yield Problem(
                    node.where("trailing"), "trailing", what, "leave it out, or give what stands there a size"
                )


def _taker(spec: Resolved, nodes: Iterable[model.Node]) -> model.Node | None:
    """The first node after which no bytes are ever left."""
    return next((item for item in nodes if _takes_all(spec, item)), None)


def _takes_all(spec: Resolved, item: model.Node) -> bool:
    match item:
        case model.Field(when=model.Condition()):
            return False
        case model.Field() | model.Section() | model.Slot() if takes_rest(item):
            return True
        case model.Field(repeat=None):
            struct = opened(spec, item)
            return struct is not None and _taker(spec, struct.nodes) is not None
        case model.Choice(alternatives=alternatives):
            covered = bool(alternatives) and alternatives[-1].when is None
            return covered and all(_taker(spec, option.nodes) is not None for option in alternatives)
        case model.Field() | model.Computed() | model.Bits() | model.Padding() | model.Section() | model.Slot():
            return False
