"""``bytes``: bytes as they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from wireloom_generator.sizes import ANY, SizeRange
from wireloom_generator.table_types import Primitive
from wireloom_generator.types.base import SOMETHING, Base, Declared
from wireloom_generator.types.kind import Kind
from wireloom_generator.value_sets import Domain


@dataclass(frozen=True, slots=True)
class Bytes(Base):
    """Bytes."""

    kind: ClassVar[Kind] = Kind.BYTES
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    endless: ClassVar[bool] = True

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return ("bytes",)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        return cls() if text == "bytes" else None

    @property
    def word(self) -> str:
        return "bytes"

    @property
    def size(self) -> SizeRange:
        return ANY

    @property
    def values(self) -> Domain:
        return SOMETHING

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BINARY

    @property
    def holds(self) -> str:
        return "bytes"
