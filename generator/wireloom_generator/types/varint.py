"""``leb128_u32``, ``leb128_u64``, ``zigzag_i32``, ``zigzag_i64``: as many bytes as the value needs, 7 bits in each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import Decimal, Primitive
from wireloom_generator.types.integer import Integer, integer_column
from wireloom_generator.types.sizes import SizeRange

_WIDTHS = (32, 64)


@dataclass(frozen=True, slots=True)
class Varint(Base):
    """What both varints share."""

    holds: ClassVar[str] = "integer"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"raw": ()})
    signed: ClassVar[bool]
    stem: ClassVar[str]

    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"{cls.stem}{bits}" for bits in _WIDTHS)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls(int(text.removeprefix(cls.stem))) if text in cls.spellings() else None

    @property
    def word(self) -> str:
        return f"{self.stem}{self.bits}"

    @property
    def size(self) -> SizeRange:
        return SizeRange(1, -(-self.bits // 7))

    @property
    def values(self) -> Domain:
        return Integer(self.bits, self.signed).values

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(self.bits, signed=self.signed)


@dataclass(frozen=True, slots=True)
class Leb128(Varint):
    """Unsigned LEB128."""

    signed: ClassVar[bool] = False
    stem: ClassVar[str] = "leb128_u"
    block: ClassVar[str] = "Leb128"


@dataclass(frozen=True, slots=True)
class ZigZag(Varint):
    """Signed, zig-zag folded into LEB128."""

    signed: ClassVar[bool] = True
    stem: ClassVar[str] = "zigzag_i"
    block: ClassVar[str] = "ZigZag"
