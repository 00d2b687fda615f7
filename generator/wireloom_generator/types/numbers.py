"""Numbers of a fixed size: ``u8`` … ``u64``, ``i8`` … ``i64``, ``bool``, and IEEE 754's ``f16``, ``f32``, ``f64``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import TRUTH, Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared, spelled
from wireloom_generator.types.columns import U64, Decimal, Primitive
from wireloom_generator.types.sizes import SizeRange, exactly

WIDTHS = tuple(range(8, 65, 8))
"""The widths that exist, in bits."""
BIT_WIDTHS = tuple(range(8, 1025, 8))
"""Those of integers that are split into bit fields."""
_SPELLED = re.compile(r"([ui])([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Integer(Base):
    """An integer of 1 to 8 bytes, in two's complement if signed. Its width may not exist, which a rule reports."""

    holds: ClassVar[str] = "integer"

    bits: int
    signed: bool

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"{sign}{bits}" for sign in "ui" for bits in WIDTHS)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        found = _SPELLED.fullmatch(text)
        return cls(int(found[2]), found[1] == "i") if found else None

    @property
    def word(self) -> str:
        return f"{'i' if self.signed else 'u'}{self.bits}"

    @property
    def least(self) -> int:
        """The lowest value."""
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def most(self) -> int:
        """The highest value."""
        return (1 << self.bits - self.signed) - 1

    @property
    def has_order(self) -> bool:
        return self.bits > 8

    @property
    def size(self) -> SizeRange:
        return exactly(self.bits // 8)

    @property
    def values(self) -> Domain:
        return Domain(self.least, self.most)

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return self.unfit(const, self.word)

    def unfit(self, const: syntax.Literal, name: str) -> tuple[str, str] | None:
        """The mistake in a constant of something called ``name`` that has these values."""
        if not isinstance(const, int) or isinstance(const, bool):
            return f"{spelled(const)} is not a whole number", ""
        if not self.least <= const <= self.most:
            return f"{const} does not fit {name}", f"{self.least} to {self.most} do"
        return None

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(self.bits, signed=self.signed)


def integer_column(bits: int, *, signed: bool) -> Primitive | Decimal:
    """The narrowest table type that holds every such integer; ``decimal(20,0)`` for 64 unsigned bits, and for more."""
    needed = bits if signed else bits + 1
    steps = ((8, Primitive.BYTE), (16, Primitive.SHORT), (32, Primitive.INT), (64, Primitive.LONG))
    return next((primitive for limit, primitive in steps if needed <= limit), U64)


@dataclass(frozen=True, slots=True)
class Boolean(Base):
    """A byte, 0 or 1."""

    spelling: ClassVar[str] = "bool"
    block: ClassVar[str] = "Boolean"
    size: ClassVar[SizeRange] = exactly(1)
    values: ClassVar[Domain] = TRUTH
    holds: ClassVar[str] = "boolean"

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return None if isinstance(const, bool) else (f"{spelled(const)} is neither true nor false", "")

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BOOLEAN


_COLUMNS = {16: Primitive.FLOAT, 32: Primitive.FLOAT, 64: Primitive.DOUBLE}


@dataclass(frozen=True, slots=True)
class Float(Base):
    """A floating-point number."""

    has_order: ClassVar[bool] = True
    values: ClassVar[Domain] = Domain(kind=Kind.FLOAT)

    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"f{bits}" for bits in _COLUMNS)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls(int(text[1:])) if text in cls.spellings() else None

    @property
    def word(self) -> str:
        return f"f{self.bits}"

    @property
    def size(self) -> SizeRange:
        return exactly(self.bits // 8)

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        is_number = isinstance(const, int | float) and not isinstance(const, bool)
        return None if is_number else (f"{spelled(const)} is not a number", "")

    def column(self, declared: Declared) -> Primitive:
        return _COLUMNS[self.bits]

    @property
    def holds(self) -> str:
        return _COLUMNS[self.bits].value
