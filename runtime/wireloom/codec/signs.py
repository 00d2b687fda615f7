"""The representations of signed numbers in bit fields."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from wireloom.codec.errors import DecodeError


class Sign(ABC):
    """How the bits of a number represent its sign."""

    __slots__ = ()

    @abstractmethod
    def ends(self, width: int) -> tuple[int, int]:
        """The lowest and the highest number of so many bits."""

    @abstractmethod
    def value(self, bits: int, width: int) -> int:
        """The number that so many bits represent. Raises ``DecodeError`` if they represent none."""

    @abstractmethod
    def bits(self, value: int, width: int) -> int:
        """The bits that represent a number between the ``ends``."""


@dataclass(frozen=True, slots=True)
class TwosComplement(Sign):
    """The highest bit counts negatively."""

    def ends(self, width: int) -> tuple[int, int]:
        return -(1 << width - 1), (1 << width - 1) - 1

    def value(self, bits: int, width: int) -> int:
        return bits - (1 << width) if bits >> width - 1 else bits

    def bits(self, value: int, width: int) -> int:
        return value & (1 << width) - 1


@dataclass(frozen=True, slots=True)
class SignMagnitude(Sign):
    """The highest bit is set if the number is negative; the others are its absolute value. There is no negative zero,
    which would have to be written as something else than zero.
    """

    def ends(self, width: int) -> tuple[int, int]:
        most = (1 << width - 1) - 1
        return -most, most

    def value(self, bits: int, width: int) -> int:
        sign = 1 << width - 1
        if bits == sign:
            raise DecodeError("invalid", NEGATIVE_ZERO)
        return sign - bits if bits > sign else bits

    def bits(self, value: int, width: int) -> int:
        return abs(value) | 1 << width - 1 if value < 0 else value


NEGATIVE_ZERO = "0 expected, found -0"


@dataclass(frozen=True, slots=True)
class OffsetBinary(Sign):
    """The bits are an unsigned number, to which an ``offset`` is added."""

    offset: int

    def ends(self, width: int) -> tuple[int, int]:
        return self.offset, self.offset + (1 << width) - 1

    def value(self, bits: int, width: int) -> int:
        return bits + self.offset

    def bits(self, value: int, width: int) -> int:
        return value - self.offset
