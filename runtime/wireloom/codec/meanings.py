"""The meaning of numbers and bytes: times, durations, scaled numbers, identifiers and addresses.

A ``Meaning`` gives the value of what was read, and what is written for a value. Every value stands for one number, or
one sequence of bytes. A number may have no value, and in a coarse unit several numbers may share one.
"""

import ipaddress
import re
from abc import ABC, abstractmethod
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any
from uuid import UUID

from construct import Construct, Subconstruct

from wireloom.codec.accepted_values import shown
from wireloom.codec.columns import ColumnType, decimal
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.units import NANOSECONDS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
EARLIEST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LATEST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
"""The years 1 to 9999, in microseconds since 1970: what Python, Spark and the formats of tables have in common."""
LONGEST = 2**63 - 1
"""The longest duration that Arrow and Spark hold, in microseconds."""


class Meaning(ABC):
    """The meaning of a number or of bytes; ``type`` is the table type of its values."""

    type: ColumnType

    @abstractmethod
    def value(self, read: Any) -> Any:
        """The value of the raw one that was read. Raises ``DecodeError`` if it has none."""

    @abstractmethod
    def written(self, value: Any) -> Any:
        """The raw value that is written for a value. Raises ``EncodeError`` if there is none."""

    def kept(self, read: Any) -> tuple[Any, Any]:
        """The value, if there is one, and the number, if the value does not determine it."""
        try:
            value = self.value(read)
        except DecodeError:
            return None, read
        return value, None if self.written(value) == read else read


class As(Subconstruct):
    """A number or bytes with a meaning."""

    def __init__(self, subcon: Construct, meaning: Meaning) -> None:
        super().__init__(subcon)
        self.meaning = meaning
        self.type = meaning.type

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        start = stream.pos
        read = self.subcon._parse(stream, context, path)
        try:
            return self.meaning.value(read)
        except DecodeError as error:
            error.offset = start
            raise

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        self.subcon._build(self.meaning.written(obj), stream, context, path)
        return obj


