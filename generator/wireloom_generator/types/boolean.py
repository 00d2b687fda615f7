"""``bool``: a byte, 0 or 1."""

from dataclasses import dataclass
from typing import ClassVar

from wireloom_generator.expressions.domain import TRUTH, Domain
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared, spelled
from wireloom_generator.types.columns import Primitive
from wireloom_generator.types.sizes import SizeRange, exactly


@dataclass(frozen=True, slots=True)
class Boolean(Base):
    """True or false."""

    spelling: ClassVar[str] = "bool"
    block: ClassVar[str] = "Boolean"
    size: ClassVar[SizeRange] = exactly(1)
    values: ClassVar[Domain] = TRUTH
    holds: ClassVar[str] = "boolean"

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return None if isinstance(const, bool) else (f"{spelled(const)} is neither true nor false", "")

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BOOLEAN
