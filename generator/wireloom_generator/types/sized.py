"""``uint`` and ``int``: integers that have as many bytes as another field says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import Decimal, Primitive
from wireloom_generator.types.numbers import WIDTHS, Integer, integer_column
from wireloom_generator.types.sizes import SizeRange

_SIGNED = {"uint": False, "int": True}
"""Whether there are negative numbers, by the spelling."""


@dataclass(frozen=True, slots=True)
class SizedInteger(Base):
    """An integer of no more than 8 bytes, in two's complement if signed; one without bytes is 0. If its size follows
    from it, it is the ``shortest``: it has the fewest bytes that hold it, at least one.
    """

    block: ClassVar[str] = "SizedInteger"
    holds: ClassVar[str] = "integer"
    has_order: ClassVar[bool] = True
    size: ClassVar[SizeRange] = SizeRange(0, WIDTHS[-1] // 8)
    ends: ClassVar[tuple[str, ...]] = ("size",)
    endless: ClassVar[bool] = True
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"raw": ()})

    signed: bool
    shortest: bool = False

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return _SIGNED

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls(_SIGNED[text]) if text in _SIGNED else None

    @property
    def word(self) -> str:
        return "int" if self.signed else "uint"

    def __str__(self) -> str:
        return f"{self.word} of the fewest bytes" if self.shortest else self.word

    @property
    def kin(self) -> object:
        return self

    @property
    def number(self) -> Integer:
        """The largest integer with these values."""
        return Integer(WIDTHS[-1], self.signed)

    @property
    def values(self) -> Domain:
        return self.number.values

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(WIDTHS[-1], signed=self.signed)

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return self.number.unfit(const, self.word)
