"""Differences between versions of PySpark: missing features are reported, renamed ones are called."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql.pandas import types
from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from wireloom.options import OptionError

FUNCTIONS = REPLACING = "4.1"
"""Functions take Arrow columns, formats replace those that packages brought."""
STREAMS = _COMMENTS = "4.2"
"""Streams get the previous offset and a limit; functions return types with comments."""


def since(version: str) -> bool:
    """Whether this PySpark is of that version, such as 4.1, or a newer one."""
    return _numbers(pyspark.__version__) >= _numbers(version)


def lacking(what: str, version: str) -> str | None:
    """The sentence that ``what`` needs that version or a newer one; None if this is one."""
    return None if since(version) else f"{what} needs PySpark {version} or newer; this is {pyspark.__version__}"


def needs(what: str, version: str) -> None:
    """Raises ``OptionError`` unless this PySpark is of that version or a newer one."""
    if (told := lacking(what, version)) is not None:
        raise OptionError(told)


def _numbers(version: str) -> tuple[int, ...]:
    """The major and minor version."""
    return tuple(map(int, re.findall("[0-9]+", version)[:2]))


_UTC: dict[str, Any] = {"timezone": "UTC"} if since("4.2") else {}  # which it was before


def to_arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow type that Spark exchanges values of a type as."""
    return types.to_arrow_type(kind, **_UTC)


def to_arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that Spark exchanges rows of a schema as."""
    return types.to_arrow_schema(schema, **_UTC)


def arrow_function(function: Callable[..., Iterator[pa.Array]], kind: DataType) -> Any:
    """The function, which returns values of that kind, as one that Spark calls with the columns of batches."""
    needs(function.__name__, FUNCTIONS)
    from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]

    return arrow_udf(function, returnType=kind if since(_COMMENTS) else _without_comments(kind))


def _without_comments(kind: DataType) -> DataType:
    """The type without comments, which Spark 4.1 would treat as a difference from the expected type."""
    match kind:
        case StructType():
            return StructType([StructField(field.name, _without_comments(field.dataType)) for field in kind])
        case ArrayType():
            return ArrayType(_without_comments(kind.elementType))
    return kind
