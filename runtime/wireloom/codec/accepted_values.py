"""Values given to be written: which types are accepted for which, and messages about those that are not."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from numbers import Real
from typing import Any

from wireloom.codec.columns import Column, ColumnType, StructOf, is_whole
from wireloom.codec.errors import EncodeError
from wireloom.codec.frames import Values

_LONGEST = 60
"""How many characters of a value an error shows."""


def given(obj: Any, columns: Values, ignored: frozenset[str] = frozenset()) -> Values:
    """The values to write, by column. Raises ``EncodeError`` for a name that is not a column."""
    if not isinstance(obj, dict | Mapping):
        raise EncodeError(f"a mapping of fields expected, not {type(obj).__name__}")
    this = {**columns, **obj}
    if len(this) > len(columns):
        for name in this.keys() - columns.keys():
            if name not in ignored:
                raise EncodeError(f"unknown field; known are {', '.join(columns)}", shown(name).strip("'") or "''")
            del this[name]
    return this


Fillable = Mapping[str, tuple[ColumnType, tuple[str, ...]]]
"""The type of each column, and the columns of its labels."""


def fillable(columns: Iterable[Column]) -> Fillable:
    """What ``fill`` needs to know of columns."""
    found, labels = tuple(columns), dict[str, tuple[str, ...]]()
    for column in found:
        if column.label:
            of = column.name.rpartition("_")[0]
            labels[of] = (*labels.get(of, ()), column.name)
    return {column.name: (column.type, labels.get(column.name, ())) for column in found}


def fill(values: Values, columns: Fillable, name: str, value: object) -> None:
    """Give ``values`` that of a column which has neither a value nor a label; dots lead into structs, which are copied.

    Nothing happens if there is no such column.
    """
    name, _, inside = name.partition(".")
    if name not in columns:
        return
    (kind, labels), known = columns[name], values.get(name)
    if isinstance(kind, StructOf) and (known is None or isinstance(known, Mapping)):
        values[name] = within = dict(known or {})
        fill(within, fillable(kind.columns), inside, value)
    elif known is None and all(values.get(label) is None for label in labels):
        values[name] = value


def octets(value: Any, path: str = "") -> bytes:
    """``value`` as bytes. Raises ``EncodeError`` if it is something else."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise EncodeError(f"bytes expected, not {shown(value)}", path)
    return bytes(value)


def is_same(given: Any, value: Any) -> bool:
    """Whether they are equal, or both NaN. What somebody gave need not compare as numbers do."""
    try:
        return bool(given == value or (given != given and value != value))
    except Exception:  # whatever the given value's own class raises
        return False


def shown(value: object, digits: int = 0, depth: int = 2) -> str:
    """A value as an error shows it: at most one line, in hexadecimal if ``digits`` is not 0. Lists inside of each other
    are shown down to a ``depth``.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        if value.bit_length() > 4 * _LONGEST:
            return f"a number of {value.bit_length()} bits"
        return f"{value:#0{2 + digits}x}" if digits and value >= 0 else str(int(value))
    if isinstance(value, list) and not depth:
        return "[…]"
    if isinstance(value, list) and len(value) <= _LONGEST:
        text = f"[{', '.join(shown(each, digits, depth - 1) for each in value)}]"
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    try:
        text = str(value) if isinstance(value, Decimal | datetime) else repr(value)
    except Exception:  # whatever the value's own class raises; the error is about something else
        return f"this {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def unfit(value: object, kind: str, bits: int) -> str:
    """The message for a value that a number of that table type cannot hold."""
    if value is None:
        return "missing"
    if kind == "boolean":
        return f"true or false expected, not {shown(value)}"
    if kind in ("float", "double"):
        is_number = isinstance(value, Real | Decimal)
        return f"{shown(value)} is too large for {bits} bits" if is_number else f"a number expected, not {shown(value)}"
    return (
        f"{shown(value)} does not fit {bits} bits"
        if isinstance(value, int) or not is_whole(kind)
        else f"a whole number expected, not {shown(value)}"
    )
