"""How values stand in the bytes, and how far they reach."""

from dataclasses import dataclass
from enum import StrEnum

from wireloom_generator.expressions import Expr
from wireloom_generator.types import WireType


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression and its text."""

    expression: Expr
    text: str


class Order(StrEnum):
    """Byte order; ``PARAMETER`` is told by the protocol's parameter."""

    BIG = "big"
    LITTLE = "little"
    PARAMETER = "parameter"


@dataclass(frozen=True, slots=True)
class Rest:
    """To the end of the section."""


@dataclass(frozen=True, slots=True)
class Size:
    """As many bytes as the expression says; ``fixed`` if that is a number."""

    bytes: Expr
    text: str
    fixed: int | None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A length in front."""

    length: "Wire"


@dataclass(frozen=True, slots=True)
class Terminator:
    """Bytes behind it."""

    value: bytes


Extent = Rest | Size | Prefix | Terminator


@dataclass(frozen=True, slots=True)
class Wire:
    """A value in the bytes: its type, the order of its bytes if they have one, how far it reaches if its type is open.

    A struct without an extent is as long as its fields.
    """

    type: WireType
    order: Order | None = None
    extent: Extent | None = None

    @property
    def fixed(self) -> int | None:
        """The bytes of each value, None if they may differ or depend on what a struct consists of."""
        if self.extent is not None:
            return self.extent.fixed if isinstance(self.extent, Size) else None
        size = self.type.size
        return size.least if size.least == size.most else None
