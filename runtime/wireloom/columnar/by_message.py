"""Records as one narrow table a message, decoded once: a batch has records of one message, with its fields at top
level.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, occurring
from wireloom.codec import Protocol
from wireloom.columnar.decoded_rows import DecodedRows
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.view_columns import ViewedColumns
from wireloom.options import ReadOptions
from wireloom.views import NO_MESSAGE, Row, flattened, narrow

Schemas = Callable[[str], pa.Schema]
"""Gives the schema of the rows of a message, or of ``NO_MESSAGE``."""


class NarrowDecoder(Decoder):
    """Decodes records into batches of one message each, with the schema that ``schemas`` gives for it. ``options`` are
    those of a view of all columns.

    Malformed records are in batches of their message, those of none in batches of ``NO_MESSAGE``. Batches of a message
    come in the order of its records; ``message_of`` says which message one is of.
    """

    def __init__(self, protocol: Protocol, options: ReadOptions, schemas: Schemas) -> None:
        super().__init__(protocol, options, pa.schema([]))  # no batch has the columns of all messages
        self.schemas = schemas
        self.view_of = cache(self._view_of)

    def _view_of(self, name: str) -> ViewedColumns:
        return ViewedColumns(self.protocol, narrow(self.options, name), self.schemas(name), self.names)

    def views(self, codes: Array, rows: Array) -> Iterator[tuple[ViewedColumns, Array]]:
        """The rows of each message that occurs."""
        mine = codes[rows]
        for code in sorted(occurring(mine + 1)):
            yield self.view_of(self.names[code - 1] if code else NO_MESSAGE), rows[mine + 1 == code]

    def parts(self, rows: DecodedRows) -> Iterator[tuple[ViewedColumns, DecodedRows]]:
        """The rows of each message that occurs."""
        decoded = rows.decoded
        codes = np.where(decoded.headless, -1, decoded.message)[rows.chosen]
        for code in sorted(occurring(codes + 1)):
            which = np.flatnonzero(codes + 1 == code)
            view = self.view_of(self.names[code - 1] if code else NO_MESSAGE)
            yield view, rows if len(which) == len(codes) else rows.part(which)

    def parts_of_codec(self, rows: Mapping[int, Row]) -> Iterator[tuple[ViewedColumns, Mapping[int, Row]]]:
        """The rows of each message, with its fields beside the header's."""
        found: dict[str, dict[int, Row]] = {}
        for number, row in rows.items():
            found.setdefault(row["message"] or NO_MESSAGE, {})[number] = flattened(row)
        for name, some in found.items():
            yield self.view_of(name), some


def message_of(batch: pa.RecordBatch) -> str:
    """The message of all rows of a batch, or ``NO_MESSAGE``."""
    return batch.column("message")[0].as_py() or NO_MESSAGE
