"""The representations of signed numbers in bit fields: ``sign`` of a bit field."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Declared
from wireloom_generator.types.columns import Decimal, Primitive
from wireloom_generator.types.numbers import Integer


class Sign(ABC):
    """How the bits of a number represent its sign. ``word`` is its name in specs, ``block`` its class in the codec."""

    __slots__ = ()

    word: ClassVar[str]
    block: ClassVar[str]
    notation: ClassVar[str]
    """Its name in the documentation."""

    @property
    def details(self) -> Mapping[str, int]:
        """The arguments for the codec."""
        return {}

    def __str__(self) -> str:
        """Its name in findings."""
        return self.notation

    @abstractmethod
    def ends(self, bits: int) -> tuple[int, int]:
        """The lowest and the highest number of so many bits."""


@dataclass(frozen=True, slots=True)
class TwosComplement(Sign):
    word: ClassVar[str] = "twos_complement"
    block: ClassVar[str] = "TwosComplement"
    notation: ClassVar[str] = "two's complement"

    def ends(self, bits: int) -> tuple[int, int]:
        return -(1 << bits - 1), (1 << bits - 1) - 1


@dataclass(frozen=True, slots=True)
class SignMagnitude(Sign):
    """A sign bit, then the absolute value."""

    word: ClassVar[str] = "sign_magnitude"
    block: ClassVar[str] = "SignMagnitude"
    notation: ClassVar[str] = "sign and magnitude"

    def ends(self, bits: int) -> tuple[int, int]:
        most = (1 << bits - 1) - 1
        return -most, most


@dataclass(frozen=True, slots=True)
class OffsetBinary(Sign):
    """An unsigned number, to which the ``offset`` is added."""

    word: ClassVar[str] = "offset"
    block: ClassVar[str] = "OffsetBinary"
    notation: ClassVar[str] = "offset binary"

    offset: int

    @property
    def details(self) -> Mapping[str, int]:
        return {"offset": self.offset}

    def __str__(self) -> str:
        return f"{self.notation} with the offset {self.offset}"

    def ends(self, bits: int) -> tuple[int, int]:
        return self.offset, self.offset + (1 << bits) - 1


WORDS: Mapping[str, Sign] = {each.word: each for each in (TwosComplement(), SignMagnitude())}
BLOCKS = tuple(each.block for each in (TwosComplement, SignMagnitude, OffsetBinary))


def sign_of(written: syntax.BitField) -> Sign | None:
    """How a bit field represents its sign; None if it is unsigned, or if there is no such representation."""
    if isinstance(written.sign, syntax.OffsetBinary):
        return OffsetBinary(int(written.sign.offset))
    return None if written.sign is None else WORDS.get(written.sign)


@dataclass(frozen=True, slots=True)
class SignedBits(Integer):
    """The signed number of a bit field."""

    sign: Sign

    @property
    def least(self) -> int:
        return self.sign.ends(self.bits)[0]

    @property
    def most(self) -> int:
        return self.sign.ends(self.bits)[1]

    @property
    def word(self) -> str:
        return f"i{self.bits}"

    @property
    def extended(self) -> Integer:
        """The narrowest integer of whole bytes that has all its values, if there is one."""
        bits = max(self.most, ~self.least).bit_length() + 1
        return Integer(-(-bits // 8) * 8, signed=True)

    def column(self, declared: Declared) -> Primitive | Decimal:
        return self.extended.column(declared)
