"""Captures of the protocols in ``examples/protocols`` and of some that are shipped, each made by an implementation that
is not ours.

A module here has the name of its protocol and gives its ``captures``: bytes, and what the other implementation reads in
each of their records.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from support import compiled
from support.compiled import Compiled

ROOT = Path(__file__).parents[3]
SHIPPED = ("packets", "pcap", "pcapng")
SPECS = {
    **{path.parent.name: path.parent for path in ROOT.glob("examples/protocols/*/protocol.yaml")},
    **{name: ROOT / "specs" / name for name in SHIPPED},
}
"""The folders of the protocols by their names."""
NAMES = tuple(sorted(SPECS))


@dataclass(frozen=True)
class Capture:
    """Bytes of another implementation, and for each record the values it must decode to, some or all.

    A row is ``told`` as the other implementation tells it, where that has values of another shape.
    """

    name: str
    data: bytes
    rows: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    told: Callable[[Any], Any] = lambda row: row


@cache
def protocol(name: str) -> Compiled:
    """The protocol with that name."""
    return compiled.compiled(SPECS[name])


@cache
def captures(name: str) -> tuple[Capture, ...]:
    """The captures of the protocol with that name."""
    found = tuple(import_module(f"protocols.strangers.{name}").captures())
    assert found
    assert all(capture.rows for capture in found)
    return found


def records(name: str) -> Iterator[bytes]:
    """Every record in them."""
    codec = protocol(name).codec
    for capture in captures(name):
        for row in codec.iter_records(capture.data, positions=True, **capture.parameters):
            yield capture.data[row["_offset"] : row["_offset"] + row["_length"]]
