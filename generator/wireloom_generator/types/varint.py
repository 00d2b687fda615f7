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
class VarintForm:
    """A way to write integers: ``stem`` is its name in specs without the width, ``block`` its reader in the codec.

    Lists of types name those of the ``usual`` widths. The longest has ``longest`` bytes, or 7 bits in each.
    """

    block: str
    stem: str
    signed: bool
    usual: tuple[int, ...]
    widths: range = range(1, 65)
    longest: int | None = None


FORMS = (
    VarintForm("Leb128", "leb128_u", False, (28, 32, 64)),  # seven bits a byte, the lowest first
    VarintForm("SignedLeb128", "leb128_i", True, (32, 64)),  # in two's complement, its sign in the last byte
    VarintForm("ZigZag", "zigzag_i", True, (32, 64)),  # zig-zag folded into LEB128
    VarintForm("Protobuf", "protobuf_i", True, (32, 64), longest=10),  # 64 bits of two's complement in LEB128
    VarintForm("Vlq", "vlq_u", False, (28, 64)),  # seven bits a byte, the highest first
    VarintForm("Quic", "quic_u", False, (62,), range(62, 63), longest=8),  # the two highest bits say how many bytes
)
_BY_STEM = {form.stem: form for form in FORMS}
_SPELLED = re.compile(rf"({'|'.join(_BY_STEM)})([1-9]\d{{0,3}})")


@dataclass(frozen=True, slots=True)
class Varint(Base):
    """An integer of at most this many ``bits`` in one of the forms."""

    holds: ClassVar[str] = "integer"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"raw": ()})

    form: VarintForm
    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"{form.stem}{bits}" for form in FORMS for bits in form.usual)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        found = _SPELLED.fullmatch(text)
        return cls(_BY_STEM[found[1]], int(found[2])) if found else None

    @property
    def word(self) -> str:
        return f"{self.form.stem}{self.bits}"

    @property
    def kin(self) -> object:
        return self.form

    @property
    def size(self) -> SizeRange:
        return SizeRange(1, self.form.longest or -(-self.bits // 7))

    @property
    def number(self) -> Integer:
        """The integer with the same values."""
        return Integer(self.bits, self.form.signed)

    @property
    def values(self) -> Domain:
        return self.number.values

    def column(self, declared: Declared) -> Primitive | Decimal:
        return integer_column(self.bits, signed=self.form.signed)

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return self.number.unfit(const, self.word)
