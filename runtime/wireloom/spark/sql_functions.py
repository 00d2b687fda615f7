"""SQL functions of a protocol: ``from_<protocol>``, ``from_<protocol>_many`` and ``to_<protocol>``.

They are the column functions for ``spark.sql`` and ``selectExpr``. Options are a second argument, such as
``map('mode', 'PERMISSIVE')``. SQL knows what a function returns before it knows the options, so a function returns the
protocol's whole row.
"""

from collections.abc import Iterator
from functools import cache

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, DataType, StructType

from wireloom.options import OptionError, ReadOptions
from wireloom.spark.functions import Batchwise, brief, decoded, encoded, reading, returned, writing
from wireloom.spark.schemas import spark_schema
from wireloom.spark.versions import arrow_function

SPARKS = frozenset(
    {
        "avro", "base32", "binary", "char", "csv", "date", "json", "number", "protobuf", "time", "timestamp",
        "timestamp_ltz", "timestamp_ntz", "unix_timestamp", "unixtime", "utc_timestamp", "varchar",
        "variant_object", "xml",
    }
)  # fmt: skip
"""What Spark itself has functions from or to."""

_Options = tuple[tuple[str, str], ...]


def install(spark: SparkSession, protocol: str, name: str) -> None:
    """Let the session's SQL call the functions of a protocol by the ``name`` of its format."""
    for function, made, kind in _functions(protocol, name):
        made.__name__ = function
        spark.udf.register(function, arrow_function(made, kind))


def _functions(protocol: str, name: str) -> Iterator[tuple[str, Batchwise, DataType]]:
    """Name, function and type of what it returns."""
    for function, many in ((f"from_{name}", False), (f"from_{name}_many", True)):
        schema = spark_schema(protocol, reading(protocol, {}, many=many))
        yield function, _decoder(protocol, function, schema, many=many), returned(schema, many=many)
    yield f"to_{name}", _encoder(protocol), BinaryType()


def _decoder(protocol: str, function: str, schema: StructType, *, many: bool) -> Batchwise:
    def decode(values: pa.Array, *options: pa.Array) -> pa.Array:
        chosen = _reading(protocol, function, _of_all_rows(options), many=many)
        return decoded(values, protocol, chosen, schema, many=many)

    return brief(decode)


def _encoder(protocol: str) -> Batchwise:
    def encode(values: pa.Array, *options: pa.Array) -> pa.Array:
        return encoded(values, protocol, writing(protocol, dict(_of_all_rows(options))))

    return brief(encode)


@cache
def _reading(protocol: str, function: str, given: _Options, *, many: bool) -> ReadOptions:
    """The options of a function; those that change what it returns are an error."""
    chosen = reading(protocol, dict(given), many=many)
    if spark_schema(protocol, chosen) != spark_schema(protocol, reading(protocol, {}, many=many)):
        raise OptionError(
            f"{function} returns whole rows in SQL, which {', '.join(name for name, _ in given)} would change; "
            f"wireloom.spark.from_wire{'_many' * many}(col, {protocol!r}, {dict(given)}) can"
        )
    return chosen


def _of_all_rows(options: tuple[pa.Array, ...]) -> _Options:
    """The options that a call gives for every row, if any. Raises ``OptionError``."""
    if not options:
        return ()
    (maps, *more) = options
    if more or not pa.types.is_map(maps.type):
        raise OptionError("options are one map, such as map('mode', 'PERMISSIVE')")
    if not len(maps):
        return ()
    if not maps.equals(maps.take(pa.array([0] * len(maps)))):
        raise OptionError("options are the same for all rows, such as map('mode', 'PERMISSIVE')")
    return tuple((name, str(value)) for name, value in maps[0].as_py() or ())
