"""The shape of the rows that a parser returns: names, order and table types, derived from the parser itself.

The compiler derives the Spark schema from the spec; these columns, of which the Arrow schema is made, come from the
running codec. That the two agree is what ``wireloom generate --check`` proves.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one element type."""

    element: "ColumnType"

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class StructOf:
    """Named columns in order."""

    columns: "tuple[Column, ...]"

    def __str__(self) -> str:
        return f"struct<{','.join(f'{column.name}:{column.type}' for column in self.columns)}>"


ColumnType = str | ListOf | StructOf
"""A primitive by its Spark name (``short``, ``decimal(20,0)``, ``binary`` …), a list or a struct.

``str`` of each is its Spark DDL.
"""


_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def decimal(precision: int, scale: int = 0) -> str:
    """The table type of numbers with this many decimal digits, ``scale`` of them after the point."""
    return f"decimal({precision},{scale})"


def decimal_size(kind: ColumnType) -> tuple[int, int] | None:
    """(precision, scale) of a decimal type; None for any other type."""
    found = _DECIMAL.fullmatch(kind) if isinstance(kind, str) else None
    return (int(found[1]), int(found[2])) if found else None


NANOSECOND_TIME = "timestamp_ns"
"""The table type of times in nanoseconds. Spark has none, so there they are in microseconds."""
U64 = decimal(20)
"""The smallest table type that holds every unsigned 64-bit number."""


def integer_type(bits: int, *, signed: bool = False) -> str:
    """The narrowest table type that holds every integer of so many bits."""
    steps = ((8, "byte"), (16, "short"), (32, "int"), (64, "long"))
    return next((kind for limit, kind in steps if bits + (not signed) <= limit), U64)


def is_whole(kind: ColumnType) -> bool:
    """Whether the values of a type are integers; this includes decimals without a fraction."""
    size = decimal_size(kind)
    return kind in ("byte", "short", "int", "long") if size is None else size[1] == 0


@dataclass(frozen=True, slots=True)
class Column:
    """One column; every column is nullable, since a malformed record has no values.

    ``label`` marks a column with the names of the numbers in the column before it; ``longest`` is the size of the
    longest in bytes. ``u64`` marks unsigned 64-bit numbers that readers can have as a long or as a decimal. Messages
    show numbers with ``digits`` in hexadecimal. Floats have ``bits`` on the wire; 0 if those of a double. Numbers that
    are never negative have ``unsigned`` bits; 0 for all others, and for those that a signed type was chosen for.
    ``texts`` are all that a text can be; empty if it can be any. All bytes have this ``size``; 0 if it varies. A text
    may be that of a ``uuid``. What is said of a value holds for the items of a list.

    A ``hidden`` one is in no row: it is a value that only expressions use.
    """

    name: str
    type: ColumnType
    label: bool = field(default=False, compare=False)
    u64: bool = field(default=False, compare=False)
    digits: int = field(default=0, compare=False)
    longest: int = field(default=0, compare=False)
    bits: int = field(default=0, compare=False)
    unsigned: int = field(default=0, compare=False)
    texts: tuple[str, ...] = field(default=(), compare=False)
    size: int = field(default=0, compare=False)
    uuid: bool = field(default=False, compare=False)
    hidden: bool = False


def visible(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that rows have."""
    return tuple(column for column in columns if not column.hidden)


_INTEGERS = ("byte", "short", "int", "long", U64)


def merge(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns in order of first appearance: a name used by several variants is one column.

    Of integers of different width, the wider type wins. Readers can choose a type if they can for all uses that need a
    decimal. Raises ``ValueError`` if two uses of a name differ in another way.
    """
    merged: dict[str, Column] = {}
    for column in columns:
        known = merged.setdefault(column.name, column)
        if known is column:
            continue
        widest, u64 = known, known.u64
        if known.type in _INTEGERS and column.type in _INTEGERS:
            widest = max(known, column, key=lambda c: _INTEGERS.index(str(c.type)))
            fixed = any(use.type == U64 and not use.u64 for use in (known, column))
            u64 = not fixed and (known.u64 or column.u64)
        elif known.type != column.type:
            raise ValueError(f"column {column.name} is {known.type} in one place and {column.type} in another")
        merged[column.name] = replace(
            widest,
            u64=u64,
            longest=max(known.longest, column.longest),
            bits=_more(known.bits, column.bits),
            unsigned=_more(known.unsigned, column.unsigned),
            texts=tuple(dict.fromkeys((*known.texts, *column.texts))) if known.texts and column.texts else (),
            size=known.size if known.size == column.size else 0,
            uuid=known.uuid and column.uuid,
        )
    return tuple(merged.values())


def _more(one: int, other: int) -> int:
    """The larger of two numbers of bits; 0 if one of them is, which says nothing of the values."""
    return max(one, other) if one and other else 0


PLACE = 4
"""Bytes that Arrow takes to say where a text, bytes or a list begins."""
_WIDTHS = {"boolean": 1, "byte": 8, "short": 16, "int": 32, "long": 64, "float": 32, "double": 64}
_WIDTHS |= {"timestamp": 64, "interval day to second": 64}


def weight(kind: ColumnType) -> int:
    """The most bytes that an item of a list takes in a table, beside texts and bytes.

    Texts and bytes are in the record, so they are no longer than it. Items of an inner list have a weight of their own.
    """
    return -(-((kind in ("binary", "string")) + _bits(kind)) // 8)


def _bits(kind: ColumnType) -> int:
    match kind:
        case StructOf(columns):  # a bit says whether a column is null
            return sum(1 + _bits(column.type) + 8 * column.longest for column in columns)
        case ListOf() | "binary" | "string":
            return 8 * PLACE
    return 128 if decimal_size(kind) else _WIDTHS[kind]
