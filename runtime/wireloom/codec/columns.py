"""The shape of what a parser returns: names, order and table types, read off the parser itself.

The compiler derives the Spark and Arrow schemas from the spec; these columns come from the running codec. That the two
agree is what ``wireloom generate --check`` proves.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class ListOf:
    """A repetition of one element type."""

    element: "ColumnType"


@dataclass(frozen=True, slots=True)
class StructOf:
    """Named columns in order."""

    columns: "tuple[Column, ...]"


ColumnType = str | ListOf | StructOf
"""A primitive by its Spark name (``short``, ``decimal(20,0)``, ``binary`` …), a list or a struct."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; every column is nullable, since a malformed record has no values.

    ``label`` marks a column that only says in words what the one before it says in numbers; ``bounded`` one of unsigned
    numbers of 64 bits that are a long because the spec bounds them.
    """

    name: str
    type: ColumnType
    label: bool = field(default=False, compare=False)
    bounded: bool = field(default=False, compare=False)


_INTEGERS = ("byte", "short", "int", "long", "decimal(20,0)")


def merge(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns in order of first appearance: a name used by several variants is one column.

    Integers of different width give the wider. Raises ``ValueError`` when two uses of a name differ otherwise.
    """
    merged: dict[str, Column] = {}
    for column in columns:
        known = merged.setdefault(column.name, column)
        if known.type in _INTEGERS and column.type in _INTEGERS:
            widest = max(known, column, key=lambda c: _INTEGERS.index(str(c.type)))
            merged[column.name] = replace(widest, bounded=known.bounded or column.bounded)
        elif known.type != column.type:
            raise ValueError(f"column {column.name} is {known.type} in one place and {column.type} in another")
    return tuple(merged.values())
