"""Only optional fields follow an optional one.

An optional field is there if bytes are left in its section. If another field followed it, that one's bytes would be
taken for the optional one's.

Bad::

    - {name: timeout, type: u16, optional: true}
    - {name: level, type: u8}

Good::

    - {name: level, type: u8}
    - {name: timeout, type: u16, optional: true}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.sequences import Bounded, Nodes, at_end, is_optional, needs_bytes, place, sequences
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Mandatory nodes after an optional one."""
    for nodes in sequences(spec):
        yield from _behind(spec, nodes)


def _behind(spec: Resolved, nodes: Nodes) -> Iterator[Problem]:
    first: Bounded | None = None
    for node in nodes:
        optional = isinstance(node, model.Field) and node.optional
        if first is not None and needs_bytes(node) and not optional:
            key, name = place(node)
            how = "is optional" if is_optional(first) else "ends with an optional field"
            what = f"{place(first)[1]} {how}, so {name} behind it must be too"
            yield Problem(node.where(key), "optional-last", what, "optional fields end their section")
            return
        first = first or at_end(spec, node, is_optional)
