"""The Arrow types that columns of tables have, each with values at the ends of its range and where other types end."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from wireloom.codec import Column
from wireloom.codec.columns import NANOSECOND_TIME, U64
from wireloom.columnar.consumers import arrow_type
from wireloom.options import TableTypes

TEXTS = ("", "a", "it's", "\U0010ffff")
"""All that the label column below can be."""
COLUMNS = (
    Column("it", "boolean"),
    Column("it", "byte"),
    Column("it", "short"),
    Column("it", "int"),
    Column("it", "long"),
    Column("it", "short", unsigned=8),
    Column("it", "int", unsigned=16),
    Column("it", "long", unsigned=32),
    Column("it", U64, unsigned=64),
    Column("it", "decimal(18,3)"),
    Column("it", "decimal(38,0)"),
    Column("it", "float"),
    Column("it", "double"),
    Column("it", "string"),
    Column("it", "string", texts=TEXTS),
    Column("it", "binary"),
    Column("it", "binary", size=16),
    Column("it", "timestamp"),
    Column("it", NANOSECOND_TIME),
    Column("it", "interval day to second"),
)
"""A column of each kind that tables have."""

_WIDE = "9" * 38
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds to the beginning of the year 1, and to the end of the year 9999."""
_VALUES: dict[str, tuple[Any, ...]] = {
    "bool": (False, True),
    "int8": (-128, 0, 127),
    "int16": (-(2**15), 0, 2**15 - 1),
    "int32": (-(2**31), 0, 2**31 - 2, 2**31 - 1),
    "int64": (-(2**63), -(2**53) - 1, 0, 2**53 + 1, 2**63 - 2, 2**63 - 1),
    "uint8": (0, 2**7 - 1, 2**7, 2**8 - 1),
    "uint16": (0, 2**15 - 1, 2**15, 2**16 - 1),
    "uint32": (0, 2**31 - 1, 2**31, 2**32 - 1),
    "uint64": (0, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1),
    "decimal128(20, 0)": tuple(map(Decimal, (0, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1))),
    "decimal128(18, 3)": tuple(Decimal(number).scaleb(-3) for number in (1 - 10**18, 1, 2**53 + 1, 10**18 - 1)),
    "decimal128(38, 0)": (Decimal(f"-{_WIDE}"), Decimal(0), Decimal(_WIDE)),
    "float": (-math.inf, -0.0, 0.0, 2.0**-149, 0.5, math.inf, math.nan),
    "double": (-math.inf, -0.0, 0.0, 5e-324, 0.1, math.inf, math.nan),
    "string": ("", "a" * 99, "it's", "\U0010ffff" * 40),
    "dictionary": TEXTS,
    "binary": (b"", b"\0" * 99, b"\xff" * 99),
    "fixed_size_binary[16]": (bytes(16), bytes(range(16)), b"\xff" * 16),
    "timestamp[us, tz=UTC]": (_FIRST, -1, 0, 1_735_689_599_999_999, _LAST),
    "timestamp[ns, tz=UTC]": (-(2**63), -(2**63) + 1, -1, 0, 1_735_689_599_999_999_600, 2**63 - 1),
    "duration[us]": (-(2**63), -1, 0, 1_500_000, 2**63 - 1),
}


class Case(NamedTuple):
    """An Arrow type, the dialects that have it, and values: times and durations as numbers of their unit."""

    name: str
    kind: pa.DataType
    dialects: frozenset[TableTypes]
    values: tuple[Any, ...]


def type_name(kind: pa.DataType) -> str:
    """As the page has it: all dictionaries are alike, whatever their indexes."""
    return "dictionary" if pa.types.is_dictionary(kind) else str(kind)


def cases() -> dict[str, Case]:
    """The types of all dialects by name, in the order of ``COLUMNS``. Raises ``KeyError`` for one without values."""
    found: dict[str, Case] = {}
    for column in COLUMNS:
        for types in TableTypes:
            kind = arrow_type(column, types)
            name = type_name(kind)
            known = found.setdefault(name, Case(name, kind, frozenset(), _VALUES[name]))
            found[name] = known._replace(dialects=known.dialects | {types})
    return found


def column_of(case: Case, values: tuple[Any, ...]) -> pa.Array:
    """A column with some of the values of a case, and a null at the end."""
    if not pa.types.is_dictionary(case.kind):
        return pa.array([*values, None], case.kind)
    indexes = pa.array([*map(case.values.index, values), None], case.kind.index_type)
    return pa.DictionaryArray.from_arrays(indexes, pa.array(case.values, case.kind.value_type))


def shapes(column: pa.Array) -> dict[str, pa.Array]:
    """A column as it is; in structs, the last of which is null; in lists, one of which is empty, and the last null."""
    count = len(column) - 1
    structs = pa.StructArray.from_arrays([column], ["it"], mask=pa.array([False] * count + [True]))
    offsets = pa.array([*range(count + 1), count, count], pa.int32())
    lists = pa.ListArray.from_arrays(offsets, column[:-1], mask=pa.array([False] * (count + 1) + [True]))
    return {"column": column, "struct": structs, "list": lists}
