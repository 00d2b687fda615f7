"""Columns of records: ``from_wire`` and ``from_wire_many`` decode binary ones, ``to_wire`` encodes structs.

A Kafka topic's ``value`` is such a column. The functions given to Spark hold only names and options. They import the
generated modules where they run.
"""

from collections.abc import Callable, Mapping

import pyarrow as pa
from pyspark.sql import Column, SparkSession
from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import ArrayType, BinaryType

from wireloom import registry
from wireloom.codec import EncodeError, Protocol
from wireloom.columnar import cells
from wireloom.columnar.decoder import Decoder
from wireloom.options import Mode, OptionError, ReadOptions
from wireloom.spark import dataframes
from wireloom.spark.schemas import arrow_schema, spark_schema
from wireloom.spark.workers import provide
from wireloom.views import Row, nested


def from_wire(col: Column | str, protocol: str, **options: object) -> Column:
    """A struct column of the records in the binary column ``col``, one record a value.

    ``options`` are ``mode``, ``message``, ``columns``, ``labels``, ``columnNameOfCorruptRecord`` and the protocol's
    parameters. Mode ``FAILFAST``, the default, fails the query at a malformed record; ``PERMISSIVE`` gives it
    ``_corrupt_record`` and ``_corrupt_reason``. Null stays null, as does any other message than ``message``.
    """
    chosen = _options(protocol, options)
    if "maxrecordbytes" in map(str.lower, options):
        raise OptionError("a value is one record, however long; maxRecordBytes is for from_wire_many")
    if chosen.mode is Mode.DROPMALFORMED:
        raise OptionError("mode is PERMISSIVE or FAILFAST: a column cannot drop rows")
    return _decoding(cells.one, col, protocol, chosen, "from_wire")


def from_wire_many(col: Column | str, protocol: str, **options: object) -> Column:
    """A column of arrays of structs: the consecutive records in each value of ``col``.

    As ``from_wire``; in mode ``DROPMALFORMED`` malformed records are left out of the array, and so are other messages
    than ``message``.
    """
    return _decoding(cells.many, col, protocol, _options(protocol, options), "from_wire_many")


def _options(protocol: str, given: Mapping[str, object]) -> ReadOptions:
    found = registry.protocol(protocol)
    options = ReadOptions.of(given, found.parameters, found.messages, Mode.FAILFAST)
    if options.positions:
        raise OptionError("a value of a column has no position")
    return options


def _decoding(
    decode: Callable[[Decoder, pa.Array], pa.Array], col: Column | str, protocol: str, options: ReadOptions, name: str
) -> Column:
    """The column that ``decode`` makes of ``col``, called ``name``."""
    schema = spark_schema(protocol, options)
    kind = schema if decode is cells.one else ArrayType(schema)

    def decoded(values: pa.Array) -> pa.Array:
        arrow = arrow_schema(schema)
        codec = registry.protocol(protocol)
        found = decode(Decoder(codec, options, arrow), values)
        return found if decode is cells.one else found.cast(to_arrow_type(kind, timezone="UTC"))

    decoded.__name__ = name  # what the column is called
    provide(SparkSession.getActiveSession())
    column: Column = arrow_udf(decoded, returnType=kind)(col)
    return column


def to_wire(col: Column | str, protocol: str, **options: object) -> Column:
    """A binary column of the records in the struct column ``col``, which has columns as ``from_wire`` gives them.

    ``options`` are ``mode`` and the protocol's parameters. Mode ``FAILFAST``, the default, fails the query at a struct
    that cannot be written; ``PERMISSIVE`` gives null. Derived fields may be left out, and null stays null.
    """
    chosen = _options(protocol, options)

    def encode(values: pa.Array) -> pa.Array:
        found = registry.protocol(protocol)
        return pa.array([_record(row, found, chosen) for row in dataframes.values(values)], pa.binary())

    encode.__name__ = "to_wire"
    provide(SparkSession.getActiveSession())
    column: Column = arrow_udf(encode, returnType=BinaryType())(col)
    return column


def _record(row: Row | None, protocol: Protocol, options: ReadOptions) -> bytes | None:
    if row is None:
        return None
    try:
        return protocol.build(nested(protocol, row), **options.parameters)
    except EncodeError:
        if options.mode is Mode.FAILFAST:
            raise
        return None
