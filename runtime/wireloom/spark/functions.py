"""Columns of records: ``from_wire`` and ``from_wire_many`` decode binary ones, ``to_wire`` encodes structs.

A Kafka topic's ``value`` is such a column. The functions given to Spark hold only names and options. They import the
generated modules where they run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import ArrayType, BinaryType, DataType, StructType

from wireloom import registry
from wireloom.codec import EncodeError, Protocol
from wireloom.columnar import cells, encoding
from wireloom.columnar.buffers import valid_of
from wireloom.columnar.decoder import BATCH_BYTES, BATCH_ROWS, Decoder
from wireloom.columnar.python_values import to_python
from wireloom.options import Mode, OptionError, ReadOptions
from wireloom.spark import workers
from wireloom.spark.formats import resolve_protocol
from wireloom.spark.names import ANY_CASE, Resolver, rename_fields
from wireloom.spark.schemas import arrow_schema, named_columns, spark_schema
from wireloom.spark.versions import arrow_function, to_arrow_type
from wireloom.views import Row, nested

Batchwise = Callable[..., pa.Array]
"""What a task does with some rows of its columns."""
Arrays = tuple[pa.Array, ...]


def from_wire(col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object) -> Column:
    """A struct column of the records in the binary column ``col``, one record a value.

    Options are given as a mapping or ``named``: ``mode``, ``message``, ``messages``, ``columns``, ``labels``,
    ``columnNameOfCorruptRecord`` and the protocol's parameters. Mode ``FAILFAST``, the default, fails the query at a
    malformed record; ``PERMISSIVE`` gives it ``_corrupt_record`` and ``_corrupt_reason``. Null stays null, as does any
    other message than those asked for.
    """
    return _decoding(col, protocol, {**(options or {}), **named}, many=False)


def from_wire_many(
    col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object
) -> Column:
    """A column of arrays of structs: the consecutive records in each value of ``col``.

    As ``from_wire``; in mode ``DROPMALFORMED`` malformed records are left out of the array, and so are other messages
    than those asked for.
    """
    return _decoding(col, protocol, {**(options or {}), **named}, many=True)


def to_wire(col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object) -> Column:
    """A binary column of the records in the struct column ``col``, which has columns as ``from_wire`` gives them.

    Options are ``mode`` and the protocol's parameters. Mode ``FAILFAST``, the default, fails the query at a struct that
    cannot be written; ``PERMISSIVE`` gives null. Derived fields may be left out, and null stays null.
    """
    session = SparkSession.getActiveSession()
    found = resolve_protocol(protocol, session)
    encode = Encoding.of(found, {**(options or {}), **named}, Resolver.of(session))
    return _column(encode, BinaryType(), "to_wire", col, _struct(_given(col)))


def reading(protocol: str, given: Mapping[str, object], *, many: bool) -> ReadOptions:
    """The ``given`` options of a function that decodes. Raises ``OptionError``."""
    chosen = writing(protocol, given)
    if not many:
        for name in ("maxRecordBytes", "resync"):
            if name.lower() in map(str.lower, given):
                raise OptionError(f"a value is one record, whatever it holds; {name} is for several in each")
        if chosen.mode is Mode.DROPMALFORMED:
            raise OptionError("mode is PERMISSIVE or FAILFAST: a column cannot drop rows")
    return chosen


def writing(protocol: str, given: Mapping[str, object]) -> ReadOptions:
    """The ``given`` options of a function that encodes. Raises ``OptionError``."""
    found = registry.protocol(protocol)
    options = ReadOptions.of(given, found.parameters, found.messages, Mode.FAILFAST)
    if options.positions:
        raise OptionError("a value of a column has no position")
    if options.connections:
        raise OptionError("a value of a column was not recorded in packets")
    return options


@dataclass(frozen=True)
class Decoding:
    """Decodes columns: the record in each binary value, or with ``many`` its records, as structs of ``schema``."""

    protocol: str
    options: ReadOptions
    schema: StructType
    many: bool

    @classmethod
    def of(cls, protocol: str, given: Mapping[str, object], *, many: bool, resolver: Resolver = ANY_CASE) -> "Decoding":
        """With the ``given`` options. Raises ``OptionError``."""
        options = reading(protocol, given, many=many)
        options = options._replace(columns=named_columns(protocol, options, resolver))
        return cls(protocol, options, spark_schema(protocol, options), many)

    @property
    def returned(self) -> DataType:
        """The type of what it returns."""
        return ArrayType(self.schema) if self.many else self.schema

    @cached_property
    def _decoder(self) -> Decoder:
        """One for all columns of a task, which is made there."""
        return Decoder(registry.protocol(self.protocol), self.options, arrow_schema(self.schema))

    @cached_property
    def _lists(self) -> pa.DataType:
        return to_arrow_type(self.returned)

    def __call__(self, values: pa.Array) -> pa.Array:
        if not self.many:
            return cells.one(self._decoder, values)
        return cells.many(self._decoder, values).cast(self._lists)


@dataclass(frozen=True)
class Encoding:
    """Encodes columns: the bytes of each struct."""

    protocol: str
    options: ReadOptions
    resolver: Resolver

    @classmethod
    def of(cls, protocol: str, given: Mapping[str, object], resolver: Resolver) -> "Encoding":
        """With the ``given`` options. Raises ``OptionError``."""
        return cls(protocol, writing(protocol, given), resolver)

    @cached_property
    def _encoder(self) -> encoding.Encoder:
        """One for all columns of a task, which is made there."""
        lenient = self.options.mode is not Mode.FAILFAST
        found = registry.protocol(self.protocol)
        return encoding.Encoder(found, self.options.parameters, alone=True, lenient=lenient)

    def __call__(self, values: pa.Array) -> pa.Array:
        if not pa.types.is_struct(values.type):
            raise OptionError(f"a struct column expected, not one of {values.type}")
        values = rename_fields(values, _usual(values.type, self.protocol, self.resolver))
        found = registry.protocol(self.protocol)
        if found.preamble is not None or not {field.name for field in values.type} <= _whole(found):
            return pa.array([_record(row, found, self.options) for row in to_python(values)], pa.binary())
        given = values.drop_null()
        names = [field.name for field in given.type]
        records = self._encoder.encode(pa.RecordBatch.from_arrays(given.flatten(), names))
        if not values.null_count:
            return records
        there = valid_of(values)
        return records.take(pa.array(there.cumsum() - 1, mask=~there))


@cache
def _usual(kind: pa.DataType, protocol: str, resolver: Resolver) -> pa.DataType:
    """The type of a struct with the names that the protocol's columns have."""
    given = from_arrow_type(kind)
    assert isinstance(given, StructType)
    return to_arrow_type(resolver.schema(given, registry.load(protocol).spark_schema))


