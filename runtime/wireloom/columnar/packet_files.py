"""Tables of decoded records → files of packets."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, as_arrow
from wireloom.codec import EncodeError, Protocol
from wireloom.codec.protocol import PROVENANCE
from wireloom.columnar import arrow_schema
from wireloom.columnar.encoding import BATCH_ROWS, Encoder, must_be_told_apart
from wireloom.options import CaptureKind
from wireloom.recording.recorder import Recorder, Sending
from wireloom.recording.rows import tells

_SENT = arrow_schema(PROVENANCE)


class TrafficEncoder:
    """Encodes batches as packets, as ``TrafficBuilder`` does rows."""

    def __init__(self, protocol: Protocol, parameters: Mapping[str, Any], kind: CaptureKind) -> None:
        self.protocol = protocol
        self.parameters = parameters
        self.recorder = Recorder(protocol, kind)
        self.encoders: dict[tuple[str | None, bool], Encoder] = {}
        self.rows = 0

    def parts(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        """The packets of each row. Raises ``EncodeError`` with the number of the ``row``."""
        must_be_told_apart(batch, self.rows)
        for at in range(0, len(batch), BATCH_ROWS):
            some = batch.slice(at, BATCH_ROWS)
            columns = [self._sent(some, field) for field in _SENT]
            records = self._records(some, columns)
            lists = (column.to_pylist() for column in columns)
            for number, (record, *sent) in enumerate(zip(records.to_pylist(), *lists, strict=True)):
                try:
                    yield self.recorder.record(record, Sending(*sent))
                except EncodeError as error:
                    error.row = self.rows + number
                    raise
            self.rows += len(some)

    def _sent(self, batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
        """A column of how records were sent; times are numbers."""
        is_time = pa.types.is_timestamp(field.type)
        if field.name not in batch.schema.names:
            return pa.nulls(len(batch), pa.int64() if is_time else field.type)
        try:
            column = batch.column(field.name).cast(field.type)
        except pa.ArrowException as error:
            raise EncodeError(str(error), field.name) from None
        return column.cast(pa.int64()) if is_time else column

    def _records(self, batch: pa.RecordBatch, columns: list[pa.Array]) -> pa.Array:
        """The bytes of each row."""
        if not tells(self.protocol):
            return self._encoder((None, True)).encode(batch)
        parts, numbers = [], []
        failed: dict[int, EncodeError] = {}
        for key, rows in _captures(*columns[1:3]):
            encoder = self._encoder(key)
            before = encoder.rows
            try:
                parts.append(encoder.encode(batch.take(as_arrow(rows)) if len(rows) < len(batch) else batch))
                numbers.append(rows)
            except EncodeError as error:
                assert error.row is not None
                error.row = self.rows + int(rows[error.row - before])
                failed[error.row] = error
        if failed:
            raise failed[min(failed)]
        if len(parts) == 1:
            return parts[0]
        return pa.concat_arrays(parts).take(as_arrow(np.argsort(np.concatenate(numbers))))

    def _encoder(self, key: tuple[str | None, bool]) -> Encoder:
        if key not in self.encoders:
            alone = self.protocol.framing.to_the_end
            self.encoders[key] = Encoder(self.protocol, self.parameters, alone=alone)
        return self.encoders[key]


def _captures(connections: pa.Array, from_client: pa.Array) -> Iterator[tuple[tuple[str | None, bool], Array]]:
    """The rows of what each end of a connection says."""
    names = connections.dictionary_encode(null_encoding="encode")
    clients = from_client.fill_null(True).to_numpy(zero_copy_only=False)
    codes = 2 * names.indices.to_numpy() + clients
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    for rows in np.split(order, firsts[1:]):
        code = int(codes[rows[0]])
        yield (names.dictionary[code // 2].as_py(), bool(code % 2)), rows
