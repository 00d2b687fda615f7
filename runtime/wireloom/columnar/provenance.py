"""Where records come from that were recorded in packets."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, as_arrow, numbers, strings, valid_of
from wireloom.codec.protocol import PROVENANCE
from wireloom.files import shown
from wireloom.views import FILE

NO_TIME = -(1 << 63)
"""The time in nanoseconds of rows without one, as numpy has it."""


class Provenance(NamedTuple):
    """Where each of some records comes from.

    ``origins`` are added to a place in the buffer to give its place in the stream, for reasons. ``offsets`` are the
    places in the file of the packets that records begin in, and ``times`` their times, in nanoseconds since 1970 or
    ``NO_TIME``. ``connections`` are numbers of ``names``. ``gaps`` are how many bytes were lost before a record, or -1
    if unknown. ``sources`` are numbers of the ``files`` with the packets. Packets themselves have no client and no
    connection.
    """

    origins: Array
    offsets: Array
    times: Array
    names: list[str | None]
    connections: Array
    from_client: Array | None
    gaps: Array
    files: Mapping[int, str]
    sources: Array

    @property
    def added(self) -> Mapping[str, Callable[[Array], pa.Array]]:
        """The columns, of some rows."""
        columns = (self._files, self._times, self._connections, self._from_client, self._gaps)
        return dict(zip((column.name for column in (FILE, *PROVENANCE)), columns, strict=True))

    def _files(self, rows: Array) -> pa.Array:
        used, places = np.unique(self.sources[rows], return_inverse=True)
        return strings([shown(self.files[number]) for number in used.tolist()]).take(as_arrow(places))

    def _times(self, rows: Array) -> pa.Array:
        times = self.times[rows]
        return numbers(pa.timestamp("ns", tz="UTC"), times, np.asarray(times != NO_TIME), None)

    def _connections(self, rows: Array) -> pa.Array:
        return strings(self.names).take(as_arrow(self.connections[rows]))

    def _from_client(self, rows: Array) -> pa.Array:
        return pa.nulls(len(rows), pa.bool_()) if self.from_client is None else as_arrow(self.from_client[rows])

    def _gaps(self, rows: Array) -> pa.Array:
        gaps = self.gaps[rows]
        return numbers(pa.int64(), gaps, np.asarray(gaps >= 0), None)


def fitting(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as ``kind``: Spark and DuckDB calculate with microseconds, to which times are cut."""
    if column.type == kind:
        return column
    microseconds = column.cast(pa.int64()).fill_null(0).to_numpy() // 1000
    return pa.array(microseconds, mask=~valid_of(column)).cast(kind)
