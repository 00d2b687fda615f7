"""``bool``: a byte, 0 or 1."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared, Example, spelled
from wireloom_generator.types.kind import Kind
from wireloom_generator.types.sizes import SizeRange, exactly
from wireloom_generator.types.tables import Primitive


@dataclass(frozen=True, slots=True)
class Boolean(Base):
    """True or false."""

    kind: ClassVar[Kind] = Kind.CONDITION
    examples: ClassVar[tuple[Example, ...]] = (({}, True),)

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return ("bool",)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls() if text == "bool" else None

    @property
    def word(self) -> str:
        return "bool"

    @property
    def size(self) -> SizeRange:
        return exactly(1)

    @property
    def values(self) -> Domain:
        return Domain(listed=(False, True))

    def misfit(self, const: syntax.Literal, size: int | None = None) -> tuple[str, str] | None:
        return None if isinstance(const, bool) else (f"{spelled(const)} is neither true nor false", "")

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BOOLEAN

    @property
    def holds(self) -> str:
        return "boolean"
