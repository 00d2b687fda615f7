"""An integer has 8, 16, 24 … or 64 bits; one of variable length has 1 to 64, and one of QUIC's has 62.

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

from collections.abc import Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem
from wireloom_generator.types import BIT_WIDTHS, WIDTHS, Integer, Varint, WireType

_BYTES = (1, 2, 3, 4)
"""What other tools write for so many bytes, as in ``u4``."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Integers that are not a whole number of bytes, or have too many."""
    for wire, at, widths in _types(spec):
        if isinstance(wire, Integer) and wire.bits not in widths:
            yield Problem(at, "integer-width", f"no integer has {wire.bits} bits", _hint(wire, widths[-1]))
        elif isinstance(wire, Varint) and wire.bits not in wire.widths:
            few, most = wire.widths[0], wire.widths[-1]
            hint = f"{few} to {most} bits" if few < most else f"write {wire.stem}{most}"
            yield Problem(at, "integer-width", f"there is no {wire.word}", hint)


def _hint(wire: Integer, most: int) -> str:
    if wire.bits > most:
        return "keep it as bytes"
    are = "byte is" if wire.bits == 1 else "bytes are"
    meant = f"{wire.bits} {are} {wire.word[0]}{8 * wire.bits}; " if wire.bits in _BYTES else ""
    return f"{meant}8, 16, 24 … 64 bits; split off smaller ones with bits:"


def _types(spec: Resolved) -> Iterator[tuple[WireType, Location, Sequence[int]]]:
    for node in nodes(spec):
        if isinstance(node, model.Field | model.Computed):
            yield node.type, node.where("type"), WIDTHS
            extent = node.wire.extent if isinstance(node, model.Field) else None
            if isinstance(extent, model.Prefix) and isinstance(extent.length.type, Varint):
                yield extent.length.type, node.where("prefix"), WIDTHS
        elif isinstance(node, model.Bits):
            yield node.wire.type, node.where("bits"), BIT_WIDTHS
