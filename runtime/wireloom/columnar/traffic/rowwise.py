"""Recorded traffic, record by record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.codec.cutting import Cut
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.provenance import Provenance
from wireloom.columnar.stretches import Held
from wireloom.columnar.traffic.reading import Recording, Traffic
from wireloom.options import ReadOptions
from wireloom.views import Row


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record as it was cut out of its stream, in which it begins at ``position``, and the ``parameters`` of that."""

    cut: Cut
    data: bytes
    position: int
    parameters: dict[str, Any]
    provenance: Provenance
    number: int

    @property
    def columns(self) -> Row:
        """Where it comes from."""
        places = {"_offset": int(self.provenance.offsets[self.number]), "_length": len(self.data)}
        return places | self.provenance.row(self.number)


def records(files: Iterable[Recording], protocol: Protocol, options: ReadOptions) -> Iterator[Recorded]:
    """The records of recorded traffic, malformed ranges among them, in the order in which they were complete."""
    decoder = Decoder(protocol, options, pa.schema([]))
    for cuts in Traffic(decoder).cuts(files):
        held = Held(cuts)
        assert cuts.provenance is not None
        for number in range(len(cuts.start)):
            found = held.record(number, decoder.gaps)
            yield Recorded(*found, dict(cuts.parameters), cuts.provenance, number)


def rows(files: Iterable[Recording], protocol: Protocol, options: ReadOptions) -> Iterator[Row]:
    """The rows of these records, whole; see ``Protocol.iter_records``."""
    for each in records(files, protocol, options):
        row = protocol.row(each.cut, each.data, each.position, each.parameters, options.mode, options.only)
        if row is not None:
            row.update(each.columns)
            yield row
