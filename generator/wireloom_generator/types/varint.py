"""Integers that take as many bytes as they need: LEB128 in four forms, VLQ and QUIC's."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import Decimal, Primitive
from wireloom_generator.types.numbers import Integer, integer_column
from wireloom_generator.types.sizes import SizeRange


@dataclass(frozen=True, slots=True)
class Varint(Base):
    """The common part of all varints. Lists of types name those of the ``usual`` widths."""

    holds: ClassVar[str] = "integer"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"raw": ()})
    signed: ClassVar[bool]
    stem: ClassVar[str]
    usual: ClassVar[tuple[int, ...]]
    widths: ClassVar[range] = range(1, 65)

    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"{cls.stem}{bits}" for bits in cls.usual)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        found = re.fullmatch(rf"{cls.stem}([1-9]\d{{0,3}})", text)
        return cls(int(found[1])) if found else None

    @property
    def word(self) -> str:
        return f"{self.stem}{self.bits}"

    @property
    def longest(self) -> int:
        """The number of bytes of the longest."""
        return -(-self.bits // 7)

    @property
    def size(self) -> SizeRange:
        return SizeRange(1, self.longest)

    @property
    def number(self) -> Integer:
        """The integer with the same values."""
        return Integer(self.bits, self.signed)

    @property
    def values(self) -> Domain:
        return self.number.values

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(self.bits, signed=self.signed)

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return self.number.unfit(const, self.word)


@dataclass(frozen=True, slots=True)
class Leb128(Varint):
    """Unsigned LEB128: seven bits a byte, the lowest first."""

    signed: ClassVar[bool] = False
    stem: ClassVar[str] = "leb128_u"
    usual: ClassVar[tuple[int, ...]] = (28, 32, 64)
    block: ClassVar[str] = "Leb128"


@dataclass(frozen=True, slots=True)
class SignedLeb128(Varint):
    """LEB128 in two's complement, its sign in the last byte."""

    signed: ClassVar[bool] = True
    stem: ClassVar[str] = "leb128_i"
    usual: ClassVar[tuple[int, ...]] = (32, 64)
    block: ClassVar[str] = "SignedLeb128"


@dataclass(frozen=True, slots=True)
class ZigZag(Varint):
    """Signed, zig-zag folded into LEB128."""

    signed: ClassVar[bool] = True
    stem: ClassVar[str] = "zigzag_i"
    usual: ClassVar[tuple[int, ...]] = (32, 64)
    block: ClassVar[str] = "ZigZag"


@dataclass(frozen=True, slots=True)
class Protobuf(Varint):
    """Signed as in Protocol Buffers: 64 bits of two's complement in LEB128, so that negative ones have ten bytes."""

    signed: ClassVar[bool] = True
    stem: ClassVar[str] = "protobuf_i"
    usual: ClassVar[tuple[int, ...]] = (32, 64)
    block: ClassVar[str] = "Protobuf"

    @property
    def longest(self) -> int:
        return 10


@dataclass(frozen=True, slots=True)
class Vlq(Varint):
    """Seven bits a byte, the highest first."""

    signed: ClassVar[bool] = False
    stem: ClassVar[str] = "vlq_u"
    usual: ClassVar[tuple[int, ...]] = (28, 64)
    block: ClassVar[str] = "Vlq"


@dataclass(frozen=True, slots=True)
class Quic(Varint):
    """One, two, four or eight bytes, as the two highest bits of the first one say."""

    signed: ClassVar[bool] = False
    stem: ClassVar[str] = "quic_u"
    usual: ClassVar[tuple[int, ...]] = (62,)
    widths: ClassVar[range] = range(62, 63)
    block: ClassVar[str] = "Quic"

    @property
    def longest(self) -> int:
        return 8
