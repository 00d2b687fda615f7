"""Recorded traffic as rows of the codec."""

from collections.abc import Iterator

import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.stretches import Held
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import ReadInto
from wireloom.options import CaptureKind, ReadOptions
from wireloom.views import Row


def rows(readinto: ReadInto, kind: CaptureKind, protocol: Protocol, options: ReadOptions, file: str) -> Iterator[Row]:
    """The rows of recorded traffic, whole, with their positions and where they come from; see
    ``Protocol.iter_records``.
    """
    decoder = Decoder(protocol, options, pa.schema([]))
    for cuts in Traffic(decoder).cuts(readinto, kind, file):
        held, provenance = Held(cuts, file), cuts.provenance
        assert provenance is not None
        for number in range(len(cuts.start)):
            cut, data, origin = held.record(number, decoder.gaps)
            row = protocol.row(cut, data, origin, dict(cuts.parameters), options.mode, options.only)
            if row is not None:
                row["_offset"], row["_length"] = int(provenance.offsets[number]), len(data)
                row.update(provenance.row(number))
                yield row
