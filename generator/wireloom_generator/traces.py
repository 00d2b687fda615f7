"""The result of a worked example: its bytes explained, and the row or the error."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireloom.inspection import Inspected


@dataclass(frozen=True, slots=True)
class Traced:
    """A decoded example. The ``row`` of a malformed one is empty."""

    inspected: "Inspected"
    row: Mapping[str, object]


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
