"""Tables for each consumer have the same values as those for Spark, and become the same bytes again."""

from datetime import timedelta
from typing import Any

import pyarrow as pa
from support.worked import every, examples, pair_of

from wireloom.codec import ListOf, StructOf
from wireloom.columnar.consumers import Types
from wireloom.columnar.tables import Table

OTHERS = tuple(types for types in Types if types is not Types.SPARK)


def as_spark(value: Any, kind: Any) -> Any:
    """A value as a table for Spark has it, of one that another consumer has."""
    match kind, value:
        case _, None:
            return None
        case StructOf(columns), dict():
            return {each.name: as_spark(value[each.name], each.type) for each in columns}
        case ListOf(element), list():
            return [as_spark(item, element) for item in value]
        case "interval day to second", int():
            return timedelta(microseconds=value)
        case _, float() if value != value:
            return "NaN"
    return value


def rows(table: pa.Table, protocol: Any) -> list[dict[str, Any]]:
    table.validate(full=True)
    kinds = {column.name: column.type for column in protocol.columns}
    return [{name: as_spark(value, kinds[name]) for name, value in row.items()} for row in table.to_pylist()]


@every
def test_same_values_and_the_same_bytes(name: str) -> None:
    protocol = pair_of(name).codec
    table = Table(protocol, {})
    for parameters, records in examples(name):
        capture = b"".join(records) + records[0][:-1]
        spark = table.decode_columnar(capture, mode="PERMISSIVE", **parameters)
        for types in OTHERS:
            found = table.decode_columnar(capture, mode="PERMISSIVE", types=types, **parameters)
            assert rows(found, protocol) == rows(spark, protocol)
            assert table.encode_columnar(found, **parameters).to_pybytes() == capture
