"""Tables for their consumers: with the Arrow types that each of them keeps exactly."""

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from wireloom.buffers import dictionary, nulls, values_of
from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import NANOSECOND_TIME, ColumnType, decimal_size
from wireloom.columnar.provenance import fitting
from wireloom.columnar.python_values import UUID_BYTES
from wireloom.consumer_types import BINARY, DICTIONARY, UUID, item_type, type_name
from wireloom.options import TableTypes

_TIMES = {f"timestamp[{unit}, tz=UTC]": pa.timestamp(unit, tz="UTC") for unit in ("us", "ns")}


def arrow_type(column: Column, types: TableTypes) -> pa.DataType:
    """The type that a column has for a consumer."""
    return _type(column.type, column, types)


def _type(kind: ColumnType, column: Column, types: TableTypes) -> pa.DataType:
    """The type of a column, or of the items of one that is a list, of that kind."""
    match kind:
        case StructOf(columns):
            return pa.struct([pa.field(each.name, arrow_type(each, types)) for each in columns])
        case ListOf(element):
            return pa.list_(_type(element, column, types))
    name = type_name(column, types)
    if name == UUID:
        return pa.uuid()
    if name == DICTIONARY:
        return pa.dictionary(_index(len(column.texts)), pa.string())
    if name.startswith(BINARY):
        return pa.binary(column.size)
    size = decimal_size(kind)
    if size and name.startswith("decimal"):
        return pa.decimal128(*size)
    return _TIMES.get(name) or pa.type_for_alias(name)


def _index(count: int) -> pa.DataType:
    """The type of indexes into a dictionary of so many texts."""
    return next(kind for kind in (pa.int8(), pa.int16(), pa.int32()) if count <= 1 << kind.bit_width - 1)


def _decoded(kind: pa.DataType, column: Column) -> pa.DataType:
    """The type as which programs write what a consumer gets as ``kind``."""
    meant = item_type(column.type)
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_decoded(kind.value_type, column)))
    if isinstance(meant, StructOf):
        known = {each.name: each for each in meant.columns}
        return pa.struct([field.with_type(_decoded(field.type, known[field.name])) for field in kind])
    if meant == "interval day to second":
        return pa.duration("us")
    if meant == NANOSECOND_TIME:
        return pa.timestamp("ns", tz="UTC")
    return UUID_BYTES if kind == pa.uuid() else kind


class Consumer:
    """Gives batches of some ``columns`` the types of a consumer, and dictionaries the same texts in every batch.

    ``schema`` is that of the columns, or of a part of them, for the consumer. Batches are ``decoded`` with another one,
    if it has types that programs do not write.
    """

    def __init__(self, columns: Iterable[Column], schema: pa.Schema) -> None:
        self.schema = schema
        known = {each.name: each for each in columns}
        self.columns = [known[name] for name in self.schema.names]
        self.changed: list[int] = []
        """The columns that are not given as they are decoded, by their numbers."""
        decoded = []
        for at, (field, column) in enumerate(zip(self.schema, self.columns, strict=True)):
            kind = _decoded(field.type, column)
            is_same = kind.equals(field.type)
            decoded.append(field if is_same else field.with_type(kind))
            if not is_same or _has_dictionary(kind):
                self.changed.append(at)
        self.decoded = pa.schema(decoded)
        self.absent: dict[int, pa.Array] = {}

    def given(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A decoded batch as the consumer gets it."""
        if not self.changed:
            return batch
        arrays = batch.columns
        for at in self.changed:
            is_absent = arrays[at].null_count == len(batch)
            arrays[at] = self._nulls(at, len(batch)) if is_absent else self._changed(at, arrays[at])
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _nulls(self, at: int, count: int) -> pa.Array:
        """A column without values, as those of messages that do not occur are, shared with the batches before."""
        known = self.absent.get(at)
        if known is None or len(known) < count:
            known = self._changed(at, nulls(self.decoded.field(at).type, 1 << count.bit_length()))
            self.absent[at] = known  # which another thread may replace by a shorter one
        return known.slice(0, count)

    def _changed(self, at: int, array: pa.Array) -> pa.Array:
        return _given(array, self.schema.field(at).type, self.columns[at])


def _given(array: pa.Array, kind: pa.DataType, column: Column) -> pa.Array:
    """An array of a column, or of the items of one that is a list, as the consumer gets it: as ``kind``."""
    if array.offset:
        array = pa.concat_arrays([array])
    meant = item_type(column.type)
    if pa.types.is_list(kind):
        return _around(array, kind, [_given(array.values, kind.value_type, column)])
    if isinstance(meant, StructOf):
        known = {each.name: each for each in meant.columns}
        return _around(array, kind, [_given(array.field(at), *_of(field, known)) for at, field in enumerate(kind)])
    if pa.types.is_dictionary(kind):
        return _indexed(array, column)
    if array.type.equals(kind):
        return array
    if kind == pa.uuid():
        return pa.ExtensionArray.from_storage(kind, array)
    return array.view(kind) if meant == "interval day to second" else fitting(array, kind)


def _of(field: pa.Field, known: Mapping[str, Column]) -> tuple[pa.DataType, Column]:
    return field.type, known[field.name]


def _has_dictionary(kind: pa.DataType) -> bool:
    """Whether a type is a dictionary, or has some in it."""
    return pa.types.is_dictionary(kind) or any(_has_dictionary(kind.field(at).type) for at in range(kind.num_fields))


def _around(array: pa.Array, kind: pa.DataType, children: Sequence[pa.Array]) -> pa.Array:
    """Structs or lists, which begin at the beginning of their buffers, with other values in them."""
    own = array.buffers()[: 2 if pa.types.is_list(kind) else 1]
    return pa.Array.from_buffers(kind, len(array), own, array.null_count, children=children)


def _indexed(array: pa.Array, column: Column) -> pa.Array:
    """A dictionary with all texts of its column. Raises ``ValueError`` for one that the column cannot have."""
    indexes, whole = array.indices, values_of(column.texts)
    if not array.dictionary.equals(whole):
        if not len(array.dictionary):  # of which all is null, or in structs that are
            return dictionary(nulls(indexes.type, len(array)), column.texts)
        from pyarrow import compute  # which most tables do not need

        places = compute.index_in(array.dictionary, value_set=whole)
        if places.null_count:
            text = array.dictionary.filter(places.is_null())[0].as_py()
            raise ValueError(f"{column.name}: {text!r} is none of the labels that this column can have")
        indexes = places.take(indexes).cast(indexes.type)
    return dictionary(indexes, column.texts)
