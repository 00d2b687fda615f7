"""Spark schemas of views, and the check that a user's schema is part of one."""

import json
from collections.abc import Iterable
from functools import cache

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, DataType, DecimalType, LongType, StringType, StructField, StructType

from wireloom import registry
from wireloom.codec import Column, ListOf, StructOf
from wireloom.codec.columns import ColumnType, decimal_size
from wireloom.codec.protocol import POSITIONS
from wireloom.options import OptionError, ReadOptions, unknown
from wireloom.views import FILE, RECORD, View

_ADDED = {
    FILE.name: StructField(FILE.name, StringType()),
    **{column.name: StructField(column.name, LongType()) for column in POSITIONS},
}


def spark_schema(protocol: str, options: ReadOptions) -> StructType:
    """The schema of the view that ``options`` ask for, comments included."""
    module = registry.load(protocol)
    offered: StructType = module.spark_schema
    fields = {field.name: field for field in offered}
    if options.message is not None:
        message = offered[options.message].dataType
        assert isinstance(message, StructType)
        fields |= {field.name: field for field in message}
    fields[options.corrupt_column] = fields[RECORD.name]
    return _cut(View(module.PROTOCOL, options).columns, fields | _ADDED)


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
    return offered


def arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that Spark expects for a schema of its own."""
    return _arrow(schema.json())


@cache
def _arrow(schema: str) -> pa.Schema:  # it takes half a millisecond, and is asked for by batch and by file
    return to_arrow_schema(StructType.fromJson(json.loads(schema)), timezone="UTC")


def must_offer(offered: StructType, requested: StructType, path: str = "") -> None:
    """Raises ``OptionError`` naming a ``requested`` column that does not exist."""
    fields = {field.name: field for field in offered}
    for field in requested:
        where = f"{path}{field.name}"
        if field.name not in fields:
            raise OptionError(unknown("column", where, (f"{path}{name}" for name in fields)))
        if not field.nullable:
            raise OptionError(f"column {where} must be nullable: a malformed record has no values")
        _must_offer_type(fields[field.name].dataType, field.dataType, where)


def _must_offer_type(offered: DataType, requested: DataType, where: str) -> None:
    match offered, requested:
        case StructType(), StructType():
            must_offer(offered, requested, f"{where}.")
        case ArrayType(), ArrayType():
            _must_offer_type(offered.elementType, requested.elementType, f"{where}[]")
        case _ if offered != requested:
            raise OptionError(f"column {where} is {offered.simpleString()}, not {requested.simpleString()}")
