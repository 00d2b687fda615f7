"""What readers of Parquet files, Delta and Iceberg tables find: each counts the rows whose value compares as asked.

A question is an operator of SQL, ``in`` or ``null``, and a value or several. For some readers NaN is in order: equal to
itself and above all other numbers, as databases have it; for the others it compares as in IEEE 754.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset

Ask = Callable[[str, Any], int]
Readers = Iterator[tuple[str, Ask, bool]]
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WIDE = "9" * 38
_BEFORE_1970 = datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)
_FAR = [datetime(4389, 4, 10, 5, 46, 7, 721405, UTC), datetime(9137, 5, 16, 20, 2, 24, 82707, UTC)]
"""More microseconds from 1970 on than a float of 64 bits tells apart."""
_EPOCH, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)

KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "boolean": (pa.bool_(), [False, True]),
    "byte": (pa.int8(), [-128, 0, 127]),
    "short": (pa.int16(), [-(2**15), 0, 2**15 - 1]),
    "int": (pa.int32(), [-(2**31), 0, 2**31 - 1]),
    "long": (pa.int64(), [-(2**63), -(2**53) - 1, 0, 2**53 + 1, 2**63 - 1]),
    "u64": (pa.decimal128(20, 0), list(map(Decimal, (0, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1)))),
    "scaled": (pa.decimal128(18, 3), [Decimal(n).scaleb(-3) for n in (1 - 10**18, 1, 2**53 + 1, 10**18 - 1)]),
    "widest": (pa.decimal128(38, 0), [Decimal(f"-{_WIDE}"), Decimal(0), Decimal(_WIDE)]),
    "float": (pa.float32(), [-math.inf, -1.0, -0.0, 0.0, 2.0**-149, 0.5, math.inf, math.nan]),
    "double": (pa.float64(), [-math.inf, -1e308, -0.0, 0.0, 5e-324, 0.1, math.inf, math.nan]),
    "nan": (pa.float64(), [0.5, 1.0, math.nan]),  # and nothing infinite, which would be the greatest
    "timestamp": (
        pa.timestamp("us", "UTC"),
        [datetime.min.replace(tzinfo=UTC), _BEFORE_1970, *_FAR, _LAST],
    ),
    "binary": (pa.binary(), [b"", b"\0" * 99, b"a" * 99, b"\xff" * 99]),
    "string": (pa.string(), ["", "a" * 99, "a" * 31 + "\U0010ffff", "it's", "\uffff" * 40, "\U0010ffff" * 40]),
}
"""The types of our columns, each with values at the ends of its range and where other types end."""

UNSIGNED: dict[str, tuple[pa.DataType, list[int]]] = {
    "uint8": (pa.uint8(), [0, 2**7 - 1, 2**7, 2**8 - 1]),
    "uint16": (pa.uint16(), [0, 2**15 - 1, 2**15, 2**16 - 1]),
    "uint32": (pa.uint32(), [0, 2**31 - 1, 2**31, 2**32 - 1]),
    "uint64": (pa.uint64(), [0, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]),
}
"""Those that tables for Spark and for lakes do not have."""


def random_value(random: Random, kind: pa.DataType) -> Any:
    """A value from anywhere in the range of a type, and not of a boolean."""
    if pa.types.is_floating(kind):
        code = "d" if kind == pa.float64() else "f"
        (value,) = struct.unpack(code, random.randbytes(struct.calcsize(code)))
        return random.choice([value, math.nan, -0.0, 0.5])
    size = random.choice([0, 1, 31, 32, 33, 63, 64, 65, 200])  # readers cut texts at some of these
    if kind == pa.string():
        return "".join(random.choices("a'%\x7f\u07ff\uffff\U0010ffff", k=size))
    if kind == pa.binary():
        return bytes(random.choices((0, 97, 254, 255), k=size))
    if pa.types.is_timestamp(kind):
        first = datetime.min.replace(tzinfo=UTC)
        return first + timedelta(microseconds=random.randint(0, (_LAST - first) // timedelta(microseconds=1)))
    if pa.types.is_decimal(kind):
        most = 10**kind.precision - 1
        return Decimal(random.randint(-most, most)).scaleb(-kind.scale, Context(prec=38))
    most = 2 ** (kind.bit_width - 1)
    return random.randrange(-most, most)


def tables(kind: pa.DataType, values: Sequence[Any]) -> dict[str, list[pa.Table]]:
    """The values and a null, each in a table of its own, and all in one; in a column, a struct and a list."""

    def table(some: Sequence[Any]) -> pa.Table:
        column = pa.array(some, kind)
        inside = pa.StructArray.from_arrays([column], fields=[pa.field("it", kind)])
        offsets = pa.array(range(len(some) + 1), pa.int32())
        return pa.table({"it": column, "inside": inside, "items": pa.ListArray.from_arrays(offsets, column)})

    rows = [*values, None]
    return {"rows": [table([row]) for row in rows], "file": [table(rows)]}


def expected(values: Sequence[Any], question: str, value: Any, *, ordered: bool) -> int:
    """How many of the values a reader finds."""
    if question == "null":
        return 1
    if question == "in":
        return sum(any(_compare("=", each, other, ordered) for other in value) for each in values)
    return sum(_compare(question, each, value, ordered) for each in values)


def _compare(question: str, left: Any, right: Any, ordered: bool) -> bool:
    if ordered and isinstance(left, float):
        left, right = (
            (math.isnan(left), 0 if math.isnan(left) else left),
            (math.isnan(right), 0 if math.isnan(right) else right),
        )
    return bool(COMPARISONS[question](left, right))


def by_pyarrow(rows: dataset.Dataset, path: Sequence[str], kind: pa.DataType) -> Ask:
    field = pc.field(*path)

    def ask(question: str, value: Any) -> int:
        if question == "null":
            condition = field.is_null()
        elif question == "in":  # by pyarrow's own word, `isin` finds NaN
            condition = field.isin(pa.array([each for each in value if each == each], kind))
        else:
            condition = COMPARISONS[question](field, pa.scalar(value, kind))
        return int(rows.to_table(filter=condition).num_rows)

    return ask


def by_polars(scan: Callable[[], Any], path: Sequence[str], kind: pa.DataType) -> Ask:
    import polars

    column = polars.col(path[0])
    for name in path[1:]:
        column = column.struct.field(name)

    def ask(question: str, value: Any) -> int:
        if question == "null":
            condition = column.is_null()
        elif question == "in":
            condition = column.is_in(polars.Series(polars.from_arrow(pa.array(value, kind))).implode())
        else:
            given = polars.Series(polars.from_arrow(pa.array([value], kind)))
            condition = COMPARISONS[question](column, _polars_literal(given))
        return int(scan().filter(condition).collect().height)

    return ask


def _polars_literal(given: Any) -> Any:
    """The one value of a series: a time by its number, as Python's own have no nanoseconds."""
    import polars

    if given.dtype.is_temporal():
        return polars.lit(given.to_physical()[0]).cast(given.dtype)
    return polars.lit(given[0], dtype=given.dtype)


