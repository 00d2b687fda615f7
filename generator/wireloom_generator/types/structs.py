"""Types with fields: those that the spec declares, the end of recursive ones, and FlatBuffers tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import SIZED, Base, Declared, WrongKey
from wireloom_generator.types.columns import Primitive, StructType
from wireloom_generator.types.sizes import ANY, SizeRange


@dataclass(frozen=True, slots=True)
class Struct(Base):
    """The shared struct called ``name``. It has a region of its own if its field says where it ends."""

    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = something(Kind.STRUCT)
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix", "until")
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = SIZED

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


@dataclass(frozen=True, slots=True)
class Deeper(Base):
    """A value of a recursive type that is inside ``depth`` others: the bytes of a struct ``like`` it.

    A record in which more than ``deepest`` are inside each other is malformed.
    """

    spelling: ClassVar[str] = "deeper"
    block: ClassVar[str] = "Deeper"
    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = something(Kind.STRUCT)
    holds: ClassVar[str] = "bytes"

    depth: int
    deepest: int
    like: str

    @classmethod
    def spellings(cls) -> Iterable[str]:
        return ()

    @property
    def notation(self) -> str:
        return f"bytes of one {self.like}"

    def column(self, declared: Declared) -> Primitive:
        return Primitive.BINARY


@dataclass(frozen=True, slots=True)
class FlatBuffers(Base):
    """``flatbuffers``: a table that the spec declares as ``table``, beside the bytes it was read from."""

    spelling: ClassVar[str] = "flatbuffers"
    block: ClassVar[str] = "FlatBuffer"
    size: ClassVar[SizeRange] = ANY
    values: ClassVar[Domain] = something(Kind.STRUCT)
    ends: ClassVar[tuple[str, ...]] = ("size", "prefix")
    endless: ClassVar[bool] = True
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({"table": (), "raw": ()})
    needs: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"table": "the root table", "raw": "the column that keeps the bytes"}
    )

    table: str = ""

    def given(self, field: syntax.Field) -> Self:
        return replace(self, table=field.table or "")

    def __str__(self) -> str:
        return f"flatbuffers {self.table}"

    @property
    def notation(self) -> str:
        return f"FlatBuffers table {self.table}"

    @property
    def kin(self) -> object:
        return str(self)

    def column(self, declared: Declared) -> StructType:
        return StructType(declared.tables.get(self.table, ()))

    @property
    def holds(self) -> str:
        return f"table {self.table}"
