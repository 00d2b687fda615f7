"""The values of a struct as they are given to be written, made what everything else in the codec has."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from types import NoneType
from typing import Any
from uuid import UUID

from construct import Container

from wireloom.codec.accepted_values import given, shown
from wireloom.codec.columns import Column, ColumnType, ListOf, StructOf, decimal_size, is_whole, visible
from wireloom.codec.errors import EncodeError
from wireloom.codec.floats import nearest
from wireloom.codec.frames import Values
from wireloom.codec.labels import WireEnum, WireFlags
from wireloom.coercion import plain, real_number, whole_number

_REMEMBERED = 512
"""So many combinations of types are known at most to need no change."""
_FLOATS = ("float", "double")
_NAMED = (WireEnum, WireFlags)
"""Numbers as the codec itself gives them."""
_KEPT = (*_NAMED, UUID, IPv4Address, IPv6Address)
"""The types whose values are taken unchanged: in columns of numbers, and in columns of text with a meaning."""
_TYPES = {
    "boolean": bool,
    "binary": bytes,
    "string": str,
    "timestamp": datetime,
    "interval day to second": timedelta,
    **dict.fromkeys(_FLOATS, float),
}
"""The types of values that need no change; that of others is ``int``."""


class Misfit:
    """A value that no column can hold: it equals nothing, and errors show it as it was given."""

    __slots__ = ("_shown",)

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown


class Coercion:
    """Makes the values of a struct's ``columns`` what ``wireloom.coercion`` says that they are.

    A plain value of another kind than its column has stays as it is, and is refused by whoever writes that. No values
    are given for hidden columns.
    """

    def __init__(self, columns: Iterable[Column]) -> None:
        every = tuple(columns)
        found = visible(every)
        self._hidden: Values = dict.fromkeys(column.name for column in every if column.hidden)
        self._columns = [(column.name, column.type) for column in found]
        self._rounded = [(place, column.bits) for place, column in enumerate(found) if column.bits]
        self._types = [fitting(kind) for _, kind in self._columns]
        self._lists = [
            (place, fitting(kind.element))
            for place, (_, kind) in enumerate(self._columns)
            if isinstance(kind, ListOf) and not isinstance(kind.element, StructOf)
        ]
        self._known: set[tuple[type, ...]] = set()

    def struct(self, obj: Any, empty: Values) -> Values:
        """The values given for a struct, by column. Raises ``EncodeError``."""
        this = given(obj, {name: empty[name] for name in empty if name not in self._hidden} if self._hidden else empty)
        return {**dict(zip(this, self(this.values()), strict=True)), **self._hidden}

    def __call__(self, values: Collection[Any]) -> Collection[Any]:
        """The values of all columns in order. Raises ``EncodeError``."""
        types = tuple(map(type, values))
        if not ((types in self._known or self._fit(types)) and (not self._lists or self._items_fit([*values]))):
            values = [_coerced(value, kind, name) for (name, kind), value in zip(self._columns, values, strict=True)]
        return self._nearest([*values]) if self._rounded else values

    def _nearest(self, values: list[Any]) -> list[Any]:
        """The values with floats as they are on the wire, so that conditions see the values that a reader sees."""
        for place, bits in self._rounded:
            value = values[place]
            if isinstance(value, float):
                values[place] = nearest(value, bits)
            elif isinstance(value, list):
                values[place] = [nearest(item, bits) if isinstance(item, float) else item for item in value]
        return values

    def _fit(self, types: tuple[type, ...]) -> bool:
        """Whether values of these types need no change themselves, only their contents."""
        for found, fit in zip(types, self._types, strict=True):
            if not fits(found, fit):
                return False
        if len(self._known) < _REMEMBERED:
            self._known.add(types)
        return True

    def _items_fit(self, values: list[Any]) -> bool:
        """The same for the contents of lists."""
        for place, fit in self._lists:
            items = values[place]
            if items and not fit.issuperset(map(type, items)):
                return False
        return True


def fitting(kind: ColumnType) -> frozenset[type]:
    """The types of values that need no change in such a column."""
    match kind:
        case ListOf():
            return frozenset((NoneType, list))
        case StructOf():
            return frozenset((NoneType, dict, Container))
    return frozenset((NoneType, _TYPES.get(kind, int)))


def fits(found: type, fit: frozenset[type]) -> bool:
    """Whether a type is among those that fit. Numbers with names fit where integers do."""
    return found in fit or (int in fit and issubclass(found, _NAMED))


def _is_same(one: object, other: object) -> bool:
    return one is other


def _coerced(value: Any, kind: ColumnType, path: str) -> Any:
    """A value of a column. Raises ``EncodeError`` for one that is too large, or no list or struct at all."""
    if value is None or (isinstance(value, _KEPT) and kind not in _FLOATS):
        return value
    number, found = _number(kind), value
    try:
        found = plain(value)
        found = found if number is None else number(found)
    except OverflowError:
        raise EncodeError(f"{shown(found)} is too large", path) from None
    except Exception:  # whatever the value's own class raises
        if isinstance(kind, ListOf | StructOf):
            raise EncodeError(
                f"a {'list' if isinstance(kind, ListOf) else 'mapping of fields'} expected, not {shown(found)}", path
            ) from None
        return Misfit(shown(found))
    if not isinstance(kind, ListOf) or not isinstance(found, list):
        return found
    items = [_coerced(item, kind.element, f"{path}[{place}]") for place, item in enumerate(found)]
    return found if all(map(_is_same, items, found)) else items


@cache
def _number(kind: ColumnType) -> Callable[[Any], Any] | None:
    """What makes a plain value a number of such a column; None if it has none."""
    if is_whole(kind) or decimal_size(kind):
        return whole_number
    return real_number if kind in _FLOATS else None
