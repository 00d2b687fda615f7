"""The records in recorded packets: put together from their streams, in the order in which they were complete.

Their bytes are kept one record after the other in a temporary file, where the page finds them as in any capture.
"""

import os
import tempfile
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from wireloom.codec import DecodeError, Protocol
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.provenance import Provenance
from wireloom.columnar.record_spans import CutRecords, JoinedCaptures
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.traffic.reading import Traffic
from wireloom.kinds import FILES, Recording
from wireloom.options import CaptureKind, ParameterValue
from wireloom_generator.lab.capture_bytes import CaptureBytes
from wireloom_generator.lab.record_index import KINDS, RecordIndex, column_of


class _GatheredBytes(CaptureBytes):
    """Bytes that are appended to a temporary file without a name, which ends with this object."""

    def __init__(self, name: str) -> None:
        super().__init__(name, b"")
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is open as long as this is there

    def append(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)

    def read(self, start: int, stop: int) -> bytes:
        return os.pread(self._file.fileno(), max(0, min(stop, self.size) - start), start)


@dataclass(frozen=True, slots=True)
class _RecordsTogether:
    """Records that were found together, from number ``first`` on, and what is known of them by row."""

    first: int
    positions: Any
    parameters: Mapping[str, Any]
    is_headed: bool
    errors: Mapping[int, DecodeError]
    provenance: Provenance


class RecordedIndex(RecordIndex):
    """The records of a protocol in a file of packets. They have the times of their packets."""

    def __init__(self, codec: Protocol, packets: CaptureBytes, parameters: Mapping[str, ParameterValue]) -> None:
        self.gathered = _GatheredBytes(packets.name)
        super().__init__(codec, self.gathered, parameters, times=("_time",))
        self._packets = packets
        self._read = 0
        self._parts: list[_RecordsTogether] = []

    @property
    def share_read(self) -> float:
        return self._read / max(1, self._packets.size)

    def known(self, number: int) -> dict[str, Any]:
        return dict(self._part(number).parameters)

    def position(self, number: int) -> int:
        """Where a record begins in its stream."""
        part = self._part(number)
        return int(part.positions[number - part.first])

    def origin(self, number: int) -> str:
        """Which connection a record comes from, and who sent it."""
        part = self._part(number)
        provenance, row = part.provenance, number - part.first
        connection = provenance.names[int(provenance.connections[row])]
        if connection is None or provenance.from_client is None:
            return ""
        return f"{connection}, sent by the {'client' if provenance.from_client[row] else 'server'}"

    def _find(self) -> None:
        traffic = Traffic(decoder := self._decoder(self._packets.kind))
        for cuts in traffic.found([Recording(self.capture.name, self._packets.kind, self._counted())]):
            if self._stopped.is_set():
                return
            if len(cuts.start):
                self._gather(decoder, cuts)
        self.note = traffic.stats.summary

    def _counted(self) -> Any:
        """Reads the packets, and notes how far."""
        readinto = self._packets.stream()

        def counted(memory: memoryview) -> int | None:
            count = readinto(memory)
            self._read += count or 0
            return count

        return counted

    def _gather(self, decoder: Decoder, cuts: Cuts) -> None:
        """Take records that were cut out of streams."""
        held, count = CutRecords(cuts), len(cuts.start)
        joined = JoinedCaptures([held])
        new = {name: np.zeros(count, KINDS[name]) for name in self._arrays}
        for batch, rows in decoder.records(joined.stretch, joined.apart, partial(decoder.redo, held), joined.added):
            for name, column in new.items():
                column[rows] = column_of(self, batch, name)
        new["length"][:] = cuts.stop - cuts.start
        new["offset"][:] = self.gathered.size + np.cumsum(new["length"]) - new["length"]
        assert cuts.provenance is not None
        malformed = {*cuts.errors, *cuts.gaps.tolist()}
        errors = {row: held.record(row, decoder.gaps)[0].error for row in malformed}
        self._parts.append(
            _RecordsTogether(
                self._count,
                cuts.provenance.origins + cuts.start,
                cuts.parameters,
                cuts.preamble,
                {row: error for row, error in errors.items() if error is not None},
                cuts.provenance,
            )
        )
        places = zip(cuts.start.tolist(), cuts.stop.tolist(), strict=True)
        self.gathered.append(b"".join([bytes(cuts.window.buffer[start:stop]) for start, stop in places]))
        self._add(cuts.parameters, new)

    def _part(self, number: int) -> _RecordsTogether:
        return self._parts[bisect_right(self._parts, number, key=lambda part: part.first) - 1]

    def _is_header(self, number: int) -> bool:
        part = self._part(number)
        return part.is_headed and number == part.first

    def _framing_error(self, number: int, start: int, length: int) -> DecodeError | None:
        part = self._part(number)
        return part.errors.get(number - part.first)


def index_of(codec: Protocol, capture: CaptureBytes, parameters: Mapping[str, ParameterValue]) -> RecordIndex:
    """The index of a capture, which is still empty: of its records end to end, or of those in packets.

    To the protocols of packet files, such files are records end to end.
    """
    is_raw = capture.kind is CaptureKind.RAW or codec.name in FILES
    return (RecordIndex if is_raw else RecordedIndex)(codec, capture, parameters)
