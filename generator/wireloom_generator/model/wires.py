"""How values stand in the bytes, and how far they reach."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from wireloom_generator.expressions import Expr, Unary, Value, parsed
from wireloom_generator.problems import Location
from wireloom_generator.types import WireType

NOWHERE = Location(Path(), 1, 1)
"""The place of what no file says."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression, each name told where its value is found, and its text in one line.

    ``raw`` is the text as it was written at the place ``at``; what the compiler adds was written nowhere.
    """

    expression: Expr
    text: str
    raw: str = field(default="", compare=False, repr=False)
    at: Location = field(default=NOWHERE, compare=False, repr=False)

    @property
    def tree(self) -> Expr | None:
        """It as it was written, its names as they are; None if it cannot be read."""
        return parsed(self.raw)

    @property
    def constant(self) -> int | None:
        """The number that it is, if it is nothing but one."""
        return constant(self.raw)

    def where(self, column: int = 0) -> Location:
        """The place of its ``column``, if it is written in one line as it is; else where it begins."""
        if self.at.verbatim is None:
            return self.at
        text = self.raw.lstrip()
        start = self.at.verbatim + len(self.raw) - len(text)
        characters = len(text.encode()[:column].decode(errors="ignore"))
        return Location(self.at.path, self.at.line, self.at.column + start + characters)


def constant(text: str) -> int | None:
    """The number that an expression is, if it is nothing but one."""
    match parsed(text):
        case Value(value=bool()):
            return None
        case Value(value=int() as value):
            return value
        case Unary("-", Value(value=int() as value)):
            return -value
        case _:
            return None


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

    condition: Condition
    fixed: int | None

    @property
    def bytes(self) -> Expr:
        """The expression's tree."""
        return self.condition.expression

    @property
    def text(self) -> str:
        """The expression's text."""
        return self.condition.text


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
