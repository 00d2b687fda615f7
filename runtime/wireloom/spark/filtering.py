"""What a query filters out is not read: files by their partitions, records by their headers."""

import operator
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
)

from wireloom import registry
from wireloom.codec import Protocol
from wireloom.columnar.filters import Filter as HeaderFilter
from wireloom.columnar.filters import filterable
from wireloom.files import CaptureFile
from wireloom.spark.reading import CaptureReader


class FilteringReader(CaptureReader):
    """A reader that does not decode what a query filters out.

    Spark refuses it unless ``spark.sql.python.filterPushdown.enabled`` is set.
    """

    wanted: "tuple[Pushed, ...]" = ()

    def files(self) -> tuple[CaptureFile, ...]:
        """Those that may have what the query wants, by their partitions."""
        return tuple(file for file in super().files() if self._may_hold(file))

    def _may_hold(self, file: CaptureFile) -> bool:
        values = dict(zip((field.name for field in self.added.fields), self.added.values(file), strict=True))
        own = (wanted for wanted in self.wanted if wanted.column in values and not wanted.inner)
        return all(wanted.holds(values[wanted.column]) for wanted in own)

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's name
        """Remember the filters. Spark applies them again, since a record turns out to be malformed only when it is
        decoded.
        """
        protocol = registry.protocol(self.protocol)
        structs = protocol.messages if self.options.message is None else ()
        self.wanted = tuple(wanted for filter in filters if (wanted := Pushed.of(filter)) is not None)
        found = (wanted.of_records(protocol, structs) for wanted in self.wanted)
        self.filters = tuple(condition for condition in found if condition is not None)
        return filters


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a filter of Spark says of a column, or of a field ``inner`` of it: the ``operator`` holds for one of the
    ``values``.
    """

    column: str
    inner: tuple[str, ...]
    operator: str
    values: tuple[object, ...] = ()

    @classmethod
    def of(cls, filter: Filter) -> "Pushed | None":
        """What a filter says, if it is one of those that are known here."""
        column, *inner = getattr(filter, "attribute", ("",))
        match filter:
            case IsNull() | EqualNullSafe(value=None):
                return cls(column, tuple(inner), _NULL)
            case IsNotNull():
                return cls(column, tuple(inner), _NOT_NULL)
            case In(value=values):
                return cls(column, tuple(inner), "=", tuple(value for value in values if value is not None))
        operator = _OPERATORS.get(type(filter))
        if operator is None:
            return None
        value = getattr(filter, "value", None)
        return cls(column, tuple(inner), operator, () if value is None else (value,))

    def holds(self, value: object) -> bool:
        """Whether it is true of a value of the column, or may be: Spark has NaN equal itself, and above all numbers."""
        if value is None or self.operator in (_NULL, _NOT_NULL):
            return self.operator == (_NULL if value is None else _NOT_NULL)
        compare = _ORDERS[self.operator]
        return any(value != value or wanted != wanted or compare(value, wanted) for wanted in self.values)

    def of_records(self, protocol: Protocol, structs: Collection[str]) -> HeaderFilter | None:
        """What it says of the message or an integer of the header; None if nothing.

        A row that has a value in one of the messages' ``structs`` is of that message.
        """
        if self.column in structs and self.operator != _NULL and (self.inner or self.operator == _NOT_NULL):
            return HeaderFilter("message", "=", (self.column,))
        if self.inner or not self.values or self.column not in filterable(protocol):
            return None
        if self.column == "message" and self.operator != "=":
            return None
        return HeaderFilter(self.column, self.operator, tuple(map(_plain, self.values)))


_NULL, _NOT_NULL = "is null", "is not null"
_OPERATORS: dict[type, str] = {
    EqualTo: "=",
    EqualNullSafe: "=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
}
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def _plain(value: object) -> object:
    """A decimal as an integer, if it is one."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value
