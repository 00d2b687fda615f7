"""Recorded traffic, record by record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.codec.cutting import Cut
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.record_spans import CutRecords, JoinedCaptures
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import Recording
from wireloom.options import ReadOptions
from wireloom.views import Row


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record as it was cut out of its stream, in which it begins at ``position``, and the ``parameters`` of that.

    ``columns`` say where it comes from.
    """

    cut: Cut
    data: bytes
    position: int
    parameters: dict[str, Any]
    columns: Row


def records(files: Iterable[Recording], protocol: Protocol, options: ReadOptions) -> Iterator[Recorded]:
    """The records of recorded traffic, malformed ranges among them, in the order in which they were complete."""
    decoder = Decoder(protocol, options, pa.schema([]))
    for cuts in Traffic(decoder).cuts(files):
        held, every = CutRecords(cuts), np.arange(len(cuts.start))
        added = {name: _values(column(every)) for name, column in JoinedCaptures([held]).added.items()}
        for number in range(len(every)):
            columns = {name: values[number] for name, values in added.items()}
            yield Recorded(*held.record(number, decoder.gaps), dict(cuts.parameters), columns)


def rows(files: Iterable[Recording], protocol: Protocol, options: ReadOptions) -> Iterator[Row]:
    """The rows of these records, whole; see ``Protocol.iter_records``."""
    for each in records(files, protocol, options):
        row = protocol.row(each.cut, each.data, each.position, each.parameters, options.mode, options.only)
        if row is not None:
            row.update(each.columns)
            yield row


def _values(column: pa.Array) -> list[Any]:
    """The values of a column; times are numbers, as Python's have no nanoseconds."""
    found: list[Any] = (column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column).to_pylist()
    return found
