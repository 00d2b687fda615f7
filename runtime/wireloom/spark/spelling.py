"""Names of columns in any case: Spark ignores it, unless ``spark.sql.caseSensitive`` is set."""

from collections.abc import Iterable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from wireloom.options import OptionError


def is_exact(spark: SparkSession) -> bool:
    """Whether a session tells names apart by their case."""
    return spark.conf.get("spark.sql.caseSensitive", "false") == "true"


def meant(name: str, names: Iterable[str], *, exact: bool = False) -> str:
    """The one of ``names`` that a name means, in any case unless that must be ``exact``; itself if there is none."""
    known = list(names)
    if exact or name in known:
        return name
    return next((each for each in known if each.lower() == name.lower()), name)


def path_meant(path: str, kind: DataType) -> str:
    """The path of a column or of a field inside of it, as ``column.field``, with the names that a type has."""
    if isinstance(kind, ArrayType):
        return path_meant(path, kind.elementType)
    if not isinstance(kind, StructType):
        return path
    if (whole := meant(path, kind.names)) in kind.names:
        return whole
    name, dot, rest = path.partition(".")
    name = meant(name, kind.names)
    return f"{name}{dot}{path_meant(rest, kind[name].dataType) if name in kind.names else rest}"


def spelled(given: StructType, known: StructType) -> StructType:
    """The columns that are ``given``, with names as they are known. Raises ``OptionError`` for two of the same."""
    fields = {field.name: field.dataType for field in known}
    found: list[StructField] = []
    for field in given:
        name = meant(field.name, fields)
        if any(name == other.name for other in found):
            raise OptionError(f"two columns are called {name}")
        found.append(StructField(name, _spelled(field.dataType, fields.get(name, field.dataType))))
    return StructType(found)


def _spelled(given: DataType, known: DataType) -> DataType:
    match given, known:
        case StructType(), StructType():
            return spelled(given, known)
        case ArrayType(), ArrayType():
            return ArrayType(_spelled(given.elementType, known.elementType))
    return given


def respelled(rows: DataFrame, names: Iterable[str]) -> DataFrame:
    """The rows with these names for the columns that they mean."""
    known, exact = list(names), is_exact(rows.sparkSession)
    found = {name: meant(name, known, exact=exact) for name in rows.columns}
    return rows.withColumnsRenamed({name: right for name, right in found.items() if name != right})


def renamed(column: pa.Array, like: pa.DataType) -> pa.Array:
    """The column with the names of the fields of another type, in their order; a cast would go by the names."""
    kind = _named(column.type, like)
    return column if kind == column.type else column.view(kind)


def _named(kind: pa.DataType, like: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(kind):
        pairs = zip(kind, like, strict=True)
        return pa.struct(
            [field.with_name(other.name).with_type(_named(field.type, other.type)) for field, other in pairs]
        )
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_named(kind.value_type, like.value_type)))
    return kind
