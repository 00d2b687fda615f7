"""Columns that other programs made, as readers here have them."""

from functools import lru_cache

import pyarrow as pa

from wireloom.columnar.buffers import ends_of


def own(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows, with texts, bytes and lists as readers have them: dictionaries, views, and large ones are cast.

    Raises ``pa.ArrowInvalid`` for a column that leads out of its memory, as files have them that nobody has checked.
    """
    columns = [_own(column) for column in batch.columns]
    if all(one is other for one, other in zip(columns, batch.columns, strict=True)):
        return batch
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _own(column: pa.Array) -> pa.Array:
    kind = _own_type(column.type)
    if column.null_count < len(column):
        column.validate()
        _must_be_sound(column)
        return column if kind.equals(column.type) else column.cast(kind)
    return column if kind.equals(column.type) else pa.nulls(len(column), kind)


def _must_be_sound(column: pa.Array) -> None:
    """The offsets of a column must ascend, of which its ends are known to be in memory."""
    kind = column.type
    if column.null_count == len(column):
        return
    if pa.types.is_struct(kind):
        for place in range(kind.num_fields):
            _must_be_sound(column.field(place))
    elif kind in (pa.string(), pa.binary()) or pa.types.is_list(kind):
        ends = ends_of(column)
        if (ends[1:] < ends[:-1]).any():
            raise pa.ArrowInvalid(f"a column of type {kind} with offsets that do not ascend")
        if pa.types.is_list(kind):
            _must_be_sound(column.flatten())
    elif not (pa.types.is_primitive(kind) or pa.types.is_decimal(kind)):
        column.validate(full=True)


@lru_cache
def _own_type(kind: pa.DataType) -> pa.DataType:
    """The type that readers have for such values."""
    types = pa.types
    if types.is_dictionary(kind):
        return _own_type(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_large_binary(kind) or types.is_binary_view(kind) or types.is_fixed_size_binary(kind):
        return pa.binary()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field.with_type(_own_type(kind.value_type)))
    if types.is_struct(kind):
        return pa.struct([field.with_type(_own_type(field.type)) for field in kind])
    return kind
