"""Rows as JSON objects, and back: the keys are the columns, bytes are hex, the rest is what JSON has.

Decimals of a scale are text (``12.50``), as most who read a number of JSON make a float of it. JSON has no numbers
beyond the finite ones. They are the strings ``NaN``, ``Infinity`` and ``-Infinity``; a NaN with other bits than the
usual is ``NaN(7ff8000000000001)``, as those bits must come back. A character that is not seen but does something, to a
terminal above all, is an escape: control characters, and those that turn the direction of text.
"""

import json
import math
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from wireloom.codec import Column, EncodeError, ListOf, Protocol, StructOf
from wireloom.codec.columns import ColumnType, decimal_size, is_whole
from wireloom.codec.protocol import POSITIONS
from wireloom.options import unknown
from wireloom.views import FILE, Row, nested

Json = dict[str, Any]


def json_writer(columns: Iterable[Column]) -> Callable[[Row], Json]:
    """A function that gives a row's JSON object: the ``columns`` in order, nulls included."""
    plan = [(column.name, _to_json(column.type)) for column in columns]

    def write(row: Row) -> Json:
        written: Json = {}
        for name, convert in plan:
            value = row.get(name)
            written[name] = value if convert is None or value is None else convert(value)
        return written

    return write


def _to_json(kind: ColumnType) -> Callable[[Any], Any] | None:
    """How a value that is not None is written; None where it stays what it is."""
    match kind:
        case "binary":
            return bytes.hex
        case "float" | "double":
            return _float_to_json
        case StructOf(columns):
            return json_writer(columns)
        case ListOf(element):
            convert = _to_json(element)
            return None if convert is None else lambda items: [convert(item) for item in items]
        case str() if decimal_size(kind) and not is_whole(kind):
            return decimal_text
    return None


def decimal_text(value: Decimal) -> str:
    """All digits of a decimal, without an exponent."""
    return f"{value:f}"


_NAN = struct.pack(">d", math.nan)


def _float_to_json(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    bits = struct.pack(">d", value)
    return "NaN" if bits == _NAN else f"NaN({bits.hex()})"


_DOUBTFUL = re.compile(r"[^ -~\n]")
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters: control, format, surrogate, line and paragraph separator."""


def harmless(text: str) -> str:
    """The same JSON, with escapes in place of characters that are not seen."""
    return text if text.isprintable() else _DOUBTFUL.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if unicodedata.category(found[0]) in _UNSEEN else found[0]


def json_text(value: object) -> str:
    """What is no row as JSON for people and programs."""
    return harmless(json.dumps(value, indent=2, ensure_ascii=False))


Reader = Callable[[Any], Any]
"""From a JSON value that is not null to a row's. Raises ``EncodeError``, its path relative to the value."""


def row_reader(protocol: Protocol) -> Callable[[object], Row]:
    """A function that gives the row of a JSON object as ``json_writer`` makes them, whatever view it came from.

    Columns may be left out, derived ones and labels above all. Of a malformed record there is nothing to read but its
    bytes. The function raises ``EncodeError`` naming the field.
    """
    whole = json_reader((*protocol.columns, FILE, *POSITIONS))

    def read(found: object) -> Row:
        if isinstance(found, dict):
            corrupt = found.get("_corrupt_record")
            found = nested(protocol, found) if corrupt is None else {"_corrupt_record": corrupt}
        row: Row = whole(found)
        return row

    return read


def _reader(kind: ColumnType) -> Reader:
    match kind:
        case StructOf(columns):
            return json_reader(columns)
        case ListOf(element):
            return _list_reader(_reader(element))
        case "binary":
            return _read_hex
        case "float" | "double":
            return _read_float
        case "boolean":
            return _exactly(bool, "true or false")
        case "string":
            return _exactly(str, "text")
    return _exactly(int, "a whole number") if is_whole(kind) else _read_decimal


def json_reader(columns: Iterable[Column]) -> Reader:
    """A function that gives the values of a JSON object with these columns or some of them; null is left out."""
    readers = {column.name: _reader(column.type) for column in columns}

    def read(found: object) -> Row:
        if not isinstance(found, dict):
            raise EncodeError(f"an object expected, not {_shown(found)}")
        row: Row = {}
        for name, value in found.items():
            if name not in readers:
                raise EncodeError(unknown("field", name, readers), name)
            if value is not None:
                try:
                    row[name] = readers[name](value)
                except EncodeError as error:
                    raise error.within(name) from None
        return row

    return read


def _list_reader(reader: Reader) -> Reader:
    def read(found: object) -> list[Any]:
        if not isinstance(found, list):
            raise EncodeError(f"a list expected, not {_shown(found)}")
        items = []
        for index, item in enumerate(found):
            try:
                items.append(None if item is None else reader(item))
            except EncodeError as error:
                raise error.within(f"[{index}]") from None
        return items

    return read


def _exactly(kind: type, expected: str) -> Reader:
    def read(found: object) -> Any:
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
            raise EncodeError(f"{expected} expected, not {_shown(found)}")
        return found

    return read


def _read_hex(value: object) -> bytes:
    if not isinstance(value, str):
        raise EncodeError(f"hex text expected, not {_shown(value)}")
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise EncodeError(f"hex text expected, not {_shown(value)}") from None


_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _read_decimal(value: object) -> Decimal:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Decimal(value)
    raise EncodeError(f"a decimal as text expected, as in '12.50', not {_shown(value)}")


_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _read_float(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise EncodeError(f"{_shown(value)} does not fit a double") from None
    if isinstance(value, str) and value in _SPECIAL:
        return _SPECIAL[value]
    if isinstance(value, str) and value.startswith("NaN(") and value.endswith(")") and len(value) == 21:
        number: float = struct.unpack(">d", _read_hex(value[4:-1]))[0]
        return number
    raise EncodeError(f"a number, NaN, Infinity or -Infinity expected, not {_shown(value)}")


_SHOWN = 60


def _shown(value: object) -> str:
    """A JSON value as an error tells it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list():
            return "a list"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
