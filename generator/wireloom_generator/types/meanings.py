"""The interpretations of numbers and bytes (``as`` of a field): word and keys, types, values and column of each."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import lcm
from typing import ClassVar

from wireloom.units import NANOSECONDS
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.problems import closest
from wireloom_generator.types.base import Base, WrongKey
from wireloom_generator.types.columns import ColumnType, Decimal, Primitive
from wireloom_generator.types.strings import Bytes

_CALLED = {
    "ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds", "min": "minutes", "h": "hours",
    "d": "days",
}  # fmt: skip
_UNIT = re.compile(r"([1-9]\d{0,8})?([a-z]+)")
_EPOCH = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?Z?)?")
_SCALE = re.compile(r"[-+]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][-+]?\d{1,2})?|[-+]?\d{1,40}/[1-9]\d{0,39}")
_MOST_DIGITS = 38
_EXACT = 2**52
"""Different quotients of whole numbers up to this have different doubles."""


class _Meaning(ABC):
    """The interpretation of a number or bytes."""

    __slots__ = ()

    kind: ClassVar[Kind]

    @property
    def details(self) -> Mapping[str, str | int]:
        """The arguments for the codec."""
        return {}

    def faults(self) -> tuple[WrongKey, ...]:
        """The mistakes in its own keys."""
        return ()

    @abstractmethod
    def misfit(self, type_: Base, size: int | None) -> tuple[str, str] | None:
        """The mistake in the type of a field, and a hint; ``size`` is the field's number of bytes, if it is given."""

    def loses(self) -> str:
        """Why numbers can share a value; empty if each value determines its number."""
        return ""

    @property
    def exact(self) -> str:
        """The interpretation without loss that could replace it, if there is one."""
        return ""

    @property
    def keeps(self) -> bool:
        """Whether there are numbers without a value, or with that of another, which ``raw`` keeps."""
        return False

    @abstractmethod
    def column(self) -> ColumnType:
        """The table type that holds every value."""

    @property
    @abstractmethod
    def notation(self) -> str:
        """Its name in the documentation."""


class OfNumbers(_Meaning):
    """The interpretation of a whole number. ``word`` is its name in specs, ``block`` its class in the codec."""

    __slots__ = ()

    word: ClassVar[str]
    block: ClassVar[str]

    def misfit(self, type_: Base, size: int | None) -> tuple[str, str] | None:
        if type_.kind is Kind.NUMBER:
            return None
        return f"as: {self.word} needs a whole number, not {type_.word}", ""


def _unit(text: str) -> tuple[int, str] | None:
    """The nanoseconds of a unit, and its name."""
    found = _UNIT.fullmatch(text)
    if found is None or found[2] not in NANOSECONDS:
        return None
    count, name = int(found[1] or 1), _CALLED[found[2]]
    return count * NANOSECONDS[found[2]], name if count == 1 else f"{count} {name}"


