"""``ascii``: a whole number written in ASCII digits, as in text headers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.problems import closest, counted
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import UNTERMINATED
from wireloom_generator.types.base import Base, Declared, WrongKey
from wireloom_generator.types.columns import Decimal, Primitive
from wireloom_generator.types.numbers import Integer, integer_column
from wireloom_generator.types.sizes import ANY, SizeRange

CASES = ("lower", "upper")
_WIDEST = 64
"""The bits of the largest number."""
_LONGEST = _WIDEST + 1
"""The characters of the longest number: its sign and all bits of it."""
_DIGITS = b"0123456789abcdefABCDEF+-"


@dataclass(frozen=True, slots=True)
class Ascii(Base):
    """A number in this ``base``, with leading zeros up to ``digits`` characters, preceded by ``fill`` up to ``width``.

    ``room`` is the most characters; None if the spec does not limit them.
    """

    spelling: ClassVar[str] = "ascii"
    block: ClassVar[str] = "Ascii"
    size: ClassVar[SizeRange] = ANY
    holds: ClassVar[str] = "integer"
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    endless: ClassVar[bool] = True
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {
            **dict.fromkeys(("base", "digits", "fill", "sign", "raw", "pad", "terminator"), ()),
            "case": CASES,
            "unterminated": UNTERMINATED,
        }
    )

    base: int = 10
    digits: int = 1
    fill: bytes = b""
    width: int = 0
    signed: bool = False
    upper: bool = False
    room: int | None = None

    def given(self, field: syntax.Field) -> Self:
        if any(self.faults(field)):
            return self
        size = _number(field.size)
        bare = size is not None and not (field.fill or field.pad or field.until)
        return replace(
            self,
            base=field.base or 10,
            digits=field.digits or (size if bare and size else 1),
            fill=field.fill or b"",
            width=(size or 0) - len(field.until or b"") if field.fill else 0,
            signed=field.sign is not None,
            upper=field.case == CASES[1],
            room=_room(field, size),
        )

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        base = 10 if field.base is None else field.base
        if not 2 <= base <= 16:
            yield "base", f"base {base} is not supported", "write 2 to 16, most often 8, 10 or 16"
        if field.digits is not None and not 1 <= field.digits <= _LONGEST:
            yield "digits", f"ascii cannot have {field.digits} digits", f"write 1 to {_LONGEST}"
        if field.sign not in (None, "signed"):
            yield "sign", f"unknown sign {field.sign!r}", "write sign: signed to allow a minus"
        if field.case is not None and field.case not in CASES:
            yield "case", f"unknown case {field.case!r}", closest(field.case, CASES)
        elif field.case is not None and base <= 10:
            yield "case", f"digits of base {base} have no case", ""
        if field.terminator == "keep":
            yield "terminator", "a number cannot keep its terminator", "write drop or leave"
        for key, octets in (("pad", field.pad), ("until", field.until), ("fill", field.fill)):
            if octets is not None and any(octet in _DIGITS for octet in octets):
                what = f"{octets.hex()} could be part of the number"
                yield key, what, "write digits: for the least number of digits, with leading zeros"
        yield from _filling(field)

    @property
    def bits(self) -> int:
        """The most bits of a number, including its sign."""
        if self.room is None:
            return _WIDEST - (not self.signed)
        most: int = self.base**self.room - 1
        return min(_WIDEST, most.bit_length() + self.signed)

    @property
    def number(self) -> Integer:
        """An integer that has these values."""
        return Integer(self.bits, self.signed)

    @property
    def values(self) -> Domain:
        least, most = self.number.least, self.number.most
        if self.room is None:
            return Domain(least, most)
        lowest = 1 - self.base ** max(self.room - 1, 0)
        return Domain(max(least, lowest) if self.signed else 0, min(most, self.base**self.room - 1))

    def __str__(self) -> str:
        digits = f", at least {counted(self.digits, 'digit')}" if self.digits > 1 else ""
        fill = f", filled with {self.fill.hex()}" if self.fill else ""
        case = ", upper case" if self.upper else ""
        return f"ascii of base {self.base}{digits}{fill}{case}{', signed' if self.signed else ''}"

    @property
    def kin(self) -> object:
        return replace(self, width=0, room=None)

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(self.bits, signed=self.signed)

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        fault = self.number.unfit(const, str(self))
        if fault is None and isinstance(const, int) and not self.values.least <= const <= self.values.most:
            return f"{const} does not fit {self}", f"{self.values.least} to {self.values.most} do"
        return fault


def _number(size: syntax.Expression | None) -> int | None:
    """A size that is written as a number."""
    try:
        return None if size is None else int(size, 0)
    except ValueError:
        return None


def _room(field: syntax.Field, size: int | None) -> int | None:
    if size is None:
        return None
    ends = field.until is not None and field.unterminated == "malformed"
    return min(max(size - (len(field.until or b"") if ends else 0), 0), _LONGEST)


def _filling(field: syntax.Field) -> Iterator[WrongKey]:
    """The mistakes in the keys that fill a size."""
    size = _number(field.size)
    if field.fill is not None:
        if len(field.fill) != 1:
            yield "fill", "fill must be one byte", 'as in fill: "20"'
        if size is None:
            yield (
                "fill",
                "fill needs a size that is a number",
                "write digits: for the least number of digits, with leading zeros",
            )
        if field.pad is not None and field.until is None:
            yield (
                "pad",
                f"{field.name!r} has both fill and pad",
                "write fill for bytes before the number, or pad for bytes after it",
            )
    elif size is not None and field.until is None and field.pad is None and field.digits not in (None, 0, size):
        what = f"{counted(field.digits or 0, 'digit')} do not fill {counted(size, 'byte')}"
        yield "digits", what, "write fill: or pad: for the other bytes"
