"""Columns of single records: ``from_wire`` decodes binary ones, ``to_wire`` encodes structs.

A Kafka topic's ``value`` is such a column. The functions handed to Spark hold names and options only, and import the
generated modules where they run.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import BinaryType, StructType

from wireloom import registry
from wireloom.codec import DecodeError, EncodeError
from wireloom.options import Mode, OptionError, ReadOptions
from wireloom.spark.schemas import spark_schema
from wireloom.views import Row, View, nested


def from_wire(col: Column | str, protocol: str, **options: object) -> Column:
    """A struct column of the records in the binary column ``col``, one record a value.

    ``options`` are ``mode``, ``message``, ``labels`` and the protocol's parameters. Mode ``FAILFAST``, the default,
    fails the query at a malformed record; ``PERMISSIVE`` gives it ``_corrupt_record`` and ``_corrupt_reason``. Null
    stays null, as does any other message than ``message``.
    """
    chosen = _options(protocol, options)
    schema = spark_schema(protocol, chosen)

    def decode(values: pa.Array) -> pa.Array:
        return _decoded(values, protocol, chosen, schema)

    decode.__name__ = "from_wire"  # what the column is called
    column: Column = arrow_udf(decode, returnType=schema)(col)
    return column


def _options(protocol: str, given: Mapping[str, object]) -> ReadOptions:
    found = registry.protocol(protocol)
    options = ReadOptions.of(given, found.parameters, found.messages, Mode.FAILFAST)
    if options.mode is Mode.DROPMALFORMED:
        raise OptionError("mode is PERMISSIVE or FAILFAST: a column cannot drop rows")
    if options.positions:
        raise OptionError("a value of a column has no position")
    return options


def _decoded(values: pa.Array, protocol: str, options: ReadOptions, schema: StructType) -> pa.Array:
    view = View(registry.protocol(protocol), options)
    rows = [None if value is None else _row(value, view) for value in values.to_pylist()]
    return pa.array(rows, to_arrow_type(schema, timezone="UTC"))


def _row(value: bytes, view: View) -> Row | None:
    try:
        row: Row = view.protocol.parse(value, **view.options.parameters)
    except DecodeError as error:
        if view.options.mode is Mode.FAILFAST:
            raise
        row = {"message": None, "_corrupt_record": value, "_corrupt_reason": error.reason}
    return next(view.of([row], ""), None)


def to_wire(col: Column | str, protocol: str, **options: object) -> Column:
    """A binary column of the records in the struct column ``col``, which has columns as ``from_wire`` gives them.

    ``options`` are ``mode`` and the protocol's parameters. Mode ``FAILFAST``, the default, fails the query at a struct
    that cannot be written; ``PERMISSIVE`` gives null. Derived fields may be left out, and null stays null.
    """
    chosen = _options(protocol, options)

    def encode(values: pa.Array) -> pa.Array:
        return pa.array([_record(row, protocol, chosen) for row in values.to_pylist()], pa.binary())

    encode.__name__ = "to_wire"
    column: Column = arrow_udf(encode, returnType=BinaryType())(col)
    return column


def _record(row: Row | None, protocol: str, options: ReadOptions) -> bytes | None:
    if row is None:
        return None
    found = registry.protocol(protocol)
    try:
        return found.build(nested(found, _with_integers(row)), **options.parameters)
    except EncodeError:
        if options.mode is Mode.FAILFAST:
            raise
        return None


def _with_integers(value: Any) -> Any:
    """The value with integers where Arrow has decimals without a fraction."""
    match value:
        case Decimal():
            return int(value)
        case dict():
            return {name: _with_integers(item) for name, item in value.items()}
        case list():
            return [_with_integers(item) for item in value]
    return value
