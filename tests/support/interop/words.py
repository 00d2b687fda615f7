"""Values as the page has them: numbers by the power of two beside them, times as dates."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POWERS = (7, 8, 15, 16, 31, 32, 53, 63, 64)
_NAMED = {
    sign * 2**power + more: f"{'−' if sign < 0 else ''}2^{power}" + (f" {'−' if more < 0 else '+'} {abs(more)}" if more else "")
    for power in _POWERS
    for sign in (1, -1)
    for more in (-2, -1, 0, 1)
}
_LONGEST = 24


def word(value: Any, kind: pa.DataType, unit: str = "") -> str:
    """A value of a type. Times and durations are numbers of their unit, or of that unit."""
    if isinstance(value, dict | list):
        (value,) = value.values() if isinstance(value, dict) else value
    if value is None:
        return "null"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value).replace("inf", "infinity")
    if pa.types.is_timestamp(kind) and isinstance(value, int):
        return _moment(value * _NANOSECONDS[unit or kind.unit])
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        whole = value == int(value)
        return _NAMED.get(int(value), str(value)) if whole else str(value)
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:6]}…"


_NANOSECONDS = {"us": 1000, "ns": 1}


def _moment(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    whole = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    return whole + (f".{rest:09}".rstrip("0") if rest else "")