def by_duckdb(rows: str | dataset.Dataset, path: Sequence[str], kind: pa.DataType) -> Ask:
    """Of files, by a pattern, or of what Arrow reads."""
    import duckdb

    connection = duckdb.connect()
    connection.sql("set timezone = 'UTC'")
    source = f"'{rows}'" if isinstance(rows, str) else "rows"
    if source == "rows":
        connection.register(source, rows)

    def ask(question: str, value: Any) -> int:
        condition = sql(path, question, value, lambda each: _duckdb_literal(each, kind))
        return int(connection.sql(f"select count(*) from {source} where {condition}").fetchall()[0][0])

    return ask


def by_delta(table: Any, path: Sequence[str], kind: pa.DataType) -> Ask:
    """By the queries of delta-rs."""
    from deltalake import QueryBuilder

    queries = QueryBuilder().register("rows", table)
    column = (path[0], *(f"['{name}']" for name in path[1:]))

    def ask(question: str, value: Any) -> int:
        condition = sql(["".join(column)], question, value, lambda each: delta_literal(each, kind))
        counted = pa.table(queries.execute(f"select count(*) as n from rows where {condition}"))
        return int(counted["n"][0].as_py())

    return ask


def by_spark(rows: Any, path: Sequence[str], kind: pa.DataType) -> Ask:
    def ask(question: str, value: Any) -> int:
        return int(rows.where(sql(path, question, value, lambda each: _spark_literal(each, kind))).count())

    return ask


def _spark_literal(value: Any, kind: pa.DataType) -> str:
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return f"X'{value.hex()}'"
    if pa.types.is_timestamp(kind):
        return f"timestamp_micros({value})"
    names = {pa.bool_(): "boolean", pa.float32(): "float", pa.float64(): "double", pa.string(): "string"}
    name = names.get(kind, "decimal(38, 0)")
    if pa.types.is_duration(kind):
        return f"interval '{Decimal(value).scaleb(-6):f}' second"
    if pa.types.is_decimal(kind):
        name = f"decimal({kind.precision}, {kind.scale})"
    return f"cast('{text(value)}' as {name})"


