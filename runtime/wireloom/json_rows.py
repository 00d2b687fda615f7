"""Rows as JSON objects, and back: keys are columns, bytes are hex text, other values are those of JSON.

Decimals with a fraction are text (``12.50``), since most JSON readers turn numbers into floats. Times and durations
are text as in ISO 8601: ``2024-05-01T12:30:00Z``, ``P1DT0.5S``. JSON has only finite numbers, so others are the strings
``NaN``, ``Infinity`` and ``-Infinity``. A NaN with unusual bits is ``NaN(7ff8000000000001)``, so that the bits can be
restored. Invisible characters that have an effect, above all on a terminal, are escaped: control characters, and those
that change the direction of text.
"""

import json
import math
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from wireloom.codec import Column, EncodeError, ListOf, Protocol, StructOf
from wireloom.codec.columns import ColumnType, decimal_size, is_whole
from wireloom.codec.meanings import EPOCH, MICROSECOND, duration_text, nanoseconds_text, time_text
from wireloom.codec.preamble import CAPTURE
from wireloom.codec.protocol import POSITIONS, PROVENANCE
from wireloom.options import unknown
from wireloom.views import FILE, Row, nested

Json = dict[str, Any]


def json_writer(columns: Iterable[Column]) -> Callable[[Row], Json]:
    """A function that converts rows to JSON objects.

    Parameters
    ----------
    columns : iterable of Column
        The keys of the objects, in order, such as ``PROTOCOL.columns``.

    Returns
    -------
    callable
        From a row to its object, a dict for ``json.dumps``, which has all ``columns``, nulls included.

    Examples
    --------
    >>> from wireloom.json_rows import json_writer, without_nulls
    >>> from wireloom_protocols import couchbase_dcp
    >>> write = json_writer(couchbase_dcp.PROTOCOL.columns)
    >>> row = couchbase_dcp.parse(couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}}))
    >>> without_nulls(write(row))["seqno_advanced"]
    {'by_seqno': 7}
    """
    plan = [(column.name, _to_json(column.type)) for column in columns]

    def write(row: Row) -> Json:
        written: Json = {}
        for name, convert in plan:
            value = row.get(name)
            written[name] = value if convert is None or value is None else convert(value)
        return written

    return write


def without_nulls(value: Any) -> Any:
    """A JSON value without the keys of its objects whose value is null."""
    match value:
        case dict():
            return {name: without_nulls(each) for name, each in value.items() if each is not None}
        case list():
            return [without_nulls(each) for each in value]
    return value


def _to_json(kind: ColumnType) -> Callable[[Any], Any] | None:
    """The function that converts values other than None to JSON; None if they stay unchanged."""
    match kind:
        case "binary":
            return bytes.hex
        case "float" | "double":
            return _float_to_json
        case "timestamp":
            return time_text
        case "timestamp_ns":
            return nanoseconds_text
        case "interval day to second":
            return duration_text
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
"""Unicode categories: control, format, surrogate, line separator and paragraph separator."""


def harmless(text: str) -> str:
    """The same JSON with invisible characters escaped."""
    return text if text.isprintable() else _DOUBTFUL.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if unicodedata.category(found[0]) in _UNSEEN else found[0]


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def json_line(value: object) -> bytes:
    """A row, or a value for one, as a line of JSON."""
    return harmless(_compact(value)).encode() + b"\n"


def json_text(value: object) -> str:
    """Something other than a row as JSON, for people and programs."""
    return harmless(json.dumps(value, indent=2, ensure_ascii=False))


FromJson = Callable[[Any], Any]
"""Converts a JSON value that is not null to a value of a row. Raises ``EncodeError`` with a path relative to the value.
"""


def row_reader(protocol: Protocol) -> Callable[[object], Row]:
    """A function that converts JSON objects back to rows.

    Parameters
    ----------
    protocol : Protocol
        The protocol of the rows.

    Returns
    -------
    callable
        From an object of ``json_writer``, with the columns of any view, to a row for ``build``. Columns may be missing,
        such as labels and derived fields. Of a malformed record, only its bytes are read, how it was sent, and whether
        it is the header of a capture. It raises ``EncodeError`` naming the field if a value is wrong.

    Examples
    --------
    >>> from wireloom.json_rows import row_reader
    >>> from wireloom_protocols import couchbase_dcp
    >>> read = row_reader(couchbase_dcp.PROTOCOL)
    >>> couchbase_dcp.build(read({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})).hex()
    '8064000008000003000000080000000000000000000000000000000000000007'
    """
    whole = json_reader((*protocol.columns, FILE, *POSITIONS, *PROVENANCE))
    sent = {column.name for column in PROVENANCE}

    def read(found: object) -> Row:
        if isinstance(found, dict):
            corrupt = found.get("_corrupt_record")
            begins = {"message": CAPTURE} if found.get("message") == CAPTURE and protocol.preamble is not None else {}
            kept = {name: value for name, value in found.items() if name in sent}
            found = nested(protocol, found) if corrupt is None else {"_corrupt_record": corrupt, **begins, **kept}
        row: Row = whole(found)
        return row

    return read


def _reader(kind: ColumnType) -> FromJson:
    match kind:
        case StructOf(columns):
            return json_reader(columns)
        case ListOf(element):
            return _list_reader(_reader(element))
        case "binary":
            return _read_hex
        case "float" | "double":
            return _read_float
        case "timestamp":
            return _read_time
        case "timestamp_ns":
            return _read_nanoseconds
        case "interval day to second":
            return _read_duration
        case "boolean":
            return _exactly(bool, "true or false")
        case "string":
            return _exactly(str, "text")
    return _exactly(int, "a whole number") if is_whole(kind) else _read_decimal


def json_reader(columns: Iterable[Column]) -> FromJson:
    """A function from a JSON object with some of these columns to its values, without nulls."""
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


def _list_reader(reader: FromJson) -> FromJson:
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


def _exactly(kind: type, expected: str) -> FromJson:
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
    raise EncodeError(f"a decimal as text expected, such as '12.50', not {_shown(value)}")


def _read_time(value: object) -> datetime:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise EncodeError(f"a time as text expected, such as '2024-05-01T12:30:00Z', not {_shown(value)}")
    return found


_BELOW = re.compile(r"[.,][0-9]{6}([0-9]{1,3})")
"""The digits of a time after those of microseconds."""


def _read_nanoseconds(value: object) -> int:
    time = _read_time(value)
    found = _BELOW.search(str(value))
    return (time - EPOCH) // MICROSECOND * 1000 + (int(found[1].ljust(3, "0")) if found else 0)


_DURATION = re.compile(r"(-?)P(?:([0-9]{1,9})D)?T([0-9]{1,15})(?:\.([0-9]{1,6}))?S")


def _read_duration(value: object) -> timedelta:
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise EncodeError(f"a duration as text expected, such as 'P1DT0.5S', not {_shown(value)}")
    parts = (found[4] or "").ljust(6, "0")
    try:
        length = timedelta(days=int(found[2] or 0), seconds=int(found[3]), microseconds=int(parts))
    except OverflowError:
        raise EncodeError(f"{_shown(value)} is too long") from None
    return -length if found[1] else length


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
    """A JSON value as errors show it."""
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
