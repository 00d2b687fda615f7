"""Conditions on headers, by which records are left out before they are decoded."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from wireloom.buffers import Array
from wireloom.codec import Protocol
from wireloom.codec.columns import is_whole
from wireloom.coercion import plain, whole_number
from wireloom.columnar.arrays import Numbers
from wireloom.options import OptionError, unknown

Condition = tuple[str, str, Any]
"""A condition as users write it: ``("opcode", "=", 0x56)``, ``("message", "in", ["system_event", "unknown"])``."""

_COMPARE: dict[str, Callable[[Array, Any], Array]] = {
    "=": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Filter(NamedTuple):
    """A condition on the message or an integer of the header: the ``operator`` holds for one of the ``values``.

    Records for which it is false are left out, malformed ones too; those whose header cannot be read are not.
    """

    column: str
    operator: str
    values: tuple[Any, ...]

    def holds(self, column: Numbers | None, count: int) -> Array:
        """For which of ``count`` records it is true; for none that lack the column."""
        if column is None:
            return np.zeros(count, bool)
        found = self._compared(column.data)
        return found if column.valid is None else found & column.valid

    def admits(self, value: object) -> bool:
        """Whether it is true for one value."""
        return value is not None and bool(self._compared(np.array([value], object))[0])

    def _compared(self, data: Array) -> Array:
        compare = _COMPARE[self.operator]
        found: Array = np.logical_or.reduce([compare(data, value) for value in self.values])
        return found.astype(bool)


def filterable(protocol: Protocol) -> frozenset[str]:
    """The columns that conditions may be on: ``message``, and the integers before all sections."""
    head = protocol.record.head.columns()
    return frozenset({"message", *(column.name for column in head if is_whole(column.type))})


def filters_of(conditions: Iterable[Condition], protocol: Protocol) -> tuple[Filter, ...]:
    """The filters that ``conditions`` are; a record is left out unless all hold. Raises ``OptionError``."""
    return tuple(_filter(condition, protocol) for condition in conditions)


def _filter(condition: object, protocol: Protocol) -> Filter:
    match condition:
        case (str() as name, str() as operator, value):
            return _checked(name, operator, value, protocol)
    raise OptionError(f"filters are tuples of a column, an operator and a value, not {condition!r}")


def _checked(name: str, how: str, value: object, protocol: Protocol) -> Filter:
    if name not in (known := filterable(protocol)):
        raise OptionError(f"filters are for the message and integers of the header: {unknown('column', name, known)}")
    operators = ("=", "in") if name == "message" else (*_COMPARE, "in")
    if how not in operators:
        raise OptionError(f"a filter on {name} has one of the operators {', '.join(operators)}, not {how!r}")
    values = _values(name, value) if how == "in" else (value,)
    if name != "message":
        values = tuple(_number(name, each) for each in values)
    elif missing := [each for each in values if not isinstance(each, str) or each not in protocol.messages]:
        raise OptionError(unknown("message", str(missing[0]), protocol.messages))
    return Filter(name, "=" if how == "in" else how, values)


def _number(name: str, value: Any) -> int:
    """The whole number that a column is compared with, whatever type it is of; tables have some as decimals."""
    try:
        found = whole_number(plain(value))
    except (TypeError, ValueError, ArithmeticError):
        found = None
    if isinstance(found, int):
        return found
    raise OptionError(f"a filter on {name} compares it with integers, not {value!r}")


def _values(name: str, value: object) -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable) or not (found := tuple(value)):
        raise OptionError(f"a filter on {name} with in has a list of values, not {value!r}")
    return found
