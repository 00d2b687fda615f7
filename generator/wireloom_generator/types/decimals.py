"""What types of decimal numbers with a fixed number of digits share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.problems import closest, counted
from wireloom_generator.reading import syntax
from wireloom_generator.types import columns
from wireloom_generator.types.base import Base, Declared, WrongKey

_MOST = 38
"""The most digits that a decimal column can have."""


@dataclass(frozen=True, slots=True)
class Digits(Base):
    """A number with this many ``digits``, ``scale`` of them after the point, and perhaps a ``sign``.

    ``signs`` are the words for the latter.
    """

    needs: ClassVar[Mapping[str, str]] = MappingProxyType({"digits": "how many there are"})
    signs: ClassVar[Sequence[str]] = ()

    digits: int = 1
    scale: int = 0
    sign: str | None = None

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        digits = 1 if field.digits is None else field.digits
        if not 1 <= digits <= _MOST:
            yield "digits", f"{self.word} cannot have {digits} digits", f"write 1 to {_MOST}"
        elif not 0 <= (field.scale or 0) <= digits:
            yield "scale", f"a scale of {field.scale} does not fit {counted(digits, 'digit')}", f"write 0 to {digits}"
        if field.sign is not None and field.sign not in self.signs:
            yield "sign", f"unknown sign {field.sign!r}", closest(field.sign, self.signs)
        if field.raw is not None and field.sign is None:
            yield (
                "raw",
                f"{self.word} without a sign has only one form for each number",
                "delete raw:; it keeps signs that can be written in several ways",
            )

    def __str__(self) -> str:
        scale = f", {self.scale} after the point" if self.scale else ""
        sign = f", {self.sign.replace('_', ' ')}" if self.sign else ""
        return f"{self.word} of {self.digits} digits{scale}{sign}"

    @property
    def has_raw(self) -> bool:
        return self.sign is not None  # since machines write several signs for one number

    @property
    def signed(self) -> bool:
        """Whether there are negative numbers."""
        return self.sign not in (None, "unsigned")

    @property
    def kin(self) -> object:
        return self

    @property
    def values(self) -> Domain:
        most = 10**self.digits - 1
        return something(Kind.DECIMAL) if self.scale else Domain(-most if self.signed else 0, most)

    def column(self, declared: Declared) -> columns.Decimal:
        return columns.Decimal(self.digits, self.scale)

    @property
    def holds(self) -> str:
        return str(columns.Decimal(self.digits, self.scale))