def _microseconds(time: datetime) -> int:
    """A time in UTC, since 1970."""
    return (time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Counted(OfNumbers):
    """A time or a duration, counted in ``unit``."""

    unit: str

    def faults(self) -> tuple[WrongKey, ...]:
        found = _unit(self.unit)
        if found is None:
            hint = closest(self.unit, NANOSECONDS) if self.unit.isalpha() else "as in s, ms or 100ns"
            return (("unit", f"unknown unit {self.unit!r}", hint),)
        if found[0] % 1000 and 1000 % found[0]:
            return (("unit", f"{self.unit} neither divides a microsecond nor is a multiple of one", ""),)
        return ()

    @property
    def step(self) -> int:
        """How many nanoseconds one is."""
        found = _unit(self.unit)
        return 1 if found is None else found[0]

    def loses(self) -> str:
        return "it is finer than a microsecond, and tables hold microseconds" if self.step % 1000 else ""

    @property
    def keeps(self) -> bool:
        return True

    @property
    def first(self) -> int:
        """The value of 0, in microseconds; of a time, since 1970."""
        return 0

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest number that has a value."""
        least, most = self._limits
        return -((self.first - least) * 1000 // self.step), ((most - self.first + 1) * 1000 - 1) // self.step

    @property
    def _limits(self) -> tuple[int, int]:
        """The lowest and the highest value, in microseconds."""
        return -(2**63), 2**63 - 1

    @property
    def _counts(self) -> str:
        found = _unit(self.unit)
        return self.unit if found is None else found[1]


@dataclass(frozen=True, slots=True)
class Timestamp(Counted):
    """A point in time, counted from ``epoch``."""

    word: ClassVar[str] = "timestamp"
    block: ClassVar[str] = "TimestampMeaning"
    kind: ClassVar[Kind] = Kind.TIME

    epoch: str

    @property
    def details(self) -> Mapping[str, str | int]:
        return {"unit": self.unit, **({} if self.epoch == "1970-01-01" else {"epoch": self.epoch})}

    def faults(self) -> tuple[WrongKey, ...]:
        return (*Counted.faults(self), *self._epoch_faults())

    def _epoch_faults(self) -> tuple[WrongKey, ...]:
        wrong = (("epoch", f"{self.epoch!r} is not a date", "as in 1970-01-01 or 1980-01-06T00:00:00"),)
        try:
            datetime.fromisoformat(self.epoch)
        except ValueError:
            return wrong
        return () if _EPOCH.fullmatch(self.epoch) else wrong

    @property
    def first(self) -> int:
        return 0 if self._epoch_faults() else _microseconds(datetime.fromisoformat(self.epoch))

    @property
    def _limits(self) -> tuple[int, int]:
        return _microseconds(datetime.min), _microseconds(datetime.max)

    def column(self) -> ColumnType:
        return Primitive.TIMESTAMP

    @property
    def notation(self) -> str:
        return f"a time, in {self._counts} since {self.epoch.removesuffix('Z')} UTC"


@dataclass(frozen=True, slots=True)
class Duration(Counted):
    """A span of time."""

    word: ClassVar[str] = "duration"
    block: ClassVar[str] = "DurationMeaning"
    kind: ClassVar[Kind] = Kind.SPAN

    @property
    def details(self) -> Mapping[str, str | int]:
        return {"unit": self.unit}

    def column(self) -> ColumnType:
        return Primitive.INTERVAL

    @property
    def notation(self) -> str:
        return f"a duration, in {self._counts}"


@dataclass(frozen=True, slots=True)
class Scaled(OfNumbers):
    """A number times ``scale`` plus ``offset``. ``least`` and ``most`` are the ends of the numbers."""

    scale: str
    offset: str
    least: int = field(compare=False)
    most: int = field(compare=False)

    @property
    def details(self) -> Mapping[str, str | int]:
        return self._given

    @property
    def _given(self) -> Mapping[str, str]:
        given = {"scale": (self.scale, "1"), "offset": (self.offset, "0")}
        return {key: value for key, (value, usual) in given.items() if value != usual}

    @property
    def scales(self) -> tuple[Fraction, Fraction]:
        """The scale and the offset, exactly; 1 and 0 if they are not numbers."""
        scale, offset = (Fraction(text) if _SCALE.fullmatch(text) else None for text in (self.scale, self.offset))
        return scale or Fraction(1), offset or Fraction(0)

    @property
    def whole(self) -> tuple[int, int, int]:
        """The whole numbers by which a number is multiplied, that are added, and by which the sum is divided."""
        scale, offset = self.scales
        by = lcm(scale.denominator, offset.denominator)
        return int(scale * by), int(offset * by), by

    @property
    def largest(self) -> Fraction:
        """The largest value, or the lowest one if that is farther from 0."""
        scale, offset = self.scales
        return max(abs(number * scale + offset) for number in (self.least, self.most))

    def faults(self) -> tuple[WrongKey, ...]:
        found: list[WrongKey] = []
        for key, text in (("scale", self.scale), ("offset", self.offset)):
            if not _SCALE.fullmatch(text):
                found.append((key, f"{text!r} is not a number", "as in 0.01, 1e-7 or 1/256"))
            elif key == "scale" and not Fraction(text):
                found.append((key, "a scale of 0 makes all numbers the same", ""))
        return tuple(found)

    @property
    def notation(self) -> str:
        scale, offset = self.scales
        added = f" {'+' if offset > 0 else '-'} {self.offset.lstrip('+-')}" if offset else ""
        times = f" × {self.scale}" if scale != 1 else ""
        return f"a {self.word}, raw value{times}{added}"


@dataclass(frozen=True, slots=True)
class DecimalNumber(Scaled):
    """A scaled number, exactly."""

    word: ClassVar[str] = "decimal"
    block: ClassVar[str] = "DecimalMeaning"
    kind: ClassVar[Kind] = Kind.DECIMAL

    @property
    def details(self) -> Mapping[str, str | int]:
        column = self.column()
        places = {"places": column.scale} if column.scale else {}
        return {"digits": column.precision, **places, **self._given}

    @property
    def _places(self) -> int | None:
        """The number of decimals of all values; None if some have too many."""
        by = lcm(*(each.denominator for each in self.scales))
        return next((places for places in range(_MOST_DIGITS + 1) if 10**places % by == 0), None)

    def faults(self) -> tuple[WrongKey, ...]:
        if found := Scaled.faults(self):
            return found
        places, hint = self._places, "write double: instead"
        if places is None:
            return (("scale", f"{self.scale} is not a decimal of at most {_MOST_DIGITS} digits", hint),)
        if len(str(int(self.largest))) + places > _MOST_DIGITS:
            return (("scale", f"the largest value has more than {_MOST_DIGITS} digits", hint),)
        return ()

    @property
    def whole(self) -> tuple[int, int, int]:
        scale, offset = self.scales
        by = 10 ** (self._places or 0)
        return int(scale * by), int(offset * by), by

    def column(self) -> Decimal:
        places = self._places or 0
        return Decimal(min(max(len(str(int(self.largest * 10**places))), places + 1), _MOST_DIGITS), places)


@dataclass(frozen=True, slots=True)
class DoubleNumber(Scaled):
    """A scaled number as the nearest double."""

    word: ClassVar[str] = "double"
    block: ClassVar[str] = "DoubleMeaning"
    kind: ClassVar[Kind] = Kind.SCALED

    def loses(self) -> str:
        return "two numbers can have the same double" if self.keeps else ""

    @property
    def exact(self) -> str:
        faults = DecimalNumber(self.scale, self.offset, self.least, self.most).faults()
        return "" if faults else DecimalNumber.word

    @property
    def keeps(self) -> bool:
        return self.largest * self.whole[2] > _EXACT

    def column(self) -> ColumnType:
        return Primitive.DOUBLE


@dataclass(frozen=True, slots=True)
class Identifier(_Meaning):
    """A fixed number of bytes as text; ``called`` is its name in documentation."""

    kind: ClassVar[Kind] = Kind.ADDRESS

    word: str
    size: int
    called: str

    @property
    def block(self) -> str:
        return f"{self.word.capitalize()}Meaning"

    def misfit(self, type_: Base, size: int | None) -> tuple[str, str] | None:
        if isinstance(type_, Bytes) and size == self.size:
            return None
        sized = "of any size" if size is None else f"of size {size}"
        what = f"bytes {sized}" if isinstance(type_, Bytes) else type_.word
        other = _OTHER_VERSION.get((self.word, size)) if isinstance(type_, Bytes) else None
        hint = f"write type: bytes, size: {self.size}" if other is None else f"write as: {other}, or size: {self.size}"
        return f"as: {self.word} needs {self.size} bytes, not {what}", hint

    def column(self) -> ColumnType:
        return Primitive.STRING

    @property
    def notation(self) -> str:
        return self.called


_OTHER_VERSION: Mapping[tuple[str, int | None], str] = {("ipv4", 16): "ipv6", ("ipv6", 4): "ipv4"}
"""The addresses that have so many bytes, which one of the other version does not have."""
Meaning = Timestamp | Duration | DecimalNumber | DoubleNumber | Identifier
"""Every meaning. A ``match`` without a case for one of them does not pass mypy."""
WORDS: Mapping[str, Identifier] = {
    each.word: each
    for each in (
        Identifier("uuid", 16, "a UUID"),
        Identifier("ipv4", 4, "an IPv4 address"),
        Identifier("ipv6", 16, "an IPv6 address"),
        Identifier("mac", 6, "a MAC address"),
    )
}
"""Those without keys, by word."""
_OF_NUMBERS: tuple[type[OfNumbers], ...] = (Timestamp, Duration, DecimalNumber, DoubleNumber)
BLOCKS = (*(each.block for each in _OF_NUMBERS), *(each.block for each in WORDS.values()))
"""The classes of the codec."""
