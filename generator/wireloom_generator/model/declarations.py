"""What a spec declares beside its messages: descriptions, named numbers and bits, tables, parameters.

Values that mean nothing (a range without an end, a type that no table has) are here as far as they were given.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from wireloom_generator.expressions import Literal
from wireloom_generator.model.matching import Selector
from wireloom_generator.problems import Location
from wireloom_generator.reading.written import Written
from wireloom_generator.types import Integer, parse
from wireloom_generator.types.columns import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """Something from a file: ``written`` has its places; ``via`` is the include that brought it."""

    written: Written = field(compare=False, repr=False)
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
class Deprecation:
    """That nobody should begin to use something: from which version on, and what to use instead."""

    since: str | None
    replaced_by: str | None

    def __str__(self) -> str:
        return self.told(self.replaced_by)

    def told(self, instead: str | None) -> str:
        """In words, with ``instead`` for the name of what to use."""
        since = f"Deprecated since {self.since}" if self.since else "Deprecated"
        return f"{since}; use {instead}" if instead else since


@dataclass(frozen=True, slots=True)
class Acceptance(Sourced):
    """That the warnings of a rule are meant, and why."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Doc:
    """The spec's description of something, and the warnings about it that are ``accepted``."""

    title: str = ""
    text: str = ""
    since: str | None = None
    source: Source | None = None
    errata: tuple[str, ...] = ()
    unit: str | None = None
    deprecated: Deprecation | None = None
    accepted: tuple[Acceptance, ...] = field(default=(), compare=False, repr=False)

    @property
    def brief(self) -> str:
        """The first sentence of the text or the title, and whether it is deprecated."""
        return self._warned(_SENTENCE.split(self.text, maxsplit=1)[0] or self.title)

    @property
    def comment(self) -> str:
        """The text, and whether it is deprecated."""
        return self._warned(self.text)

    def _warned(self, text: str) -> str:
        if self.deprecated is None:
            return text
        end = "" if not text or text[-1] in ".!?:" else "."
        return f"{text}{end} {self.deprecated}.".lstrip()


_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
"""Between two sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(Sourced):
    """Something that the spec can describe."""

    doc: Doc


@dataclass(frozen=True, slots=True)
class Included(Described):
    """An include: the fields of the struct ``name`` stand in its place."""

    name: str


@dataclass(frozen=True, slots=True)
class EnumValue(Described):
    """A named number, or a ``range`` of numbers that share a label.

    The ``label`` is what people read: the document's words, or the name.
    """

    name: str
    label: str
    first: int
    last: int
    range: bool


@dataclass(frozen=True, slots=True)
class Enum(Described):
    """Named numbers and labelled ranges, in order; ``groups`` are names for several of them at once."""

    name: str
    values: tuple[EnumValue, ...]
    groups: Mapping[str, tuple[str, ...]] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Flag(Described):
    """A named bit, and what people read for it: the document's words, or the name."""

    name: str
    label: str
    value: int


@dataclass(frozen=True, slots=True)
class Flags(Described):
    """Named bits."""

    name: str
    values: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class TableField(Described):
    """A field of a FlatBuffers table; ``default`` is what a reader sees when it is not stored."""

    name: str
    type: str
    id: int
    default: int | float | bool | str | None


@dataclass(frozen=True, slots=True)
class Table(Described):
    """A FlatBuffers table."""

    name: str
    fields: tuple[TableField, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Told(Sourced):
    """The ``message`` by which captures tell a parameter: it is true if one of the values at the path ``field`` is one
    of the ``values``. The messages ``asked`` are read by it.
    """

    message: str
    field: str
    values: tuple[Selector, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter(Described):
    """A fact that is not in the bytes; or, without a ``default``, what the header of a capture says of its records.

    Captures may tell it themselves where it is ``found``.
    """

    name: str
    type: str
    default: Literal | None
    choices: tuple[str, ...] = ()
    column: bool = False
    found: Told | None = None

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest number that it can be; None if it is none."""
        found = parse(self.type)
        return (found.values.least, found.values.most) if isinstance(found, Integer) else None

    def can_be(self, number: object) -> bool:
        """Whether it can be that number."""
        least, most = self.bounds or (0, -1)
        return isinstance(number, int) and not isinstance(number, bool) and least <= number <= most
