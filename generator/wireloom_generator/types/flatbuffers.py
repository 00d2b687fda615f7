"""``flatbuffers``: a FlatBuffers table, beside the bytes it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain, something
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.types.base import Base, Declared
from wireloom_generator.types.columns import StructType
from wireloom_generator.types.sizes import ANY, SizeRange


@dataclass(frozen=True, slots=True)
class FlatBuffers(Base):
    """A table that the spec declares under the name ``table``."""

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
