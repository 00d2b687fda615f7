"""The end of a recursive type: the field that must be absent at the greatest depth."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import Primitive
from wireloom_generator.types.sizes import ANY, SizeRange


@dataclass(frozen=True, slots=True)
class Deeper(Base):
    """A value that is malformed if it is present, because it is inside ``depth`` others; the struct ``like`` it has the
    fields that it would have.
    """

    spelling: ClassVar[str] = "deeper"
    block: ClassVar[str] = "Deeper"
    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = something(Kind.STRUCT)
    holds: ClassVar[str] = "bytes"

    depth: int
    like: str

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return ()

    @property
    def notation(self) -> str:
        return f"nothing deeper than {self.depth}"

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BINARY
