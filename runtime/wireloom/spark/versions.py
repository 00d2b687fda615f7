"""Where versions of PySpark differ: what one lacks is told in a sentence, what it calls otherwise is done."""

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql.pandas import types
from pyspark.sql.types import DataType, StructType

from wireloom.options import OptionError


def since(version: str) -> bool:
    """Whether this PySpark is of that version, such as 4.1, or a newer one."""
    return _numbers(pyspark.__version__) >= _numbers(version)


def needs(what: str, version: str) -> None:
    """Raises ``OptionError`` unless this PySpark is of that version or a newer one."""
    if not since(version):
        raise OptionError(f"{what} needs PySpark {version} or newer; this is {pyspark.__version__}")


def _numbers(version: str) -> tuple[int, ...]:
    """The major and minor version."""
    return tuple(map(int, re.findall("[0-9]+", version)[:2]))


_UTC: dict[str, Any] = {"timezone": "UTC"} if since("4.2") else {}  # before, it is so by itself


def to_arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow type that Spark exchanges values of a type as."""
    return types.to_arrow_type(kind, **_UTC)


def to_arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that Spark exchanges rows of a schema as."""
    return types.to_arrow_schema(schema, **_UTC)


def arrow_function(function: Callable[..., pa.Array], kind: DataType) -> Any:
    """The function as one that Spark calls with columns."""
    needs("a function of columns", "4.1")
    from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]

    return arrow_udf(function, returnType=kind)
