"""``bcd``: packed decimal, two digits per byte, followed by a sign as mainframes write it (COMP-3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.reading import syntax
from wireloom_generator.types.decimals import Digits
from wireloom_generator.types.sizes import SizeRange, exactly

SIGNS = {"signed": "cd", "unsigned": "f"}
"""The last nibble as it is written: plus or minus, or that the number is unsigned."""


@dataclass(frozen=True, slots=True)
class Bcd(Digits):
    """A number in nibbles, the last of which is its sign."""

    spelling: ClassVar[str] = "bcd"
    block: ClassVar[str] = "Bcd"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"digits": (), "scale": (), "sign": tuple(SIGNS), "raw": ()}
    )
    signs: ClassVar[Sequence[str]] = tuple(SIGNS)

    def given(self, field: syntax.Field) -> Self:
        return self if any(self.faults(field)) else type(self)(field.digits or 1, field.scale or 0, field.sign)

    @property
    def nibbles(self) -> str:
        """The hexadecimal digits of its sign nibble: plus and minus, or always the same; or empty."""
        return "" if self.sign is None else SIGNS[self.sign]

    @property
    def size(self) -> SizeRange:
        return exactly(-(-(self.digits + (self.sign is not None)) // 2))
