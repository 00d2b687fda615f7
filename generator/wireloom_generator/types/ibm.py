"""``ibm32`` and ``ibm64``: hexadecimal floats of IBM's System/360."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import Primitive
from wireloom_generator.types.sizes import SizeRange, exactly

_SPELLED = {"ibm32": 32, "ibm64": 64}


@dataclass(frozen=True, slots=True)
class IbmFloat(Base):
    """A floating-point number with a base of 16."""

    block: ClassVar[str] = "IbmFloat"
    has_order: ClassVar[bool] = True
    values: ClassVar[Domain] = Domain(kind=Kind.FLOAT)
    holds: ClassVar[str] = Primitive.DOUBLE.value
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"raw": ()})

    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return _SPELLED

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls(_SPELLED[text]) if text in _SPELLED else None

    @property
    def word(self) -> str:
        return f"ibm{self.bits}"

    @property
    def kin(self) -> object:
        return self

    @property
    def has_raw(self) -> bool:
        return True  # since a number can have several fractions, and a double has fewer bits than one of 64

    @property
    def size(self) -> SizeRange:
        return exactly(self.bits // 8)

    def column(self, declared: Declared) -> Primitive:
        return Primitive.DOUBLE