def sql(path: Sequence[str], question: str, value: Any, literal: Callable[[Any], str]) -> str:
    """The condition of a query."""
    column = ".".join(path)
    if question == "null":
        return f"{column} is null"
    if question == "in":
        return f"{column} in ({', '.join(map(literal, value))})"
    return f"{column} {question} {literal(value)}"


def _duckdb_literal(value: Any, kind: pa.DataType) -> str:
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return "'" + "".join(f"\\x{byte:02x}" for byte in value) + "'::blob"
    types = {pa.bool_(): "boolean", pa.float32(): "float", pa.float64(): "double", pa.string(): "varchar"}
    types |= {pa.uint8(): "utinyint", pa.uint16(): "usmallint", pa.uint32(): "uinteger", pa.uint64(): "ubigint"}
    if pa.types.is_decimal(kind):
        return f"'{value:f}'::decimal({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind) and isinstance(value, int):
        return f"make_timestamp_ns({value})::timestamptz_ns" if kind.unit == "ns" else f"make_timestamptz({value})"
    if pa.types.is_duration(kind):
        return f"to_microseconds({value})"
    name = types.get(kind, "timestamptz" if pa.types.is_timestamp(kind) else "bigint")
    return f"'{text(value)}'::{name}"


def delta_literal(value: Any, kind: pa.DataType) -> str:
    """As delta-rs has it in predicates; a time may be its number of microseconds."""
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return f"X'{value.hex()}'"
    if kind == pa.string():
        return f"'{text(value)}'"
    names = {pa.float32(): "Float32", pa.float64(): "Float64", pa.bool_(): "Boolean"}
    name = names.get(kind, "Int64")
    if pa.types.is_decimal(kind):
        name = f"Decimal128({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        value = value if isinstance(value, datetime) else _EPOCH + timedelta(microseconds=value)
        name = 'Timestamp(Microsecond, Some("UTC"))'
    return f"arrow_cast('{text(value)}', '{name}')"


def text(value: Any) -> str:
    """A value as a text in SQL."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, datetime) else str(value).replace("'", "''")


def parquet_readers(folder: Path, path: Sequence[str], kind: pa.DataType) -> Readers:
    """Name, what counts, and whether NaN is in order."""
    import polars

    files = f"{folder}/*.parquet"
    yield "pyarrow", by_pyarrow(dataset.dataset(folder, format="parquet"), path, kind), False
    yield "DuckDB", by_duckdb(files, path, kind), True
    yield "Polars", by_polars(lambda: polars.scan_parquet(files), path, kind), True


def delta_readers(folder: Path, path: Sequence[str], kind: pa.DataType) -> Readers:
    """As of Parquet files."""
    import polars
    from deltalake import DeltaTable

    table = DeltaTable(folder)
    yield "pyarrow", by_pyarrow(table.to_pyarrow_dataset(), path, kind), False
    yield "Polars", by_polars(lambda: polars.scan_delta(str(folder)), path, kind), True
    yield "delta-rs", by_delta(table, path, kind), True
    yield "DuckDB", by_duckdb(table.to_pyarrow_dataset(), path, kind), True


def iceberg_readers(table: Any, path: Sequence[str], kind: pa.DataType) -> Readers:
    """As of Parquet files."""
    import polars

    yield "Polars", by_polars(lambda: polars.scan_iceberg(table), path, kind), True
    if not pa.types.is_floating(kind):  # pyiceberg takes no NaN, and finds no infinity of 32 bits
        yield "pyiceberg", by_pyiceberg(table, path), False


def by_pyiceberg(table: Any, path: Sequence[str]) -> Ask:
    from pyiceberg import expressions

    names = {"=": "EqualTo", "<": "LessThan", "<=": "LessThanOrEqual", ">": "GreaterThan", ">=": "GreaterThanOrEqual"}

    def ask(question: str, value: Any) -> int:
        given = () if question == "null" else (value,)
        condition = getattr(expressions, {"null": "IsNull", "in": "In", **names}[question])(".".join(path), *given)
        return int(table.scan(row_filter=condition).to_arrow().num_rows)

    return ask


def wrong(
    readers: Iterator[tuple[str, Ask, bool]], values: Sequence[Any], questions: Sequence[tuple[str, Any]]
) -> list[str]:
    """What readers find that is not what is there."""
    found = []
    for name, ask, ordered in readers:
        for question, value in questions:
            there, counted = expected(values, question, value, ordered=ordered), ask(question, value)
            if there != counted:
                found.append(f"{name}: {question} {value}: {counted} of {there}")
    return found
