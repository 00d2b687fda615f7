"""The types of values on the wire; ``base`` has the interface that all of them share."""

from functools import cache
from typing import get_args

from wireloom_generator.reading import syntax
from wireloom_generator.reading.declarations import Table
from wireloom_generator.types.ascii import Ascii
from wireloom_generator.types.base import Declared, spelled
from wireloom_generator.types.bcd import Bcd
from wireloom_generator.types.columns import Column
from wireloom_generator.types.ibm import IbmFloat
from wireloom_generator.types.numbers import BIT_WIDTHS, WIDTHS, Boolean, Float, Integer, integer_column
from wireloom_generator.types.sized import SizedInteger
from wireloom_generator.types.strings import Bytes, CharacterSet, Text
from wireloom_generator.types.structs import Deeper, FlatBuffers, Struct, Unknown
from wireloom_generator.types.varint import FORMS, Varint
from wireloom_generator.types.zoned import Zoned

WireType = (
    Integer
    | Float
    | Boolean
    | IbmFloat
    | SizedInteger
    | Varint
    | Bcd
    | Zoned
    | Ascii
    | Bytes
    | Text
    | FlatBuffers
    | Struct
    | Deeper
)
"""Every type. A ``match`` without a case for one of them does not pass mypy."""
NumberType = Integer | Float | Boolean
"""The types of a fixed size."""

ALL: tuple[type[WireType], ...] = get_args(WireType)
NAMES = tuple(name for each in ALL for name in each.spellings())
"""The names of all types that a spec need not declare."""


def whole(kind: WireType) -> Integer | None:
    """An integer that has the values of an integer type; None for other types."""
    match kind:
        case Integer():
            return kind
        case SizedInteger() | Varint() | Ascii():
            return kind.number
        case (
            Float() | Boolean() | IbmFloat() | Bcd() | Zoned() | Bytes() | Text() | FlatBuffers() | Struct() | Deeper()
        ):
            return None


@cache
def parse(name: str) -> WireType | None:
    """The type called ``name``; None if only the spec can declare it."""
    return next((found for each in ALL if (found := each.parse(name)) is not None), None)


def of(field: syntax.Field) -> WireType | None:
    """The type of a field; None if it is one that the spec declares, or should."""
    if isinstance(field, syntax.Deeper):
        return Deeper(field.depth, field.deepest, field.like)
    if isinstance(field.compute, syntax.Instant):
        return Integer(64, signed=True)
    found = parse(field.type)
    return None if found is None else found.given(field)


def table_columns(table: Table) -> tuple[Column, ...]:
    """The columns of a FlatBuffers table; fields of unknown types have none."""
    typed = ((field, parse(field.type)) for field in table.fields)
    return tuple(Column(field.name, kind.column(Declared({}, {})), field.doc.comment) for field, kind in typed if kind)
