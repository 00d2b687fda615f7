"""The types that columns have for each consumer of tables, as Arrow names them: the one table of them all."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wireloom.codec import Message
from wireloom.codec.columns import NANOSECOND_TIME, Column, ColumnType, ListOf, StructOf, decimal_size, integer_type
from wireloom.codec.protocol import PROVENANCE
from wireloom.options import ReadOptions, TableTypes

_log = logging.getLogger("wireloom")
_TIME = PROVENANCE[0]


class _Kept(NamedTuple):
    """What a consumer keeps exactly and can calculate with, beside the types that all have.

    If it is ``natural``, these are unsigned integers and dictionaries, if these are ``listed``, also as items of lists;
    ``sized``, bytes of a fixed size; ``uuids``, the type for UUIDs; ``fine``, times in nanoseconds, and durations.
    """

    natural: bool = False
    listed: bool = False
    sized: bool = False
    uuids: bool = False
    fine: bool = True


_KEPT: Mapping[TableTypes, _Kept] = {
    TableTypes.SPARK: _Kept(),
    TableTypes.ARROW: _Kept(natural=True, listed=True, sized=True, uuids=True),
    TableTypes.DUCKDB: _Kept(natural=True, uuids=True),
    TableTypes.POLARS: _Kept(natural=True, listed=True),
    TableTypes.PANDAS: _Kept(natural=True, listed=True, sized=True),
    TableTypes.DELTA: _Kept(fine=False),
    TableTypes.ICEBERG: _Kept(fine=False),
}

UUID, DICTIONARY, BINARY = "uuid", "dictionary", "fixed_size_binary"
"""The names of types that Arrow spells in another way: an extension, one with any index, one of any size."""
MOST_SIZED = 16
"""Longer bytes have no fixed size in tables, since there a null takes as much memory as a value."""
_NAMES = {
    "boolean": "bool",
    "byte": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "float": "float",
    "double": "double",
    "timestamp": "timestamp[us, tz=UTC]",
    "string": "string",
    "binary": "binary",
}
_INTEGERS = frozenset(integer_type(bits) for bits in (1, 8, 16, 32, 64))


def type_name(column: Column, types: TableTypes) -> str:
    """The type of a column for a consumer, or of the items of one that is a list, at any depth; empty for structs."""
    kind, kept = item_type(column.type), _KEPT[types]
    match kind:
        case StructOf():
            return ""
        case "string" if column.texts and (kept.listed or (kept.natural and column.type == kind)):
            return DICTIONARY
        case "string" if kept.uuids and column.uuid:
            return UUID
        case "binary" if kept.sized and 0 < column.size <= MOST_SIZED:
            return f"{BINARY}[{column.size}]"
        case _ if kept.natural and kind in _INTEGERS and 0 < column.unsigned <= 64:
            return f"uint{max(8, 1 << (column.unsigned - 1).bit_length())}"
        case "interval day to second":
            return "duration[us]" if kept.fine else "int64"
        case _ if kind == NANOSECOND_TIME:
            return f"timestamp[{'ns' if kept.fine else 'us'}, tz=UTC]"
        case _ if size := decimal_size(kind):
            return f"decimal128({size[0]}, {size[1]})"
    return _NAMES[str(kind)]


Differing = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By message, the columns whose types are not the same for all consumers, by their paths in it: those types, in the
order of ``TableTypes``.
"""


def differing(messages: Iterable[Message]) -> Differing:
    """Where the types of columns differ. A list has the type of its items in angle brackets."""
    return {message.name: dict(_differing(message.columns, "")) for message in messages}


def _differing(columns: Iterable[Column], within: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for column in columns:
        path, kind = within + column.name, item_type(column.type)
        if isinstance(kind, StructOf):
            yield from _differing(kind.columns, f"{path}.")
            continue
        names = tuple(_listed(column.type, type_name(column, types)) for types in TableTypes)
        if len(set(names)) > 1:
            yield path, names


def _listed(kind: ColumnType, name: str) -> str:
    return f"list<{_listed(kind.element, name)}>" if isinstance(kind, ListOf) else name


def warn_of_losses(options: ReadOptions, types: TableTypes) -> None:
    """Log a warning if a table that ``options`` describe has what a consumer does not keep: nanoseconds of times."""
    is_there = options.connections and (options.columns is None or _TIME.name in options.columns)
    if is_there and type_name(_TIME, types) != type_name(_TIME, TableTypes.ARROW):
        message = "%s has no nanoseconds, so %s is cut to microseconds; types=arrow keeps them"
        _log.warning(message, types, _TIME.name)


def item_type(kind: ColumnType) -> ColumnType:
    """What a list consists of at the deepest level; any other type as it is."""
    while isinstance(kind, ListOf):
        kind = kind.element
    return kind
