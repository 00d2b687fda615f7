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
from wireloom.buffers import valid_of
from wireloom.codec import EncodeError, Protocol
from wireloom.columnar import cells, encoding
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
"""A function of some rows of a task's columns."""
Arrays = tuple[pa.Array, ...]


def from_wire(col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object) -> Column:
    """Decode a binary column with one record per value, such as the ``value`` of a Kafka topic.

    Parameters
    ----------
    col : :class:`~pyspark.sql.Column` or str
        The binary column, or its name.
    protocol : str
        The name of an installed protocol, a generated module such as ``my_protocols.ubx``, or the name under which it
        was registered.
    options : mapping, optional
        Options by name, as a mapping; those in ``named`` override them.
    **named
        The protocol's parameters, and:

        mode : {'FAILFAST', 'PERMISSIVE'}
            ``FAILFAST``, the default, fails the query at a malformed record; ``PERMISSIVE`` gives a struct with
            ``_corrupt_record`` (its bytes) and ``_corrupt_reason``.
        message : str
            Give only records of this message, with its fields beside the header's; other values become null.
        messages : list of str
            Give only records of these messages; other values become null. Excludes ``message``.
        columns : list of str
            The fields of the result; ``struct.field`` selects a part of a struct. The rest is not decoded.
        labels : bool, default True
            Whether there are fields with the names of enum values and flags, such as ``status_name``.
        columnNameOfCorruptRecord : str, default '_corrupt_record'
            The name of the field with the bytes of malformed records.
        u64 : {'declared', 'decimal', 'long'}
            The type of unsigned 64-bit integers: ``bigint`` for those that the source document bounds below 2^63, else
            ``decimal(20,0)``; ``decimal`` or ``long`` for all. Values that do not fit ``bigint`` make their record
            malformed.

    Returns
    -------
    :class:`~pyspark.sql.Column`
        A struct with the columns of the protocol's table. Null stays null.

    Raises
    ------
    OptionError
        If the protocol, an option, a message or a column is unknown, or a value is wrong.

    Notes
    -----
    Spark reports an :class:`AnalysisException` if the column is not binary.

    Examples
    --------
    >>> from wireloom.spark import from_wire
    >>> frame = bytes.fromhex("8064000008000003000000080000000000000000000000000000000000000007")
    >>> values = spark.createDataFrame([(frame,)], "value binary")
    >>> frames = values.select(from_wire("value", "couchbase_dcp", message="seqno_advanced").alias("frame"))
    >>> frames.select("frame.vbucket", "frame.by_seqno").show()
    +-------+--------+
    |vbucket|by_seqno|
    +-------+--------+
    |      3|       7|
    +-------+--------+
    """
    return _decoding(col, protocol, {**(options or {}), **named}, many=False)


def from_wire_many(
    col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object
) -> Column:
    """Decode a binary column with any number of consecutive records per value.

    Parameters
    ----------
    col : :class:`~pyspark.sql.Column` or str
        The binary column, or its name.
    protocol : str
        The name of an installed protocol, a generated module such as ``my_protocols.ubx``, or the name under which it
        was registered.
    options : mapping, optional
        Options by name, as a mapping; those in ``named`` override them.
    **named
        As for ``from_wire``, and:

        mode : {'FAILFAST', 'PERMISSIVE', 'DROPMALFORMED'}
            As for ``from_wire``; ``DROPMALFORMED`` leaves malformed records out of the array.
        maxRecordBytes : int, default 64 MiB
            Records that are longer, or claim to be, are malformed.
        resync : {'chain', 'proof'}
            Where reading continues after damage: ``chain``, the default, also where records fit one after another;
            ``proof`` only where a checksum or a terminator identifies a record.

    Returns
    -------
    :class:`~pyspark.sql.Column`
        An array of the structs that ``from_wire`` gives, in order. Records of unwanted messages are left out. Null
        stays null, and an empty value becomes an empty array.

    Raises
    ------
    OptionError
        As ``from_wire``.

    Examples
    --------
    >>> from pyspark.sql import functions as sf
    >>> from wireloom.spark import from_wire_many
    >>> frame = bytes.fromhex("8064000008000003000000080000000000000000000000000000000000000007")
    >>> values = spark.createDataFrame([(frame + frame,)], "value binary")
    >>> values.select(sf.size(from_wire_many("value", "couchbase_dcp")).alias("frames")).show()
    +------+
    |frames|
    +------+
    |     2|
    +------+
    """
    return _decoding(col, protocol, {**(options or {}), **named}, many=True)


