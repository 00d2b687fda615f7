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

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.analysis.sequences import place
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Columns for left-over bytes after something that always takes all bytes."""
    for node in nodes(spec):
        if isinstance(node, model.Region) and node.trailing is not None:
            inside = model.children(node)
            content = model.children(inside[0]) if inside and isinstance(inside[0], model.Unpack) else inside
            taker = model.exhausting(content, spec.structs)
            if taker is not None:
                takes = "takes" if model.leaves(taker) is None else "and what follows take"
                what = f"{node.trailing!r} can never hold anything, since {place(taker)[1]} {takes} all that is left"
                yield Problem(
                    node.where("trailing"), "trailing", what, "leave it out, or give what stands there a size"
                )
