"""Partition columns: what directories called ``name=value`` say about the files below them.

Names, types and values are those that Spark's own file sources find: a type that fits all values of a name, or text.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import reduce

import pyarrow as pa
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    IntegralType,
    LongType,
    NullType,
    StringType,
    StructField,
    TimestampType,
)

from wireloom.files import CaptureFile
from wireloom.options import OptionError
from wireloom.spark.versions import to_arrow_type

NULL = "__HIVE_DEFAULT_PARTITION__"
"""The text of a value that is null."""
_MOST_DIGITS = 38
"""Of a decimal in Spark."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DOUBLE = re.compile(rf"\s*({_NUMBER.pattern}|[+-]?(NaN|Infinity))[fFdD]?\s*")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9])?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ESCAPE = re.compile("%([0-9a-fA-F]{2})")


def partition(file: CaptureFile, base: str) -> dict[str, str]:
    """The values, as text, of a file's partition columns: of the directories called ``name=value`` above it, below
    ``base``, that are the last in a row. Raises ``OptionError`` for one without a name or a value.
    """
    if not base or not file.path.startswith(f"{base.rstrip('/')}/"):
        return {}
    found: dict[str, str] = {}
    for directory in reversed(file.path[len(base) :].strip("/").split("/")[:-1]):
        name, equals, text = directory.partition("=")
        if equals and not (name and text):
            raise OptionError(f"the directory {directory} of {file.path} lacks the name or the value of a partition")
        if equals:
            found[_unescaped(name)] = text
        elif found:
            break
    return dict(reversed(found.items()))


def columns(partitions: Mapping[str, dict[str, str]]) -> tuple[StructField, ...]:
    """The partition columns of files, by the path of each. Raises ``OptionError`` if they are not those of all."""
    texts: dict[str, set[str]] = {}
    first: tuple[str, dict[str, str]] | None = None
    for path, found in partitions.items():
        first = first or (path, found)
        if list(found) != list(first[1]):
            raise OptionError(
                f"partition columns are those of all files or of none: {_told(*first)}, {_told(path, found)}; "
                "basePath says below which directory they are, pathGlobFilter leaves files out, and with "
                "recursiveFileLookup=true there are none"
            )
        for name, text in found.items():
            texts.setdefault(name, set()).add(text)
    return tuple(StructField(name, type_of(found)) for name, found in texts.items())


def _told(path: str, found: Iterable[str]) -> str:
    return f"{path} has {', '.join(found) or 'none'}"


def type_of(texts: Iterable[str]) -> DataType:
    """The type that fits all of these values of one column."""
    kind = reduce(_wider, map(_type, sorted(texts)))
    return StringType() if isinstance(kind, NullType) else kind


def _type(text: str) -> DataType:
    if text == NULL:
        return NullType()
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        return IntegerType() if -(2**31) <= int(text) < 2**31 else LongType()
    if _NUMBER.fullmatch(text):
        with suppress(InvalidOperation):  # such an exponent no decimal has
            _, digits, exponent = Decimal(text).as_tuple()
            assert isinstance(exponent, int)
            if exponent >= 0 and len(digits) + exponent <= _MOST_DIGITS:
                return DecimalType(len(digits) + exponent, 0)
    if _DOUBLE.fullmatch(text):
        return DoubleType()
    for kind, pattern in ((TimestampType(), _TIMESTAMP), (DateType(), _DATE)):
        if pattern.fullmatch(_unescaped(text) if isinstance(kind, TimestampType) else text):
            try:
                _value(text, kind)
            except (ValueError, OverflowError):
                continue
            return kind
    return StringType()


def _wider(one: DataType, other: DataType) -> DataType:
    """The type that values of both types have."""
    if one == other or isinstance(other, NullType):
        return one
    if isinstance(one, NullType):
        return other
    match sorted((one, other), key=lambda kind: _ORDER.index(type(kind))):
        case (IntegerType(), LongType() | DoubleType() as wider) | (DateType(), TimestampType() as wider):
            return wider
        case IntegerType() | LongType() as whole, DecimalType(precision=digits):
            return DecimalType(max(digits, 10 if isinstance(whole, IntegerType) else 20), 0)
        case DecimalType(precision=digits), DecimalType(precision=more):
            return DecimalType(max(digits, more), 0)
    return StringType()


_ORDER = (IntegerType, LongType, DecimalType, DoubleType, DateType, TimestampType, StringType)


def value(field: StructField, text: str | None) -> object:
    """The value of a partition column; None if a file has none. Raises ``OptionError`` if it is not of its type."""
    kind = field.dataType
    try:
        found = None if text is None or text == NULL else _value(text, kind)
        pa.scalar(found, to_arrow_type(kind))
    except (ValueError, KeyError, ArithmeticError):
        raise OptionError(f"partition column {field.name} is {kind.simpleString()}, and {text!r} is not") from None
    return found


def _value(text: str, kind: DataType) -> object:
    match kind:
        case StringType():
            return _unescaped(text)
        case IntegralType():
            return int(text)
        case FloatType() | DoubleType():
            return pa.scalar(float(text.strip().rstrip("fFdD")), to_arrow_type(kind)).as_py()
        case DecimalType():
            return Decimal(text)
        case DateType():
            return date.fromisoformat(text)
        case TimestampType():
            return _time(_unescaped(text))
        case BooleanType():
            return {"true": True, "false": False}[text.lower()]
        case BinaryType():
            return text.encode()
    raise ValueError(text)


def _time(text: str) -> datetime:
    """A time, in this machine's zone if the text names none."""
    return datetime.fromisoformat(text).astimezone()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
