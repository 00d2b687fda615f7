"""Spark schemas of views, and the part of a view that a user's schema selects."""

import json
from collections.abc import Iterable
from functools import cache

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    IntegralType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from wireloom import registry
from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import NANOSECOND_TIME, ColumnType, decimal_size
from wireloom.codec.protocol import POSITIONS, PROVENANCE
from wireloom.options import OptionError, ReadOptions, unknown
from wireloom.spark.names import Resolver
from wireloom.spark.versions import to_arrow_schema
from wireloom.views import FILE, RECORD, View

_TYPES = {NANOSECOND_TIME: TimestampType(), "string": StringType(), "boolean": BooleanType(), "long": LongType()}
_ADDED = {
    FILE.name: StructField(FILE.name, StringType()),
    **{column.name: StructField(column.name, LongType()) for column in POSITIONS},
    **{column.name: StructField(column.name, _TYPES[str(column.type)]) for column in PROVENANCE},
}


def spark_schema(protocol: str, options: ReadOptions) -> StructType:
    """The schema of the view that ``options`` select, with comments."""
    module = registry.load(protocol)
    offered: StructType = module.spark_schema
    fields = {field.name: field for field in offered}
    if options.message is not None:
        message = offered[options.message].dataType
        assert isinstance(message, StructType)
        fields |= {field.name: field for field in message}
    fields[options.corrupt_column] = fields[RECORD.name]
    return _cut(View(module.PROTOCOL, options).columns, fields | _ADDED)


def named_columns(
    protocol: str, options: ReadOptions, resolver: Resolver, added: Iterable[StructField] = ()
) -> tuple[str, ...] | None:
    """The columns that ``options`` name, with the names that the protocol's columns have, or those ``added``."""
    if options.columns is None:
        return None
    every = StructType([*spark_schema(protocol, options._replace(columns=None)), *added])
    return tuple(resolver.path(path, every) for path in options.columns)


def _cut(columns: Iterable[Column], fields: dict[str, StructField]) -> StructType:
    """The fields that ``columns`` name, in their order."""
    return StructType(
        [
            StructField(column.name, _cut_type(column.type, field.dataType), field.nullable, field.metadata)
            for column in columns
            for field in (fields[column.name],)
        ]
    )


def _cut_type(kind: ColumnType, offered: DataType) -> DataType:
    match kind, offered:
        case StructOf(columns), StructType():
            return _cut(columns, {field.name: field for field in offered})
        case ListOf(element), ArrayType():
            return ArrayType(_cut_type(element, offered.elementType), offered.containsNull)
        case str(), LongType() if (size := decimal_size(kind)) is not None:
            return DecimalType(*size)
        case "long", DecimalType():
            return LongType()
    return offered


def arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that Spark expects for a schema of its own."""
    return _arrow(schema.json())


@cache
def _arrow(schema: str) -> pa.Schema:  # takes half a millisecond, and is needed per batch and file
    return to_arrow_schema(StructType.fromJson(json.loads(schema)))


def decoded(offered: StructType, requested: StructType, path: str = "") -> StructType:
    """The ``requested`` columns with the types that they are ``offered`` with, which are the same or narrower.

    Raises ``OptionError`` naming a column that does not exist, or is of a type that its values may not have.
    """
    fields = {field.name: field for field in offered}
    for field in requested:
        where = f"{path}{field.name}"
        if field.name not in fields:
            raise OptionError(unknown("column", where, (f"{path}{name}" for name in fields)))
        if not field.nullable:
            raise OptionError(f"column {where} must be nullable, because a malformed record has no values")
    return StructType(
        [
            StructField(field.name, _decoded_type(fields[field.name].dataType, field.dataType, f"{path}{field.name}"))
            for field in requested
        ]
    )


def _decoded_type(offered: DataType, requested: DataType, where: str) -> DataType:
    match offered, requested:
        case StructType(), StructType():
            return decoded(offered, requested, f"{where}.")
        case ArrayType(), ArrayType():
            return ArrayType(_decoded_type(offered.elementType, requested.elementType, f"{where}[]"))
    if offered == requested or _holds(requested, offered):
        return offered
    raise OptionError(f"column {where} is {offered.simpleString()}, not {requested.simpleString()}")


def _holds(wide: DataType, narrow: DataType) -> bool:
    """Whether each value of the narrow type is also one of the wide type."""
    match wide, narrow:
        case IntegralType(), IntegralType():
            return _DIGITS[type(wide)] > _DIGITS[type(narrow)]
        case DecimalType(), DecimalType():
            return wide.scale >= narrow.scale and wide.precision - wide.scale >= narrow.precision - narrow.scale
        case DecimalType(), IntegralType():
            return wide.precision - wide.scale >= _DIGITS[type(narrow)]
        case DoubleType(), ByteType() | ShortType() | IntegerType() | FloatType():
            return True
    return isinstance(wide, FloatType) and isinstance(narrow, (ByteType, ShortType))


_DIGITS: dict[type, int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}
