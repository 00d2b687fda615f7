"""What a program knows of a column while it is put together."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from wireloom.codec import With
from wireloom.codec.labels import WireEnum, WireFlags
from wireloom.codec.meanings import DoubleMeaning, Ipv4Meaning, Ipv6Meaning, MacMeaning, Meaning, UuidMeaning
from wireloom.programs import opcodes as op

WORD = 2**63
"""Whole numbers from ``-WORD`` to before ``WORD`` are in registers as they are."""
FARTHEST = 1 << 40
"""No record has so many bytes, and no list so many items."""
Names = type[WireEnum] | type[WireFlags] | None | tuple[int, "Names", "Names"]
"""The names of numbers: the same in all rows, or some where a mask is set and others elsewhere."""
Mask = int | bool
"""A register with a mask, or what holds for all rows alike."""


WAYS: dict[type[Meaning], int] = {Ipv4Meaning: 0, Ipv6Meaning: 1, MacMeaning: 2, UuidMeaning: 3}
"""Numbers of what bytes of one size may stand for."""
MEANINGS = {way: meaning() for meaning, way in WAYS.items()}
"""What they stand for, by these numbers."""
SIZES = (4, 16, 6, 16)
"""How many bytes these are, by these numbers."""
LONGEST = (15, 39, 17, 36)
"""How long texts are at most, by these numbers."""


class NoProgramError(Exception):
    """Something that no program says. Records that have it are read and written by the codec."""


TOO_DEEP = "a value that is too deep for columns"
"""What no program says of recursive types."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of each row where ``valid`` is set: its register, and between which numbers it is, both included.

    A ``floating`` one of so many bytes is in its register with the bits that it has. The register of a decimal has how
    many times ``1 / parts`` it is, that of a double the number that it stands for, by its ``double``. Some numbers have
    ``names``.
    """

    register: int
    least: int
    most: int
    valid: int = op.ONES
    truth: bool = False
    floating: int = 0
    parts: int = 1
    names: Names = None
    double: DoubleMeaning | None = None

    @property
    def integer(self) -> bool:
        """Whether the register has the number itself, or the lowest 64 bits of it."""
        return not self.floating and self.parts == 1 and self.double is None

    @property
    def whole(self) -> bool:
        """Whether the register has the number itself."""
        return self.integer and self.least >= -WORD and self.most < WORD


@dataclass(frozen=True, slots=True)
class Octets:
    """Bytes of each row where ``valid`` is set, from the address ``start`` to before ``stop``."""

    start: int
    stop: int
    valid: int = op.ONES


@dataclass(frozen=True, slots=True)
class Spelled:
    """Bytes of each row where ``valid`` is set, from the address ``start`` on, as a text: one of ``WAYS``."""

    start: int
    way: int
    valid: int = op.ONES


@dataclass(frozen=True, slots=True)
class Label:
    """One of some ``texts`` for each row, by its number; none where that is -1 or ``valid`` is not set. If it is the
    name of a number, it is that ``of`` this one.
    """

    number: int
    texts: tuple[str, ...]
    valid: int = op.ONES
    of: "Number | None" = None


@dataclass(frozen=True, slots=True)
class Flags:
    """The texts of those ``bits`` that are set in a number of each row, which they are the names ``of``."""

    number: int
    bits: tuple[tuple[str, int], ...]
    valid: int = op.ONES
    of: "Number | None" = None


@dataclass(frozen=True, slots=True)
class NoItems:
    """A list in each row where ``valid`` is set, without items; or one of a table, with ``count`` items."""

    valid: int = op.ONES
    count: Number | None = None


@dataclass(slots=True, eq=False)
class Listing:
    """A list whose items a program of their own reads: where it starts and stops in the rows ``where`` there is one,
    and what an ``item`` is. No item may go beyond ``limit``. The first of three outputs for these is at ``place``.

    Items are read ``at`` a place where expressions know what stands around the list. All have ``size`` bytes, unless
    that is None, and take ``weight`` bytes in a table. The list is of a ``message``, or of a header, and behind so many
    ``checks`` of the program around it, among which are not those of a walk. If items vary in size, or show where it
    ends, it is walked through (``walk``). ``kind`` is the type as which items are written, None if nobody asks.
    What is ``borrowed`` is a single item, whose bytes belong to others.
    """

    place: int
    start: int
    stop: int
    limit: int
    where: int
    item: "Datum"
    at: Any
    size: int | None
    weight: int
    message: str | None
    checks: int
    walk: Any = None
    kind: Any = None
    borrowed: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A list in each row where ``valid`` is set: one of several, and the number of its items, if that is known."""

    listings: tuple[Listing, ...]
    count: Number | None
    valid: int = op.ONES


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A value in each row where ``valid`` is set, whose bytes belong to others, and which a program of its own reads:
    the field of this ``name`` of the item of one of several listings.
    """

    listings: tuple[Listing, ...]
    name: str
    valid: int = op.ONES

    def value(self, listing: Listing) -> "Datum":
        """What it is in the program of one of them."""
        assert isinstance(listing.item, Struct)
        return listing.item.fields[self.name]


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct in each row where ``valid`` is set."""

    fields: "Mapping[str, Datum]"
    valid: int = op.ONES


Datum = Number | Octets | Spelled | Label | Flags | NoItems | Listed | Borrowed | Struct


def is_label(known: Datum | None) -> bool:
    """Whether it is the name of a number, or has the names of its bits, or of those in a list."""
    match known:
        case Label() | Flags():
            return True
        case Listed(listings):
            return is_label(listings[0].item)
    return False


def valid_in(known: Datum, valid: int) -> Datum:
    """The same where ``valid`` is set, too."""
    return replace(known, valid=valid)


@dataclass(slots=True)
class Level:
    """The values of a struct that is being read, and the structs in it that are given more once it was read; of what it
    is given itself, ``late_inputs`` come when what is around it was read.
    """

    columns: dict[str, Datum] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    late: "list[LateStruct]" = field(default_factory=list)
    late_inputs: Set[str] = frozenset()

    def hide(self, names: Iterable[str]) -> None:
        """Forget values that no row has, once all of the struct was read."""
        for name in names:
            self.columns.pop(name, None)


class LateStruct(NamedTuple):
    """A struct with late inputs, and where it is in the rows ``where`` it was read, in which bytes (``whole``)."""

    name: str
    kind: With
    level: Level
    spans: Mapping[str, tuple[int, int]]
    apart: Set[str]
    where: int
    whole: tuple[int, int]
