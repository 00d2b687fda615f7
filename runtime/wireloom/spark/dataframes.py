"""Rows of a DataFrame in the form that a protocol builds: the schema is checked first, and values are made plain.

The rows look like those of the reader, whole or with one message's fields beside the header. Columns may be missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, DecimalType, IntegralType, NullType, StructField, StructType

from wireloom import registry
from wireloom.columnar.encoding import LEFT_OUT, plain
from wireloom.options import OptionError, unknown
from wireloom.spark.names import Resolver, rename_fields
from wireloom.spark.schemas import arrow_schema
from wireloom.views import RECORD, Row


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of given rows: which columns are fields of their message, and the message of rows without one.

    ``schema`` is theirs, with the usual names.
    """

    messages: frozenset[str]
    flat: frozenset[str]
    message: str | None
    corrupt_column: str
    schema: StructType

    @property
    def whole(self) -> bool:
        """Whether all columns are those of rows with all messages, of which each says its own."""
        return self.message is None and not self.flat

    def named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the usual names."""
        types = arrow_schema(self.schema).types
        columns = [rename_fields(column, kind) for column, kind in zip(batch.columns, types, strict=True)]
        names = [RECORD.name if name == self.corrupt_column else name for name in self.schema.names]
        return pa.RecordBatch.from_arrays(columns, names)

    def rows(self, batch: pa.RecordBatch) -> Iterator[Row]:
        """The rows of a batch as ``Protocol.build`` takes them. Columns without any value are skipped."""
        rows = plain(self.named(batch))
        return rows if self.whole else map(self._nested, rows)

    def _nested(self, row: Row) -> Row:
        """The row with its message's fields in the message's struct."""
        given = ((name, row.pop(name)) for name in self.flat & row.keys())
        fields = {name: value for name, value in given if value is not None}
        if row.get(RECORD.name) is not None:
            return row
        message = row["message"] = row.get("message") or self.message
        if message in self.messages and row.get(message) is None:
            row[message] = fields
        else:
            row.update(fields)  # for build to refuse
        return row


def shape(protocol: str, schema: StructType, message: str | None, corrupt_column: str, resolver: Resolver) -> Shape:
    """The form of rows of ``schema``; if ``message`` is not None, all of them are of that message.

    Raises ``OptionError`` naming a column that the protocol lacks or has with another type.
    """
    known: StructType = registry.load(protocol).spark_schema
    whole = {field.name: field for field in known}
    whole[corrupt_column] = whole.pop(RECORD.name)
    fields = {name: _fields(whole[name]) for name in registry.protocol(protocol).messages}
    inner = {name: field for each in fields.values() for name, field in each.items()}
    kinds = dict.fromkeys(LEFT_OUT, NullType()) | {name: each.dataType for name, each in (inner | whole).items()}
    schema = resolver.schema(schema, StructType([StructField(name, kind) for name, kind in kinds.items()]))
    given = set(schema.names)
    flat = given - whole.keys() - LEFT_OUT
    if not flat:
        _must_take(whole, schema)
        return Shape(frozenset(fields), frozenset(), message, corrupt_column, schema)
    candidates = [name for name in fields if message in (None, name) and flat <= fields[name].keys()]
    if not candidates:
        every = fields if message is None else {message: fields[message]}
        _must_take(whole | {name: field for inner in every.values() for name, field in inner.items()}, schema)
        raise OptionError(f"no message has all of these columns: {', '.join(sorted(flat))}")
    problems = {name: _problem(fields[name] | whole, schema) for name in candidates}
    fitting = [name for name, problem in problems.items() if problem is None]
    if not fitting:
        raise next(filter(None, problems.values()))
    return Shape(frozenset(fields), frozenset(flat), fitting[0] if len(fitting) == 1 else None, corrupt_column, schema)


def _fields(field: StructField) -> dict[str, StructField]:
    assert isinstance(field.dataType, StructType)
    return {inner.name: inner for inner in field.dataType}


def _problem(taken: dict[str, StructField], given: StructType) -> OptionError | None:
    try:
        _must_take(taken, given)
    except OptionError as error:
        return error
    return None


def _must_take(taken: dict[str, StructField], given: StructType, path: str = "") -> None:
    """Raises ``OptionError`` naming a ``given`` column that is not one of those ``taken``."""
    for field in given:
        where = f"{path}{field.name}"
        if field.name in taken:
            _must_take_type(taken[field.name].dataType, field.dataType, where)
        elif path or field.name not in LEFT_OUT:
            raise OptionError(unknown("column", where, (f"{path}{name}" for name in taken)))


def _must_take_type(taken: DataType, given: DataType, where: str) -> None:
    match taken, given:
        case StructType(), StructType():
            _must_take({field.name: field for field in taken}, given, f"{where}.")
        case ArrayType(), ArrayType():
            _must_take_type(taken.elementType, given.elementType, f"{where}[]")
        case _, NullType():
            pass
        case _ if taken != given and not (_integer(taken) and _integer(given)):
            raise OptionError(f"column {where} is {taken.simpleString()}, not {given.simpleString()}")


def _integer(kind: DataType) -> bool:
    """Whether it holds integers; whether each fits is checked when it is written."""
    return isinstance(kind, IntegralType) or (isinstance(kind, DecimalType) and kind.scale == 0)
