"""What programs that write know of columns by their types."""

from wireloom.codec.columns import U64, ColumnType, ListOf, StructOf, decimal_size
from wireloom.programs.writing.inputs import Kind, Outline

KINDS = {
    "byte": (Kind.SIGNED, 8),
    "short": (Kind.SIGNED, 16),
    "int": (Kind.SIGNED, 32),
    "long": (Kind.SIGNED, 64),
    "boolean": (Kind.BOOLEAN, 1),
    "float": (Kind.FLOAT, 32),
    "double": (Kind.FLOAT, 64),
    "string": (Kind.BYTES, 0),
    "binary": (Kind.BYTES, 0),
    "timestamp": (Kind.SIGNED, 64),
    "interval day to second": (Kind.SIGNED, 64),
}
"""What values of a type are, and how many bits each number has."""


def outline_of(kind: ColumnType, *, missing: bool) -> Outline:
    """What a program knows of a column of that type, in which values may be ``missing``."""
    match kind:
        case StructOf(columns):
            fields = tuple((each.name, outline_of(each.type, missing=True)) for each in columns)
            return Outline(Kind.STRUCT, 0, missing, fields)
        case ListOf(element):
            return Outline(Kind.LIST, 0, missing, items=outline_of(element, missing=False), type=kind)
    if kind == U64:
        return Outline(Kind.DECIMAL, 128, missing)
    if size := decimal_size(kind):
        return Outline(Kind.SCALED, 128, missing, places=size[1])
    return Outline(*KINDS.get(kind, (Kind.OTHER, 0)), missing)
