"""The columns of tables: their types, and the last two of every row. Each backend writes these types in its own way."""

from dataclasses import dataclass
from enum import StrEnum


class Primitive(StrEnum):
    """A table's primitive types, by their Spark names."""

    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    BINARY = "binary"
    STRING = "string"
    TIMESTAMP = "timestamp"
    INTERVAL = "interval day to second"


@dataclass(frozen=True, slots=True)
class Decimal:
    """Numbers of ``precision`` decimal digits, ``scale`` of them after the point."""

    precision: int
    scale: int = 0

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


U64 = Decimal(20)
"""The type that holds every unsigned 64-bit number; no primitive type does."""


@dataclass(frozen=True, slots=True)
class ListType:
    """A list of one element type."""

    element: "ColumnType"

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class StructType:
    """Named columns in order."""

    columns: "tuple[Column, ...]"

    def __str__(self) -> str:
        return f"struct<{', '.join(f'{column.name}: {column.type}' for column in self.columns)}>"


ColumnType = Primitive | Decimal | ListType | StructType
"""Every type of a column. ``str`` of one is its Spark DDL."""


def brief(kind: ColumnType) -> str:
    """The type in Spark's words, without the fields of structs."""
    match kind:
        case StructType():
            return "struct"
        case ListType(element=element):
            return f"array<{brief(element)}>"
        case Primitive() | Decimal():
            return str(kind)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; all are nullable. ``label`` ones name the numbers of the column before them."""

    name: str
    type: ColumnType
    doc: str = ""
    label: bool = False


CORRUPT = (
    Column("_corrupt_record", Primitive.BINARY, "The bytes of a malformed record; null in every other row"),
    Column("_corrupt_reason", Primitive.STRING, "Why it is malformed: code, field, byte offset, what was expected"),
)