class Counted(Meaning):
    """A time or a duration: so many steps, of microseconds or parts of one. ``word`` is what it is called."""

    word: str

    def __init__(self, unit: str, first: int, least: int, most: int) -> None:
        found = re.fullmatch(r"(\d*)([a-z]+)", unit)
        assert found is not None
        self.unit = unit
        self.first = first
        self.least = least
        self.most = most
        step = int(found[1] or 1) * NANOSECONDS[found[2]]
        self.times, self.parts = max(step // 1000, 1), max(1000 // step, 1)
        """A step is ``times`` a microsecond, or one of its ``parts``."""
        self.fewest = -((first - least) * self.parts // self.times)
        self.highest = ((most - first + 1) * self.parts - 1) // self.times
        """The steps that tables hold lie between these, both included."""

    def microseconds(self, read: int) -> int:
        """The number in microseconds, the earlier one of two."""
        found = self.first + read * self.times // self.parts
        if not self.least <= found <= self.most:
            raise DecodeError("range", f"{shown(read)} is no {self.word} that tables hold")
        return found

    def steps(self, microseconds: int, value: object) -> int:
        """The number for so many microseconds."""
        steps, left = divmod((microseconds - self.first) * self.parts, self.times)
        if left:
            raise EncodeError(f"{shown(value)} is not a multiple of {self.unit}")
        if not self.least <= microseconds <= self.most:
            raise EncodeError(f"{shown(value)} is not a {self.word} that tables hold")
        return steps


class TimestampMeaning(Counted):
    """A point in time, counted in ``unit`` from ``epoch``, which is in UTC."""

    type = "timestamp"
    word = "time"

    def __init__(self, *, unit: str, epoch: str = "1970-01-01") -> None:
        first = (datetime.fromisoformat(epoch).replace(tzinfo=UTC) - EPOCH) // MICROSECOND
        super().__init__(unit, first, EARLIEST, LATEST)

    def value(self, read: int) -> datetime:
        return EPOCH + timedelta(0, 0, self.microseconds(read))

    def written(self, value: Any) -> int:
        if not isinstance(value, datetime):
            raise EncodeError(f"a time expected, not {shown(value)}")
        if value.tzinfo is None or value.utcoffset() is None:
            raise EncodeError(f"{value.isoformat()} has no time zone; UTC is tzinfo=datetime.UTC")
        _refuse_nanoseconds(value, getattr(value, "nanosecond", 0))
        return self.steps((value - EPOCH) // MICROSECOND, value)


class DurationMeaning(Counted):
    """A span of time, counted in ``unit``."""

    type = "interval day to second"
    word = "duration"

    def __init__(self, *, unit: str) -> None:
        super().__init__(unit, 0, -LONGEST - 1, LONGEST)

    def value(self, read: int) -> timedelta:
        return timedelta(0, 0, self.microseconds(read))

    def written(self, value: Any) -> int:
        if not isinstance(value, timedelta):
            raise EncodeError(f"a duration expected, not {shown(value)}")
        _refuse_nanoseconds(value, getattr(value, "nanoseconds", 0))
        return self.steps(value // MICROSECOND, value)


def _refuse_nanoseconds(value: datetime | timedelta, nanoseconds: int) -> None:
    """Raises ``EncodeError`` for a time or duration of pandas that has some, which no table would have."""
    if nanoseconds:
        raise EncodeError(f"{shown(value)} has nanoseconds, and the column has microseconds")


def time_text(value: datetime) -> str:
    """A time as in ISO 8601, in UTC."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def nanoseconds_text(value: int) -> str:
    """A time in nanoseconds since 1970 as ``time_text`` has it, with nine digits if six are not enough."""
    microseconds, left = divmod(value, 1000)
    time = EPOCH + timedelta(microseconds=microseconds)
    return f"{time.replace(tzinfo=None).isoformat(timespec='microseconds')}{left:03}Z" if left else time_text(time)


def duration_text(value: timedelta) -> str:
    """A duration as in ISO 8601, in days and seconds."""
    microseconds = abs(value // MICROSECOND)
    days, left = divmod(microseconds, 86_400_000_000)
    seconds, parts = divmod(left, 1_000_000)
    fraction = f".{parts:06}".rstrip("0") if parts else ""
    return f"{'-' if value < timedelta() else ''}P{f'{days}D' if days else ''}T{seconds}{fraction}S"


class Scaled(Meaning):
    """A number times ``scale`` plus ``offset``, as ``(number * times + plus) / by`` in whole numbers."""

    def __init__(self, scale: str, offset: str, by: int | None = None) -> None:
        one, other = Fraction(scale), Fraction(offset)
        self.by = by or lcm(one.denominator, other.denominator)
        self.times, self.plus = int(one * self.by), int(other * self.by)


class DecimalMeaning(Scaled):
    """A scaled number, exactly, with ``digits`` digits, of which ``places`` are after the point."""

    def __init__(self, *, digits: int, places: int = 0, scale: str = "1", offset: str = "0") -> None:
        super().__init__(scale, offset, 10**places)
        self.type = decimal(digits, places)
        self.places = places

    def value(self, read: int) -> Decimal | int:
        found = read * self.times + self.plus
        return Decimal(f"{found}e-{self.places}") if self.places else found

    def written(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
            raise EncodeError(f"a decimal expected, not {shown(value)}")
        steps, left = divmod(_fraction(value) * self.by - self.plus, self.times)
        if left:
            raise EncodeError(f"{shown(value)} is between two values that it can have")
        return int(steps)


_EXACT = 2**52
"""Whole numbers up to this are doubles."""


class DoubleMeaning(Scaled):
    """A scaled number as the nearest double, and back as the nearest number."""

    type = "double"

    def __init__(self, *, scale: str = "1", offset: str = "0") -> None:
        super().__init__(scale, offset)

    def value(self, read: int) -> float:
        return (read * self.times + self.plus) / self.by

    @property
    def exact(self) -> int:
        """From the negative of this number up to it, the quotient of two doubles is the nearest one, and determines the
        number; -1 if that holds of none.
        """
        return (_EXACT - abs(self.plus)) // abs(self.times) if self.by <= _EXACT else -1

    def determines(self, least: int, most: int) -> bool:
        """Whether the doubles of all numbers between two, both included, determine them."""
        return -self.exact <= least and most <= self.exact

    def written(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise EncodeError(f"a number expected, not {shown(value)}")
        try:
            return round((_fraction(value) * self.by - self.plus) / self.times)
        except (ValueError, OverflowError):
            raise EncodeError(f"a finite number expected, not {shown(value)}") from None


_HUGE = 1000
"""No number of the wire has so many digits; a fraction made of a decimal that has could take all memory."""


def _fraction(value: float | Decimal) -> Fraction:
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _HUGE:
        raise EncodeError(f"{shown(value)} is too large, or too small")
    return Fraction(value)


class Spelled(Meaning):
    """Bytes as text, in one spelling; ``word`` names them in messages. Other spellings are also accepted in writing."""

    type = "string"
    word: str

    def written(self, value: Any) -> bytes:
        try:
            return self.octets(value)
        except ValueError:
            raise EncodeError(f"{self.word} expected, not {shown(value)}") from None

    @abstractmethod
    def octets(self, value: Any) -> bytes:
        """The bytes of a text, or of an object of Python. Raises ``ValueError`` for anything else."""


def read_back(meaning: Meaning, text: bytes) -> bytes | None:
    """The bytes whose value is a text; None if it is that of none, or spelled in another way."""
    try:
        found: bytes = meaning.written(text.decode())
    except ValueError:
        return None
    return found if meaning.value(found).encode() == text else None


class UuidMeaning(Spelled):
    """Its 16 bytes in the order of its digits."""

    word = "a UUID"
    _written = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")

    def value(self, read: bytes) -> str:
        digits = read.hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def octets(self, value: Any) -> bytes:
        if isinstance(value, UUID):
            return value.bytes
        if not isinstance(value, str) or not self._written.fullmatch(value):
            raise ValueError
        return bytes.fromhex(value.replace("-", ""))


class Ipv4Meaning(Spelled):
    """An address of 4 bytes."""

    word = "an IPv4 address"

    def value(self, read: bytes) -> str:
        return ".".join(map(str, read))

    def octets(self, value: Any) -> bytes:
        if not isinstance(value, str | ipaddress.IPv4Address):
            raise ValueError
        return ipaddress.IPv4Address(value).packed


class Ipv6Meaning(Spelled):
    """An address of 16 bytes, in the spelling of RFC 5952, without a dotted IPv4 address in it."""

    word = "an IPv6 address"

    def value(self, read: bytes) -> str:
        groups = [f"{high << 8 | low:x}" for high, low in zip(read[::2], read[1::2], strict=True)]
        zeros = max(
            re.finditer("0+", "".join("0" if group == "0" else "1" for group in groups)), key=_length, default=None
        )
        if zeros is None or _length(zeros) < 2:
            return ":".join(groups)
        return f"{':'.join(groups[: zeros.start()])}::{':'.join(groups[zeros.end() :])}"

    def octets(self, value: Any) -> bytes:
        if not isinstance(value, str | ipaddress.IPv6Address) or "%" in str(value):
            raise ValueError
        return ipaddress.IPv6Address(value).packed


def _length(found: re.Match[str]) -> int:
    return found.end() - found.start()


class MacMeaning(Spelled):
    """An address of 6 bytes."""

    word = "a MAC address"
    _written = re.compile(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")

    def value(self, read: bytes) -> str:
        return read.hex(":")

    def octets(self, value: Any) -> bytes:
        if not isinstance(value, str) or not self._written.fullmatch(value):
            raise ValueError
        return bytes.fromhex(value.replace(":", "").replace("-", ""))
