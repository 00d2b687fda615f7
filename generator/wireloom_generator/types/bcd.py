"""``bcd``: packed decimal, two digits per byte, followed by a sign as mainframes write it (COMP-3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.problems import closest, counted
from wireloom_generator.reading import syntax
from wireloom_generator.types import columns
from wireloom_generator.types.base import Base, Declared, WrongKey
from wireloom_generator.types.sizes import SizeRange, exactly

SIGNS = {"signed": "cd", "unsigned": "f"}
"""The last nibble as it is written: plus or minus, or that the number is unsigned."""
_MOST = 38
"""The most digits that a decimal column can have."""


@dataclass(frozen=True, slots=True)
class Bcd(Base):
    """A number with this many ``digits``, ``scale`` of them after the point, and a ``sign`` in a nibble of its own."""

    spelling: ClassVar[str] = "bcd"
    block: ClassVar[str] = "Bcd"
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"digits": (), "scale": (), "sign": tuple(SIGNS), "raw": ()}
    )
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({"digits": "how many there are"})

    digits: int = 1
    scale: int = 0
    sign: str | None = None

    def given(self, field: syntax.Field) -> Self:
        return self if any(self.faults(field)) else type(self)(field.digits or 1, field.scale or 0, field.sign)

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        digits = 1 if field.digits is None else field.digits
        if not 1 <= digits <= _MOST:
            yield "digits", f"bcd cannot have {digits} digits", f"write 1 to {_MOST}"
        elif not 0 <= (field.scale or 0) <= digits:
            yield "scale", f"a scale of {field.scale} does not fit {counted(digits, 'digit')}", f"write 0 to {digits}"
        if field.sign is not None and field.sign not in SIGNS:
            yield "sign", f"unknown sign {field.sign!r}", closest(field.sign, SIGNS)
        if field.raw is not None and field.sign is None:
            yield (
                "raw",
                "bcd without a sign has only one form for each number",
                "delete raw:; it keeps signs that can be written in several ways",
            )

    def __str__(self) -> str:
        scale = f", {self.scale} after the point" if self.scale else ""
        return f"bcd of {self.digits} digits{scale}{f', {self.sign}' if self.sign else ''}"

    @property
    def has_raw(self) -> bool:
        return self.sign is not None  # since machines write several signs for one number

    @property
    def nibbles(self) -> str:
        """The hexadecimal digits of its sign nibble: plus and minus, or always the same; or empty."""
        return "" if self.sign is None else SIGNS[self.sign]

    @property
    def kin(self) -> object:
        return self

    @property
    def size(self) -> SizeRange:
        return exactly(-(-(self.digits + (self.sign is not None)) // 2))

    @property
    def values(self) -> Domain:
        most = 10**self.digits - 1
        return something(Kind.DECIMAL) if self.scale else Domain(-most if self.sign == "signed" else 0, most)

    def column(self, declared: Declared) -> columns.Decimal:
        return columns.Decimal(self.digits, self.scale)

    @property
    def holds(self) -> str:
        return str(columns.Decimal(self.digits, self.scale))
