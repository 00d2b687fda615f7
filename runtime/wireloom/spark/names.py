"""Names of columns in any case: Spark ignores it, unless ``spark.sql.caseSensitive`` is set."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, DataType, StructField, StructType

from wireloom.options import OptionError


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds the column that a name means: in any case, unless names are ``case_sensitive``."""

    case_sensitive: bool = False

    @classmethod
    def of(cls, spark: SparkSession | None) -> "Resolver":
        """The resolver of a session, or of those that set nothing."""
        return cls(spark is not None and spark.conf.get("spark.sql.caseSensitive", "false") == "true")

    def name(self, name: str, names: Iterable[str]) -> str:
        """The one of ``names`` that a name means; itself if there is none."""
        known = list(names)
        if self.case_sensitive or name in known:
            return name
        return next((each for each in known if each.lower() == name.lower()), name)

    def path(self, path: str, kind: DataType) -> str:
        """The path of a column or of a field inside of it, as ``column.field``, with the names that a type has."""
        if isinstance(kind, ArrayType):
            return self.path(path, kind.elementType)
        if not isinstance(kind, StructType):
            return path
        if (whole := self.name(path, kind.names)) in kind.names:
            return whole
        name, dot, rest = path.partition(".")
        name = self.name(name, kind.names)
        return f"{name}{dot}{self.path(rest, kind[name].dataType) if name in kind.names else rest}"

    def schema(self, given: StructType, known: StructType) -> StructType:
        """The columns that are ``given``, with names as they are known. Raises ``OptionError`` for two of the same."""
        fields = {field.name: field.dataType for field in known}
        found: dict[str, StructField] = {}
        for field in given:
            name = self.name(field.name, fields)
            if name in found:
                raise OptionError(f"two columns are called {name}")
            kind = self._type(field.dataType, fields.get(name, field.dataType))
            found[name] = StructField(name, kind, field.nullable)
        return StructType(list(found.values()))

    def _type(self, given: DataType, known: DataType) -> DataType:
        match given, known:
            case StructType(), StructType():
                return self.schema(given, known)
            case ArrayType(), ArrayType():
                return ArrayType(self._type(given.elementType, known.elementType))
        return given


ANY_CASE = Resolver()
"""The resolver of sessions that set nothing."""


def with_known_names(rows: DataFrame, names: Iterable[str]) -> DataFrame:
    """The rows with these names for the columns that they mean in their session."""
    known, resolver = list(names), Resolver.of(rows.sparkSession)
    found = {name: resolver.name(name, known) for name in rows.columns}
    return rows.withColumnsRenamed({name: right for name, right in found.items() if name != right})


def rename_fields(column: pa.Array, like: pa.DataType) -> pa.Array:
    """The column with the names of the fields of another type, in their order; a cast would go by the names."""
    kind = _renamed(column.type, like)
    return column if kind == column.type else column.view(kind)


def _renamed(kind: pa.DataType, like: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(kind):
        pairs = zip(kind, like, strict=True)
        return pa.struct(
            [field.with_name(other.name).with_type(_renamed(field.type, other.type)) for field, other in pairs]
        )
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_renamed(kind.value_type, like.value_type)))
    return kind
