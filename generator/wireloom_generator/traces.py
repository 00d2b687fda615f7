"""The result of a worked example: where each field is in its bytes, and the row or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Span:
    """A field's path and its bytes in the record, from ``start`` to before ``end``, and what was read from them.

    ``section`` is the record's section it is in, ``bits`` are the highest and lowest bit of a bit field, ``label`` is
    the name of the number, and ``shown`` the number as the spec would write it.
    """

    path: str
    start: int
    end: int
    value: object = None
    section: str = ""
    bits: tuple[int, int] | None = None
    label: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Traced:
    """An example as the codec decodes it: its row, or the reason it is malformed."""

    spans: tuple[Span, ...]
    row: Mapping[str, object]
    reason: str | None


Traces = Mapping[tuple[str, str], Traced]
"""By message and example name."""


def text_of(value: object) -> str | None:
    """A decimal, a time or a duration as rows in JSON have it; None for anything else."""
    match value:
        case Decimal():
            return f"{value:f}"
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case timedelta():
            return _duration(value)
    return None


def _duration(value: timedelta) -> str:
    seconds, parts = divmod(abs(value) // timedelta(microseconds=1), 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    fraction = f".{parts:06}".rstrip("0") if parts else ""
    return f"{'-' if value < timedelta() else ''}P{f'{days}D' if days else ''}T{seconds}{fraction}S"