def _whole(protocol: Protocol) -> set[str]:
    """The columns of rows with all messages, positions among them."""
    return {column.name for column in protocol.columns} | encoding.LEFT_OUT


def column_function(function: Batchwise, kind: DataType, name: str) -> Any:
    """The function, which returns values of that kind, as one that Spark calls with the columns of a task's batches.

    It gets the rows of small ones together. Its errors about values and options are told in their own words.
    """

    def called(batches: Iterator[Arrays]) -> Iterator[pa.Array]:
        with workers.brief():
            for columns in together(map(_columns, batches)):
                yield function(*columns)

    called.__name__ = name  # what plans call it
    return arrow_function(called, kind)


def _columns(given: Any) -> Arrays:
    """The columns of a batch; Spark gives a single one as it is."""
    return given if isinstance(given, tuple) else (given,)


def together(batches: Iterable[Arrays]) -> Iterator[Arrays]:
    """The rows of several batches together, as long as they are few and have few bytes."""
    held: list[Arrays] = []
    rows = size = 0
    for columns in batches:
        more, weight = len(columns[0]), sum(column.nbytes for column in columns)
        if held and (rows + more > BATCH_ROWS or size + weight > BATCH_BYTES):
            yield _joined(held)
            held, rows, size = [], 0, 0
        held.append(columns)
        rows, size = rows + more, size + weight
    if held:
        yield _joined(held)


def _joined(batches: list[Arrays]) -> Arrays:
    return batches[0] if len(batches) == 1 else tuple(map(pa.concat_arrays, zip(*batches, strict=True)))


def _given(col: Column | str) -> Column:
    """The column, given itself or by its name."""
    return fn.col(col) if isinstance(col, str) else col


def _decoding(col: Column | str, protocol: str, options: Mapping[str, object], *, many: bool) -> Column:
    session = SparkSession.getActiveSession()
    protocol = resolve_protocol(protocol, session)
    decode = Decoding.of(protocol, options, many=many, resolver=Resolver.of(session))
    if not many:
        registry.protocol(protocol).must_know(dict(decode.options.parameters))
    name = "from_wire_many" if many else "from_wire"
    return _column(decode, decode.returned, name, col, _binary(_given(col)))


def _binary(col: Column) -> Column:
    """The column, which Spark refuses when it analyses the query unless it is binary, as ``bitmap_count`` wants it."""
    return _checked(col, fn.bitmap_count(col))


def _struct(col: Column) -> Column:
    """The column, which Spark refuses when it analyses the query unless it is a struct, as only these get fields."""
    return _checked(col, col.withField("message", fn.lit(None)))


def _checked(col: Column, made: Column) -> Column:
    """The column, if Spark can make ``made`` of one of its type, which is never done.

    A function in Python takes columns of any type. Spark checks the types of a condition, and only then leaves out what
    cannot hold.
    """
    return fn.when(fn.lit(False) & made.isNull(), col).otherwise(col)


def _column(function: Batchwise, kind: DataType, name: str, col: Column | str, taken: Column) -> Column:
    """The column that a function makes of the column ``taken``, called by its name and that of ``col``."""
    workers.provide(SparkSession.getActiveSession())
    made: Column = column_function(function, kind, name)(taken)
    return made.alias(f"{name}({col})" if isinstance(col, str) else name)


def _record(row: Row | None, protocol: Protocol, options: ReadOptions) -> bytes | None:
    if row is None:
        return None
    try:
        return protocol.build(nested(protocol, row), **options.parameters)
    except EncodeError:
        if options.mode is Mode.FAILFAST:
            raise
        return None
