"""SQL functions of a protocol: ``from_<protocol>``, ``from_<protocol>_many`` and ``to_<protocol>``.

They are the column functions for ``spark.sql`` and ``selectExpr``. Options are a second argument, such as
``map('mode', 'PERMISSIVE')``. SQL knows what a function returns before it knows the options, so a function returns the
protocol's whole row.
"""

from collections.abc import Iterator
from functools import cache

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, DataType

from wireloom.options import OptionError
from wireloom.spark.functions import Batchwise, Decoding, Encoding, column_function
from wireloom.spark.names import ANY_CASE, Resolver

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
    for function, made, kind in _functions(protocol, name, resolver=Resolver.of(spark)):
        spark.udf.register(function, column_function(made, kind, function))


def _functions(protocol: str, name: str, *, resolver: Resolver = ANY_CASE) -> Iterator[tuple[str, Batchwise, DataType]]:
    """Name, function and result type of each."""
    for function, many in ((f"from_{name}", False), (f"from_{name}_many", True)):
        whole = Decoding.of(protocol, {}, many=many)
        yield function, _decoder(protocol, function, many=many), whole.returned
    yield f"to_{name}", _encoder(protocol, resolver=resolver), BinaryType()


def _decoder(protocol: str, function: str, *, many: bool) -> Batchwise:
    def decode(values: pa.Array, *options: pa.Array) -> pa.Array:
        return _decoding(protocol, function, _of_all_rows(options), many=many)(values)

    return decode


def _encoder(protocol: str, *, resolver: Resolver) -> Batchwise:
    def encode(values: pa.Array, *options: pa.Array) -> pa.Array:
        return _encoding(protocol, _of_all_rows(options), resolver=resolver)(values)

    return encode


@cache
def _decoding(protocol: str, function: str, given: _Options, *, many: bool) -> Decoding:
    """The decoding of a function with these options; those that change its result type are an error."""
    found = Decoding.of(protocol, dict(given), many=many)
    if found.schema != Decoding.of(protocol, {}, many=many).schema:
        raise OptionError(
            f"{function} returns whole rows in SQL, which {', '.join(name for name, _ in given)} would change; "
            f"wireloom.spark.from_wire{'_many' * many}(col, {protocol!r}, {dict(given)}) can"
        )
    return found


@cache
def _encoding(protocol: str, given: _Options, *, resolver: Resolver) -> Encoding:
    """What ``to_<protocol>`` does with these options."""
    return Encoding.of(protocol, dict(given), resolver)


def _of_all_rows(options: tuple[pa.Array, ...]) -> _Options:
    """The options that a call gives for every row, if any. Raises ``OptionError``."""
    if not options:
        return ()
    (maps, *more) = options
    if more or not pa.types.is_map(maps.type):
        raise OptionError("options must be one map, such as map('mode', 'PERMISSIVE')")
    if not len(maps):
        return ()
    if not maps.equals(maps.take(pa.array([0] * len(maps)))):
        raise OptionError("options must be the same for all rows, such as map('mode', 'PERMISSIVE')")
    return tuple((name, str(value)) for name, value in maps[0].as_py() or ())
