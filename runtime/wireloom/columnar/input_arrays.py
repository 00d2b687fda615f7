"""Columns that other programs made, as readers here have them."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom.backends.numpy.meanings import texts_of
from wireloom.buffers import array, as_arrow, as_numpy, ends_of, lists, valid_of
from wireloom.codec.meanings import UuidMeaning
from wireloom.columnar.python_values import LISTS, lengths_of

_UNKNOWN = pa.null()
"""The type of a column that readers do not have."""


def own(batch: pa.RecordBatch, known: Mapping[str, pa.DataType]) -> pa.RecordBatch:
    """The same rows, with values as readers have them; ``known`` are the types of their columns.

    Dictionaries, runs, views and large types are decoded, whole numbers and times get the type of the reader. A column
    that would lose something by that stays as it is. Raises ``pa.ArrowInvalid`` for a column that leads out of its
    memory, as unchecked files may have.
    """
    names = batch.schema.names
    columns = [_own(column, known.get(name, _UNKNOWN)) for name, column in zip(names, batch.columns, strict=True)]
    if all(one is other for one, other in zip(columns, batch.columns, strict=True)):
        return batch
    return pa.RecordBatch.from_arrays(columns, names)


def unpacked_size(column: pa.Array) -> int:
    """How many bytes a row of a column takes at most by its values in dictionaries and runs, once these are decoded."""
    kind, types = column.type, pa.types
    if types.is_struct(kind):
        return sum(unpacked_size(column.field(place)) for place in range(kind.num_fields))
    if not (types.is_dictionary(kind) or types.is_run_end_encoded(kind)):
        return 0
    values = column.dictionary if types.is_dictionary(kind) else column.values
    if not any(is_one(values.type) for is_one in _SIZED):
        return 0
    return int(as_numpy(pc.binary_length(values)).max(initial=0))


_SIZED = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)


def _own(column: pa.Array, known: pa.DataType) -> pa.Array:
    if column.null_count == len(column):
        kind = _simple(column.type)
        return column if kind.equals(column.type) else pa.nulls(len(column), kind)
    column.validate()
    _must_be_sound(column)
    return _converted(column, known)


def _converted(column: pa.Array, known: pa.DataType) -> pa.Array:
    """The values of a column, at every depth. What cannot be converted without a loss is the same array."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        return _converted(column.dictionary, known).take(column.indices)
    if types.is_run_end_encoded(kind):
        rows = np.arange(column.offset, column.offset + len(column))
        runs = np.searchsorted(as_numpy(column.run_ends), rows, side="right")
        return _converted(column.values, known).take(as_arrow(runs))
    if kind == pa.uuid():
        return _spelled(column.storage) if types.is_string(known) else column.storage.cast(pa.binary())
    if types.is_struct(kind):
        return _converted_struct(column, known)
    if any(is_one(kind) for is_one in LISTS):
        return _converted_list(column, known.value_type if types.is_list(known) else _UNKNOWN)
    if kind == pa.month_day_nano_interval() and types.is_duration(known):
        return _durations(column)
    wanted = _wanted(kind, known)
    if wanted.equals(kind) or (_is_long(kind, known) and (as_numpy(column) >= 0).all()):
        return column
    try:
        return column.cast(wanted)
    except pa.ArrowInvalid:  # a number or time that does not fit, for the codec to refuse
        return column


def _spelled(octets: pa.Array) -> pa.Array:
    """The texts of UUIDs, which are bytes of a fixed size."""
    size = octets.type.byte_width
    held = np.frombuffer(octets.buffers()[1], f"V{size}", len(octets), size * octets.offset)
    texts = texts_of(UuidMeaning(), held)
    return array(pa.string(), len(octets), valid_of(octets), *texts.buffers()[1:])


_INTERVAL = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_MOST_DAYS = 100_000_000
"""So many days, and any nanoseconds, are a duration in microseconds."""


def _durations(intervals: pa.Array) -> pa.Array:
    """Intervals, as DuckDB makes of durations, as such; the same array if some have months, or are finer or longer."""
    found = np.frombuffer(intervals.buffers()[1], _INTERVAL, len(intervals), _INTERVAL.itemsize * intervals.offset)
    there, days = valid_of(intervals), found["days"].astype(np.int64)
    fits = (found["months"] == 0) & (abs(days) <= _MOST_DAYS) & (found["nanoseconds"] % 1000 == 0)
    if not (fits | ~there).all():
        return intervals
    microseconds = np.where(there, days * 86_400_000_000 + found["nanoseconds"] // 1000, 0)
    return array(pa.duration("us"), len(intervals), there, microseconds)


def _converted_struct(column: pa.Array, known: pa.DataType) -> pa.Array:
    inside = {field.name: field.type for field in known} if pa.types.is_struct(known) else {}
    given = [column.field(place) for place in range(column.type.num_fields)]
    fields = [
        _converted(each, inside.get(field.name, _UNKNOWN)) for field, each in zip(column.type, given, strict=True)
    ]
    if all(one.type.equals(other.type) for one, other in zip(fields, given, strict=True)):
        return column
    named = [field.with_type(each.type) for field, each in zip(column.type, fields, strict=True)]
    return pa.StructArray.from_arrays(fields, fields=named, mask=column.is_null() if column.null_count else None)


def _converted_list(column: pa.Array, known: pa.DataType) -> pa.Array:
    given = column.flatten()
    items = _converted(given, known)
    if pa.types.is_list(column.type) and items.type.equals(given.type):
        return column
    kind = pa.list_(column.type.value_field.with_type(items.type))
    return lists(kind, lengths_of(column), items, valid_of(column), None)


def _wanted(kind: pa.DataType, known: pa.DataType) -> pa.DataType:
    """The type that readers have for values of a type without others in it."""
    types = pa.types
    if types.is_null(kind) or (_is_whole(kind) and _is_whole(known)):
        return known
    if types.is_timestamp(known) and types.is_timestamp(kind) and kind.tz:
        return known  # whose numbers are those of UTC, as those of any zone are
    if types.is_duration(known) and (types.is_duration(kind) or kind == pa.int64()):
        return known
    return _simple(kind)


def _is_whole(kind: pa.DataType) -> bool:
    """Whether it is a type of whole numbers."""
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))


def _is_long(kind: pa.DataType, known: pa.DataType) -> bool:
    """Whether these are unsigned numbers as longs, which are as good if none is negative."""
    return bool(kind == pa.int64() and pa.types.is_decimal(known))


def _simple(kind: pa.DataType) -> pa.DataType:
    """The type with the same values that readers have for texts and bytes, at every depth."""
    types = pa.types
    if types.is_struct(kind):
        return pa.struct([field.with_type(_simple(field.type)) for field in kind])
    if any(is_one(kind) for is_one in LISTS):
        return pa.list_(kind.value_field.with_type(_simple(kind.value_type)))
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _simple(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if kind == pa.uuid():
        return pa.string()
    if types.is_large_binary(kind) or types.is_binary_view(kind) or types.is_fixed_size_binary(kind):
        return pa.binary()
    return kind


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
        if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):  # UTF-8 is the codec's affair
            column = column.view(pa.large_binary() if pa.types.is_large_string(kind) else pa.binary_view())
        column.validate(full=True)
