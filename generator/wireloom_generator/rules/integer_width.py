"""An integer has 8, 16, 24 … or 64 bits.

Fields start and end at bytes, since that is how bytes are read and how everybody counts their offsets. Smaller numbers
are split off an integer with ``bits``, which says from which end.

Bad::

    - {name: version, type: u4}
    - {name: length, type: u12}

Good::

    - bits: u16
      fields:
        - {name: version, width: 4}
        - {name: length, width: 12}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem
from wireloom_generator.types import WIDTHS, Integer, WireType


def check(spec: Resolved) -> Iterator[Problem]:
    """Integers that are not a whole number of bytes, or have too many."""
    for wire, at in _types(spec):
        if isinstance(wire, Integer) and wire.bits not in WIDTHS:
            hint = "keep it as bytes" if wire.bits > 64 else "8, 16, 24 … 64 bits; split off smaller ones with bits:"
            yield Problem(at, "integer-width", f"no integer has {wire.bits} bits", hint)


def _types(spec: Resolved) -> Iterator[tuple[WireType, Location]]:
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed):
            yield node.type, node.where("type")
        elif isinstance(node, model.Bits):
            yield node.wire.type, node.where("bits")
