"""Values as the page has them: numbers by the power of two beside them, times as dates."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import MAX_PREC, Context, Decimal
from typing import Any

import pyarrow as pa

from support.interop.plain import NANOSECONDS, Nanoseconds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_POWERS = (7, 8, 15, 16, 31, 32, 53, 63, 64)
_NAMED = {
    sign * 2**power
    + more: f"{'−' * (sign < 0)}2^{power}{f' {more:+}'.replace('+', '+ ').replace('-', '− ') if more else ''}"
    for power in _POWERS
    for sign in (1, -1)
    for more in (-2, -1, 0, 1)
}
_LONGEST = 24


def word(value: Any, kind: pa.DataType) -> str:
    """A value, or that of a struct or a list with one. A type says what the numbers of its times and durations are."""
    if isinstance(value, dict | list):
        (value,) = value.values() if isinstance(value, dict) else value
    if value is None:
        return "null"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value).replace("inf", "infinity").replace("-", "−")
    if isinstance(value, Nanoseconds):
        return _moment(value) if pa.types.is_timestamp(kind) else f"{_number(Decimal(value) / 1000)} µs"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return _number(value)
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:6]}…"


def of_type(value: Any, kind: pa.DataType) -> Any:
    """A value of a case, of which times and durations are numbers of the unit of their type."""
    has_unit = pa.types.is_timestamp(kind) or pa.types.is_duration(kind)
    return Nanoseconds(value * NANOSECONDS[kind.unit]) if has_unit else value


def _number(value: int | Decimal) -> str:
    exact = Decimal(value)
    known = _NAMED.get(int(exact)) if exact == int(exact) else None
    return known or f"{exact.normalize(Context(prec=MAX_PREC)):f}".replace("-", "−")


def _moment(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    whole = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    return whole + (f".{rest:09}".rstrip("0") if rest else "")
