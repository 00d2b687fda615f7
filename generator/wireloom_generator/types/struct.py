"""A type that the spec declares: a sequence of fields."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import TERMINATORS, UNTERMINATED
from wireloom_generator.types.base import Base, Declared, WrongKey
from wireloom_generator.types.columns import StructType
from wireloom_generator.types.sizes import ANY, SizeRange


@dataclass(frozen=True, slots=True)
class Struct(Base):
    """The shared struct called ``name``. It has a region of its own if its field says where it ends."""

    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = something(Kind.STRUCT)
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"raw": (), "pad": (), "terminator": TERMINATORS, "unterminated": UNTERMINATED, "through": (), "limit": ()}
    )

    name: str

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        if field.raw is not None and field.through is None:
            yield "raw", f"{self.name} cannot have raw", "write raw: on the fields in it"

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return ()

    @property
    def word(self) -> str:
        return self.name

    def column(self, declared: Declared) -> StructType:
        return StructType(declared.structs.get(self.name, ()))

    @property
    def holds(self) -> str:
        return self.name


class Unknown(Struct):
    """An undeclared type, treated as a struct with unknown contents, so that the rules can check its uses; emitters
    never get one.
    """

    __slots__ = ()
