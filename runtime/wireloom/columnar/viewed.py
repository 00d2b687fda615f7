"""Rows that the plan decoded → the columns of a view."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.codec.protocol import CORRUPT
from wireloom.columnar.arrays import Labels, Numbers
from wireloom.columnar.buffers import Array, nulls
from wireloom.columnar.chosen import Chosen
from wireloom.options import ReadOptions

REASON = CORRUPT[1].name
"""The column that says why a record is malformed."""
_ORDERS = ("big", "little")


class ViewedColumns:
    """Makes the columns of ``schema``, which is the view that ``options`` describe, or a part of it.

    ``names`` are those of the messages, by their numbers.
    """

    def __init__(self, protocol: Protocol, options: ReadOptions, schema: pa.Schema, names: Sequence[str]) -> None:
        self.options = options
        self.schema = schema
        self.names = names
        self.codes = {name: code for code, name in enumerate(names)}
        self.byte_order = protocol.framing.byte_order
        self.recorded = {parameter.name for parameter in protocol.parameters if parameter.column}
        self.absent: dict[str, pa.Array] = {}

    def of(self, rows: Chosen, added: Mapping[str, Callable[[Array], pa.Array]]) -> list[pa.Array]:
        """The columns; ``added`` gives those that are not in the bytes, for numbers of records."""
        return [
            added[field.name](rows.rows) if field.name in added else self._column(field, rows) for field in self.schema
        ]

    def _column(self, field: pa.Field, rows: Chosen) -> pa.Array:
        name, kind = field.name, field.type
        if name == self.options.corrupt_column:
            return rows.record(kind)
        if name == REASON:
            return rows.reason(kind)
        if name == "message":
            codes = Numbers(rows.of(rows.decoded.message), rows.has_head)
            return Labels(codes, self.names.__getitem__, kind).arrow(kind)
        if name in self.recorded:
            return self._parameter(name, kind, rows)
        column = rows.decoded.header.columns.get(name)
        if column is not None:
            return rows.header(name, column, kind)
        if self.options.message is None:
            struct = rows.struct(self.codes[name], kind) if name in self.codes else None
            return self._nulls(field, len(rows.chosen)) if struct is None else struct
        found = rows.field(self.codes[self.options.message], name) if self.options.message in self.codes else None
        return self._nulls(field, len(rows.chosen)) if found is None else found.arrow(kind)

    def _nulls(self, field: pa.Field, count: int) -> pa.Array:
        """This many nulls, shared with the batch before."""
        found = self.absent.get(field.name)
        if found is None or len(found) < count:
            found = self.absent[field.name] = nulls(field.type, count)
        return found.slice(0, count)

    def _parameter(self, name: str, kind: pa.DataType, rows: Chosen) -> pa.Array:
        value, valid = rows.batch.parameters[name], rows.has_head
        if name != self.byte_order:
            codes, told = np.zeros(len(rows.chosen), np.uint8), (str(value), "")
        else:
            little = rows.batch.little
            codes = np.full(len(rows.chosen), little) if isinstance(little, bool) else rows.of(little)
            codes, told = codes.astype(np.uint8), _ORDERS
        if isinstance(value, int):
            return Numbers(np.full(len(codes), value), valid).arrow(kind)
        return Labels(Numbers(codes, valid), told.__getitem__, kind).arrow(kind)
