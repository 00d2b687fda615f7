"""Rows that were decoded in bulk → the columns of a view."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from wireloom.buffers import Array, labels, nulls, numbers, repeated
from wireloom.codec import Protocol
from wireloom.codec.protocol import CORRUPT
from wireloom.columnar.arrays import Spread
from wireloom.columnar.decoded_rows import DecodedRows, Numbered, both, made
from wireloom.columnar.memory_budget import weight_of, width
from wireloom.columnar.provenance import fitting
from wireloom.options import ReadOptions
from wireloom.views import Row

REASON = CORRUPT[1].name
"""The column that says why a record is malformed."""
_ORDERS = ("big", "little")


class Same:
    """A schema as a key that equals itself alone. Arrow hashes types by their texts, which takes longer than nulls."""

    __slots__ = ("schema",)

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.schema is other.schema


@lru_cache(maxsize=64)
def _absent(_: Same) -> dict[str, pa.Array]:
    """Columns of nulls, by name, for all that read into the schema: often there is one batch for each."""
    return {}


@lru_cache(maxsize=64)
def _widths(same: Same) -> dict[str, int]:
    """The bits that every value of each column takes, by name."""
    return {field.name: width(field.type) for field in same.schema}


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
        self.absent = _absent(Same(schema))
        self.widths = _widths(Same(schema))

    def of(self, rows: DecodedRows, added: Mapping[str, Callable[[Array], pa.Array]]) -> list[pa.Array]:
        """The columns; ``added`` gives those that are not in the bytes, for numbers of records."""
        code = self.codes.get(self.options.message or "")
        own = {} if code is None else rows.fields(code, self.schema.names)
        return [
            fitting(added[field.name](rows.rows), field.type) if field.name in added else self._column(field, rows, own)
            for field in self.schema
        ]

    def of_one(
        self,
        code: int,
        header: Mapping[str, pa.Array],
        fields: Mapping[str, pa.Array],
        known: "Common",
        rows: Array,
        added: Mapping[str, Callable[[Array], pa.Array]],
    ) -> list[pa.Array]:
        """The columns of sound records ``rows`` that are all of the message ``code``, by those of the header and of the
        message's fields. ``added`` is as in ``of``.
        """
        count, own = len(rows), self.options.message is not None

        def column(field: pa.Field) -> pa.Array:
            name, kind = field.name, field.type
            if name in added:
                return fitting(added[name](rows), kind)
            if name == "message":
                return repeated(kind, self.names[code], count)
            if name in self.recorded:
                return self._constant(name, kind, known, count)
            if name in header:
                return header[name]
            if own and name in fields:
                return fields[name]
            if not own and name == self.names[code]:
                return Spread(dict(fields), None, count).arrow(kind)
            return self._nulls(field, count)

        return [column(field) for field in self.schema]

    def of_codec(
        self, rows: Sequence[Row], numbers: Array, added: Mapping[str, Callable[[Array], pa.Array]]
    ) -> list[pa.Array]:
        """The columns of rows of the codec, which are those of the records ``numbers``."""
        return [
            fitting(added[field.name](numbers), field.type)
            if field.name in added
            else made([row.get(field.name) for row in rows], field.type)
            for field in self.schema
        ]

    def weight(self, rows: DecodedRows) -> int:
        """The bytes of the columns without those of texts, bytes and items. Messages that do not occur have none."""
        absent = {name for code, name in enumerate(self.names) if code not in rows.decoded.structs}
        return len(rows.chosen) * sum(bits for name, bits in self.widths.items() if name not in absent) // 8

    def _column(self, field: pa.Field, rows: DecodedRows, own: Mapping[str, pa.Array]) -> pa.Array:
        name, kind = field.name, field.type
        if name == self.options.corrupt_column:
            return rows.record(kind)
        if name == REASON:
            return rows.reason(kind)
        column = rows.header(name)
        if name == "message" and column is None:
            return labels(kind, rows.of(rows.decoded.message), rows.has_head, self.names.__getitem__)
        if name in self.recorded:
            return self._parameter(name, kind, rows)
        if column is None:
            column = own.get(name)
        if self.options.message is None and name in self.codes:
            column = rows.struct(self.codes[name], kind)
        return self._nulls(field, len(rows.chosen)) if column is None else column

    def _nulls(self, field: pa.Field, count: int) -> pa.Array:
        """This many nulls, shared with the batches before."""
        found = self.absent.get(field.name)
        if found is None or len(found) < count:
            found = self.absent[field.name] = nulls(field.type, count)
        return found.slice(0, count)

    def _parameter(self, name: str, kind: pa.DataType, rows: DecodedRows) -> pa.Array:
        known, valid = Common(rows.batch.parameters, bool(rows.batch.little)), rows.has_head
        if valid is None:
            return self._constant(name, kind, known, len(rows.chosen))
        (value,) = self._constant(name, kind, known, 1)
        return pa.repeat(value, len(valid)).take(numbers(pa.int32(), np.zeros(len(valid), np.int32), valid, None))

    def _constant(self, name: str, kind: pa.DataType, known: "Common", count: int) -> pa.Array:
        value = known.parameters[name]
        if name == self.byte_order:
            return repeated(kind, _ORDERS[known.little], count)
        if isinstance(value, int):
            return numbers(kind, np.full(count, value), None, None)
        return repeated(kind, str(value), count)


class Common(NamedTuple):
    """The facts about all records of a batch: the parameters of their capture, and their byte order."""

    parameters: Mapping[str, Any]
    little: bool


class Viewed(NamedTuple):
    """The columns of some rows, and the numbers of their records."""

    view: ViewedColumns
    columns: list[pa.Array]
    rows: Array

    @property
    def weight(self) -> int:
        """The bytes of the columns."""
        return sum(map(weight_of, self.columns))

    @property
    def batch(self) -> Numbered:
        """As a batch."""
        return pa.RecordBatch.from_arrays(self.columns, schema=self.view.schema), self.rows


def together(decoded: Sequence[Viewed], redone: Sequence[Viewed]) -> Iterator[Numbered]:
    """The batches of the records decoded in bulk and of those that the codec decoded, by view and record."""
    parts: dict[ViewedColumns, list[Numbered]] = {}
    for each in decoded:
        _add(parts.setdefault(each.view, []), each.batch)
    others: dict[ViewedColumns, list[Viewed]] = {}
    for each in redone:
        others.setdefault(each.view, []).append(each)
    for view, some in others.items():
        _add(parts.setdefault(view, []), _joined(some).batch)
    for batches in parts.values():
        yield from batches


def _add(batches: list[Numbered], more: Numbered) -> None:
    """Put more rows among those of batches, by their numbers."""
    if not batches:
        batches.append(more)
        return
    before, batches[:] = batches[:], []
    starts = [int(numbers[0]) for _, numbers in before[1:]]
    at = 0
    for each, end in zip(before, [*np.searchsorted(more[1], starts).tolist(), len(more[1])], strict=True):
        batches += both(each, (more[0].slice(at, end - at), more[1][at:end])) if end > at else [each]
        at = end


def _joined(parts: Sequence[Viewed]) -> Viewed:
    """The rows of several, all of the same view."""
    if len(parts) == 1:
        return parts[0]
    columns = [pa.concat_arrays(column) for column in zip(*(part.columns for part in parts), strict=True)]
    return Viewed(parts[0].view, columns, np.concatenate([part.rows for part in parts]))