def to_wire(col: Column | str, protocol: str, options: Mapping[str, object] | None = None, **named: object) -> Column:
    """Encode a struct column into a binary column with one record per value.

    Parameters
    ----------
    col : :class:`~pyspark.sql.Column` or str
        The struct column, or its name, with fields as ``from_wire`` gives them. Derived fields, such as lengths,
        checksums and opcodes, may be missing.
    protocol : str
        The name of an installed protocol, a generated module such as ``my_protocols.ubx``, or the name under which it
        was registered.
    options : mapping, optional
        Options by name, as a mapping; those in ``named`` override them.
    **named
        The protocol's parameters, and:

        mode : {'FAILFAST', 'PERMISSIVE'}
            ``FAILFAST``, the default, fails the query at a struct that cannot be encoded; ``PERMISSIVE`` gives null.

    Returns
    -------
    :class:`~pyspark.sql.Column`
        The bytes of the records. Null stays null.

    Raises
    ------
    OptionError
        As ``from_wire``.

    Notes
    -----
    Spark reports an :class:`AnalysisException` if the column is not a struct.

    Examples
    --------
    >>> from pyspark.sql import functions as sf
    >>> from wireloom.spark import to_wire
    >>> rows = spark.createDataFrame([(3, (7,))], "vbucket int, seqno_advanced struct<by_seqno: bigint>")
    >>> frames = rows.select(to_wire(sf.struct("*"), "couchbase_dcp").alias("frame"))
    >>> frames.select(sf.lower(sf.hex("frame"))).first()[0]
    '8064000008000003000000080000000000000000000000000000000000000007'
    """
    session = SparkSession.getActiveSession()
    found = resolve_protocol(protocol, session)
    encode = Encoding.of(found, {**(options or {}), **named}, Resolver.of(session))
    return _column(encode, BinaryType(), "to_wire", col, _struct(_given(col)))


def reading(protocol: str, given: Mapping[str, object], *, many: bool) -> ReadOptions:
    """The options of a function that decodes, from those ``given``. Raises ``OptionError``."""
    chosen = writing(protocol, given)
    if not many:
        for name in ("maxRecordBytes", "resync"):
            if name.lower() in map(str.lower, given):
                raise OptionError(f"{name} is an option of from_wire_many: here, each value is one record")
        if chosen.mode is Mode.DROPMALFORMED:
            raise OptionError("mode must be PERMISSIVE or FAILFAST: a column function cannot drop rows")
    return chosen


def writing(protocol: str, given: Mapping[str, object]) -> ReadOptions:
    """The options of a function that encodes, from those ``given``. Raises ``OptionError``."""
    found = registry.protocol(protocol)
    options = ReadOptions.of(given, found.parameters, found.messages, Mode.FAILFAST)
    if options.positions:
        raise OptionError("positions is not an option here: values of a column have no position")
    if options.connections:
        raise OptionError("connections is not an option here: values of a column were not recorded in packets")
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
        """The type of its result."""
        return ArrayType(self.schema) if self.many else self.schema

    @cached_property
    def _decoder(self) -> Decoder:
        """One for all columns of a task, created in the task."""
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
        """One for all columns of a task, created in the task."""
        lenient = self.options.mode is not Mode.FAILFAST
        found = registry.protocol(self.protocol)
        return encoding.Encoder(found, self.options.parameters, alone=True, lenient=lenient)

    def __call__(self, values: pa.Array) -> pa.Array:
        if not pa.types.is_struct(values.type):
            raise OptionError(f"expected a struct column, not one of {values.type}")
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

    Small batches are passed to it together. Its errors about values and options keep their own messages.
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
    """The column: itself, or by its name."""
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
    """The column, which makes Spark reject the query during analysis unless it is binary, as ``bitmap_count``
    requires.
    """
    return _checked(col, fn.bitmap_count(col))


def _struct(col: Column) -> Column:
    """The column, which makes Spark reject the query during analysis unless it is a struct, since only structs have
    fields.
    """
    return _checked(col, col.withField("message", fn.lit(None)))


def _checked(col: Column, made: Column) -> Column:
    """The column, if its type allows Spark to compute ``made`` from it, which never happens.

    A function in Python accepts columns of any type. Spark checks the types of a condition, and only then removes
    branches that cannot be reached.
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
