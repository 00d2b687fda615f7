"""What every wire type says of itself; each module beside this one is the home of one type.

Whatever the compiler asks of any type is answered there. What a backend writes for it stands in that backend's own
table, a ``match`` that has to name every type.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from wireloom_generator.expressions.domain import Domain
from wireloom_generator.reading import syntax
from wireloom_generator.types.kind import Kind
from wireloom_generator.types.sizes import SizeRange
from wireloom_generator.types.tables import Column, ColumnType


@dataclass(frozen=True, slots=True)
class Declared:
    """The columns of a protocol's shared structs and of its FlatBuffers tables, by name."""

    structs: Mapping[str, tuple[Column, ...]]
    tables: Mapping[str, tuple[Column, ...]]


Example = tuple[Mapping[str, object], object]


class Base(ABC):
    """A wire type.

    ``ends`` are the keys of a field that may say where a value ends, in bytes; there are none where the type says it,
    and one of them is needed where ``endless``. ``keys`` are those that fields of no other type have, with the words
    each takes if it takes but a few; ``needs`` says what those are that must be given. ``examples`` are keys of fields
    of the type, beside name and type, and a value each. ``has_order`` types have several bytes, in one order or the
    other.
    """

    __slots__ = ()

    keys: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    examples: ClassVar[tuple[Example, ...]]
    ends: ClassVar[tuple[str, ...]] = ()
    endless: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def spellings(cls) -> Iterable[str]:
        """What a spec can write as the ``type`` of a field for it; none of a type that the spec declares."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self | None:
        """The type that ``text`` spells, None if it spells another."""

    def given(self, field: syntax.Field) -> Self:
        """The type with what the field's other keys say of it."""
        return self

    def faults(self, field: syntax.Field) -> Iterator[tuple[str, str, str]]:
        """What is wrong with its own keys, as far as nothing else than the field tells it: the key, what, a hint."""
        yield from ()

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What sort of value it is."""

    @property
    @abstractmethod
    def word(self) -> str:
        """It as the language spells it; what other keys say of it is left out."""

    def __str__(self) -> str:
        """It as findings call it."""
        return self.word

    @property
    def notation(self) -> str:
        """It as the documentation calls it."""
        return str(self)

    @property
    def kin(self) -> object:
        """Types with an equal one differ by what ``wireloom compat`` has rules of their own for; others are others."""
        return type(self)

    @property
    def has_order(self) -> bool:
        """Whether its bytes stand in an order that has to be told."""
        return False

    @property
    @abstractmethod
    def size(self) -> SizeRange:
        """The bytes of a value, as far as the type alone says it."""

    @property
    @abstractmethod
    def values(self) -> Domain:
        """The values it can have; of others than numbers, truths and texts, that they are there."""

    @abstractmethod
    def column(self, declared: Declared) -> ColumnType:
        """The table type that holds every value."""

    @property
    @abstractmethod
    def holds(self) -> str:
        """What its column holds, in words that are equal for types that can share one."""

    def misfit(self, const: syntax.Literal, size: int | None) -> tuple[str, str] | None:
        """What is wrong with a constant, and what to do; ``size`` is how many bytes its field says it has."""
        return f"{self.word} can have no const", "valid: can ask for a value"


def spelled(value: syntax.Literal) -> str:
    """A literal as a spec spells it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


SOMETHING = Domain(listed=(True,))
"""The values of what can only be asked for its presence and its size."""
