"""What protocols of packets decode, as numpy's numbers."""

from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.buffers import Array, as_arrow, valid_of
from wireloom.codec import Protocol
from wireloom.columnar.decoder import Decoder
from wireloom.options import Mode, ReadOptions, resolve


def decoder_of(name: str, columns: tuple[str, ...], **parameters: Any) -> Decoder:
    """A decoder of these columns of a protocol of packets, for malformed records as well."""
    return Decoder(*_read(name, columns, **parameters))


@lru_cache(maxsize=64)
def _read(name: str, columns: tuple[str, ...], **parameters: Any) -> tuple[Protocol, ReadOptions, pa.Schema]:
    """The options of a decoder, which are the same for each file."""
    table = import_module(f"wireloom_protocols.{name}.columnar").TABLE
    known = resolve(table.protocol.parameters, parameters)
    options = ReadOptions(Mode.PERMISSIVE, labels=False, positions=True, columns=columns, parameters=known)
    return table.protocol, options, table.view(options)


def taken(values: pa.Array, rows: Array) -> pa.Array:
    """The values of some rows in ascending order; adjacent rows are not copied."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return values.slice(rows[0], len(rows))
    return values.take(as_arrow(rows))


class PacketRows:
    """Rows of a batch or of a struct. Columns are named as options name them: ``struct.field``."""

    def __init__(self, columns: pa.RecordBatch | pa.StructArray) -> None:
        self.columns = columns

    def column(self, path: str) -> pa.Array:
        """A column; null where a struct around it is."""
        found = self.columns
        for name in path.split("."):
            found = pc.struct_field(found, name) if isinstance(found, pa.StructArray) else found.column(name)
        return found

    def there(self, path: str) -> Array:
        """Where a column is not null."""
        found: Array = np.flatnonzero(valid_of(self.column(path)))
        return found

    def numbers(self, path: str, rows: Array) -> Array:
        """Numbers of some rows, zero where they are null."""
        column = taken(self.column(path), rows)
        found: Array = column.cast(pa.int64()).fill_null(0).to_numpy()
        return found
