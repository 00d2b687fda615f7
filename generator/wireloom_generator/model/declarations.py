"""What a spec declares beside its messages: descriptions, named numbers and bits, tables, parameters.

Values that mean nothing (a range without an end, a type that no table has) are here as far as they were given.
"""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.written import Written
from wireloom_generator.types.columns import Column

Syntax = TypeVar("Syntax", bound=Written, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced(Generic[Syntax]):
    """Something from a file: ``written`` is its syntax; ``via`` is the include that brought it."""

    written: Syntax = field(compare=False, repr=False)
    via: Location | None = field(default=None, compare=False, repr=False)

    @property
    def at(self) -> Location:
        """Where it begins."""
        return self.written.at

    def where(self, key: str) -> Location:
        """The place of the value of ``key``."""
        return self.written.where(key)

    def gives(self, key: str) -> bool:
        """Whether ``key`` is given."""
        return key in self.written.places


@dataclass(frozen=True, slots=True)
class Source:
    """Where in which document something is laid down."""

    document: str
    section: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Doc:
    """The spec's description of something."""

    title: str = ""
    text: str = ""
    since: str | None = None
    source: Source | None = None
    errata: tuple[str, ...] = ()
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class EnumValue(Sourced[syntax.EnumValue]):
    """A named number, or a ``range`` of numbers that share a label."""

    name: str
    first: int
    last: int
    range: bool
    doc: Doc


@dataclass(frozen=True, slots=True)
class Enum(Sourced[syntax.Enum]):
    """Named numbers and labelled ranges, in the spec's order."""

    name: str
    doc: Doc
    values: tuple[EnumValue, ...]


@dataclass(frozen=True, slots=True)
class Flag(Sourced[syntax.FlagValue]):
    """A named bit."""

    name: str
    value: int
    doc: Doc


@dataclass(frozen=True, slots=True)
class Flags(Sourced[syntax.Flags]):
    """Named bits."""

    name: str
    doc: Doc
    values: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class TableField(Sourced[syntax.TableField]):
    """A field of a FlatBuffers table; ``default`` is what a reader sees when it is not stored."""

    name: str
    type: str
    id: int
    default: int | float | bool | str | None
    doc: Doc


@dataclass(frozen=True, slots=True)
class Table(Sourced[syntax.Table]):
    """A FlatBuffers table."""

    name: str
    doc: Doc
    fields: tuple[TableField, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Parameter(Sourced[syntax.Parameter]):
    """A fact that is not in the bytes."""

    name: str
    type: str
    default: syntax.Literal
    choices: tuple[str, ...]
    column: bool
    doc: Doc
