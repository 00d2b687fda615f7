"""``bcd``: packed decimal, two digits per byte, followed by a sign as mainframes write it (COMP-3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import ORDERS
from wireloom_generator.types.base import WrongKey
from wireloom_generator.types.decimals import Digits
from wireloom_generator.types.sizes import SizeRange, exactly

SIGNS = {"signed": "cd", "unsigned": "f"}
"""The last nibble as it is written: plus or minus, or that the number is unsigned."""


NIBBLE_ORDERS = ("high", "low")
"""The nibble of each byte that has the first of its digits."""


@dataclass(frozen=True, slots=True)
class Bcd(Digits):
    """A number in nibbles, the last of which is its sign."""

    spelling: ClassVar[str] = "bcd"
    block: ClassVar[str] = "Bcd"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"digits": (), "scale": (), "sign": tuple(SIGNS), "nibble_order": NIBBLE_ORDERS, "raw": ()}
    )
    signs: ClassVar[Sequence[str]] = tuple(SIGNS)
    orders: ClassVar[tuple[str, ...]] = ORDERS

    little: bool = False
    low: bool = False

    def given(self, field: syntax.Field) -> Self:
        if any(self.faults(field)):
            return self
        order = field.byte_order == "little", field.nibble_order == "low"
        return type(self)(field.digits or 1, field.scale or 0, field.sign, *order)

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        yield from Digits.faults(self, field)
        if field.byte_order not in (None, *ORDERS):
            yield "byte_order", "a bcd is big or little endian, whatever is around it", "write big or little"
        if field.nibble_order is not None and field.nibble_order not in NIBBLE_ORDERS:
            hint = "write high if the first digit is in the high nibble, else low"
            yield "nibble_order", f"unknown nibble order {field.nibble_order!r}", hint

    def __str__(self) -> str:
        orders = ", little endian" if self.little else "", ", low nibbles first" if self.low else ""
        return Digits.__str__(self) + "".join(orders)

    @property
    def nibbles(self) -> str:
        """The hexadecimal digits of its sign nibble: plus and minus, or always the same; or empty."""
        return "" if self.sign is None else SIGNS[self.sign]

    @property
    def size(self) -> SizeRange:
        return exactly(-(-(self.digits + (self.sign is not None)) // 2))
