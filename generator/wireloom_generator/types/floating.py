"""``f16``, ``f32`` and ``f64``: IEEE 754."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared, spelled
from wireloom_generator.types.columns import Primitive
from wireloom_generator.types.sizes import SizeRange, exactly

_COLUMNS = {16: Primitive.FLOAT, 32: Primitive.FLOAT, 64: Primitive.DOUBLE}


@dataclass(frozen=True, slots=True)
class Float(Base):
    """A floating-point number."""

    has_order: ClassVar[bool] = True
    values: ClassVar[Domain] = Domain(kind=Kind.FLOAT)

    bits: int

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return (f"f{bits}" for bits in _COLUMNS)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls(int(text[1:])) if text in cls.spellings() else None

    @property
    def word(self) -> str:
        return f"f{self.bits}"

    @property
    def size(self) -> SizeRange:
        return exactly(self.bits // 8)

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        is_number = isinstance(const, int | float) and not isinstance(const, bool)
        return None if is_number else (f"{spelled(const)} is not a number", "")

    def column(self, declared: Declared) -> Primitive:
        return _COLUMNS[self.bits]

    @property
    def holds(self) -> str:
        return _COLUMNS[self.bits].value
