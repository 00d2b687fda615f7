"""The interface of wire types, which the modules beside this one implement.

Everything that the compiler needs to know about a type is there. The output for it is in each backend's own table, a
``match`` that must name every type.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import TERMINATORS, UNTERMINATED
from wireloom_generator.types.columns import Column, ColumnType
from wireloom_generator.types.sizes import SizeRange


@dataclass(frozen=True, slots=True)
class Declared:
    """The columns of a protocol's shared structs and of its FlatBuffers tables, by name."""

    structs: Mapping[str, tuple[Column, ...]]
    tables: Mapping[str, tuple[Column, ...]]


WrongKey = tuple[str, str, str]
"""A mistake in a key: the key, the problem, a hint."""


SIZED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"raw": (), "pad": (), "terminator": TERMINATORS, "unterminated": UNTERMINATED, "through": (), "limit": ()}
)
"""The keys of types whose values can have any size."""


class Base(ABC):
    """A wire type.

    ``spelling`` is its name in specs, if it has only one. ``block`` is its reader in the codec, if that reads nothing
    else. ``ends`` are the keys of a field that can say where a value ends. An ``endless`` type needs one of them; a
    type of known size has none. ``keys`` are the keys that not all types have, each with its allowed words if there are
    few; ``needs`` describes those that are required. One that can have ``raw`` has values with several encodings. Types
    that ``has_order`` have several bytes, in big-endian or little-endian order. The ``orders`` are those that a field
    can have, although it does not take that of what is around it.
    """

    __slots__ = ()

    spelling: ClassVar[str] = ""
    block: ClassVar[str] = ""
    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    ends: ClassVar[tuple[str, ...]] = ()
    endless: ClassVar[bool] = False
    orders: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def spellings(cls) -> Iterable[str]:
        """The names of the type in specs; none for a type that the spec declares."""
        return (cls.spelling,)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The type spelled ``text``; None if that is another type."""
        return cls() if text in cls.spellings() else None

    def given(self, field: syntax.Field) -> Self:
        """The type with the details from the field's other keys."""
        return self

    def faults(self, field: syntax.Field) -> Iterator[WrongKey]:
        """The mistakes in its own keys, as far as the field alone shows them."""
        yield from ()

    @property
    def has_raw(self) -> bool:
        """Whether a field of this type has a column for non-canonical bytes even if its spec does not name one with
        ``raw``.
        """
        return False

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.values.kind

    @property
    def word(self) -> str:
        """Its spelling in the language, without the details from other keys."""
        return self.spelling

    def __str__(self) -> str:
        """Its name in findings."""
        return self.word

    @property
    def notation(self) -> str:
        """Its name in the documentation."""
        return str(self)

    @property
    def kin(self) -> object:
        """``wireloom compat`` treats types with different kin as different types, and has separate rules for other
        differences.
        """
        return type(self)

    @property
    def has_order(self) -> bool:
        return False

    @property
    @abstractmethod
    def size(self) -> SizeRange:
        """The size of a value in bytes, as far as the type alone determines it."""

    @property
    @abstractmethod
    def values(self) -> Domain:
        """The values it can have; for types other than numbers, booleans and text, only that a value is there."""

    @abstractmethod
    def column(self, declared: Declared) -> ColumnType:
        """The table type that holds every value."""

    @property
    @abstractmethod
    def holds(self) -> str:
        """A description of its column, equal for types that can share a column."""

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        """The mistake in a constant, and a hint; ``size`` is the number of bytes that its field gives."""
        return f"{self.word} cannot have const", "write valid: to require a value"


def spelled(value: syntax.Literal | None) -> str:
    """A literal as a spec spells it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)
