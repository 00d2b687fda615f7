"""The meaning of values of Python, numpy, pandas and others. Only this module decides what is a number, text, bytes or
true.

A whole number is anything that ``operator.index`` accepts, or a decimal without a fraction. If fractions are
allowed, so are instances of ``numbers.Real`` and all decimals. True and false are not numbers; ``numpy.bool_``
counts as them. A numpy array without dimensions is its value. Text and bytes are ``str``, ``bytes``,
``bytearray``, ``memoryview`` and their subclasses.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isinf, nan
from numbers import Real
from operator import index
from types import NoneType
from typing import Any

LITERALS = frozenset((NoneType, bool, int, str, bytes))
"""The types of values that are written down in source as ``repr`` has them."""
_OWN = LITERALS | {float, list, dict, datetime, timedelta}
_KEPT = (Mapping, date, timedelta)
"""What whoever writes them looks into."""
_DIGITS = 60
"""No number of the wire has so many; one made of a decimal that has could take all memory."""


def plain(value: Any) -> Any:
    """The value as one of Python's own types. Raises ``TypeError`` for one that means none of them, ``OverflowError``
    for a number that is too large for a float, and whatever the value's own class raises.
    """
    if type(value) in _OWN:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(memoryview(value))
    if isinstance(value, Decimal):
        return nan if value.is_nan() else value  # which can be compared, be it a signalling one
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, _KEPT):
        return value
    if getattr(value, "shape", None) == ():
        value = value[()]  # of an array without a dimension
        if str(getattr(value, "dtype", "")) == "bool":
            return bool(value)
    try:
        return int.__index__(index(value))
    except TypeError:
        if isinstance(value, Real):
            return _float(value)
        raise


def whole_number(value: Any) -> Any:
    """A plain value as an integer if it is a whole number, else as it is. Raises ``TypeError`` for true and false."""
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() < _DIGITS and value == int(value):
        return int(value)
    return value


def real_number(value: Any) -> Any:
    """A plain value as a float if it is a number, else as it is. So is an integer that is too large. Raises
    ``TypeError`` for true and false, and ``OverflowError`` for a decimal that is too large.
    """
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, Decimal):
        return _float(value)
    try:
        return float(value) if isinstance(value, int) else value
    except OverflowError:
        return value


def _float(value: Any) -> float:
    """The nearest float."""
    found = float.__float__(value) if isinstance(value, float) else float(value)
    if isinf(found) and found != value:
        raise OverflowError
    return found
