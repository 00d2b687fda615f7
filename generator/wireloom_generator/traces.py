"""The result of a worked example: its bytes explained, and the row or the error."""

import json
from collections.abc import Iterator, Mapping
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


def as_json(row: Mapping[str, object]) -> str:
    """A row as JSON; columns that are null are left out, bytes are hexadecimal."""
    return "\n".join(_json(row, 0))


def _json(value: object, depth: int) -> Iterator[str]:
    """The lines of a value: one column per line on the outer two levels, deeper values on one line."""
    if isinstance(value, Mapping) and depth < 2:
        entries = [(json.dumps(name) + ": ", item) for name, item in value.items() if item is not None]
        brackets = "{}"
    elif isinstance(value, list | tuple) and depth < 3 and any(isinstance(item, Mapping) for item in value):
        entries = [("", item) for item in value]
        brackets = "[]"
    else:
        yield json.dumps(_plain(value), ensure_ascii=False)
        return
    if not entries:
        yield brackets
        return
    yield brackets[0]
    for index, (name, item) in enumerate(entries):
        first, *rest = _json(item, depth + 1 if isinstance(value, Mapping) else 3)
        comma = "," if index < len(entries) - 1 else ""
        lines = [name + first, *rest]
        lines[-1] += comma
        yield from (f"  {line}" for line in lines)
    yield brackets[1]


def _plain(value: object) -> object:
    match value:
        case Mapping():
            return {name: _plain(item) for name, item in value.items() if item is not None}
        case list() | tuple():
            return [_plain(item) for item in value]
        case bytes():
            return value.hex()
        case bool() | float() | str() | None:
            return value
        case int():
            return int(value)
    if (text := text_of(value)) is not None:
        return text
    raise TypeError(f"no value of a row: {value!r}")
