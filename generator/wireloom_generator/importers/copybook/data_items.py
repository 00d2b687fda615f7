"""What a copybook declares: its items, their clauses and conditions."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from wireloom_generator.importers.copybook.pictures import Picture
from wireloom_generator.problems import Location

MOST_ENTRIES = 10_000
MOST_WORDS = 10_000
"""Of an entry: conditions can have many values."""


class Usage(StrEnum):
    """How the digits of a number are stored."""

    DISPLAY = "DISPLAY"
    BINARY = "COMP"
    NATIVE = "COMP-5"
    LITTLE = "COMP-9"
    """Cobrix's: COMP in little-endian order."""
    SINGLE = "COMP-1"
    DOUBLE = "COMP-2"
    PACKED = "COMP-3"
    UNSIGNED = "COMP-6"
    """Packed digits without a nibble for a sign; Cobrix's COMP-3U."""
    NATIONAL = "NATIONAL"
    DOUBLE_BYTES = "DISPLAY-1"
    INDEX = "INDEX"
    POINTER = "POINTER"


@dataclass(frozen=True, slots=True)
class Sign:
    """Where a sign is: in the first or the last digit, or in a byte of its own."""

    is_leading: bool
    is_separate: bool


@dataclass(frozen=True, slots=True)
class Occurs:
    """How often an item is there; ``depending`` is the name of the item with the number, and those of its groups."""

    least: int
    most: int
    depending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """A literal or a figurative constant."""

    words: str
    """As in the copybook."""
    number: Decimal | None = None
    text: str | None = None
    figurative: str = ""


@dataclass(slots=True)
class Condition:
    """An entry of level 88: the values and ranges of values for which a condition is true."""

    name: str
    at: Location
    values: list[tuple[Value, Value | None]]


@dataclass(slots=True)
class DataItem:
    """An entry for an item, with those of its own items and conditions."""

    level: int
    name: str
    """Empty for FILLER."""
    at: Location
    doc: str = ""
    clauses: str = ""
    """Its picture, usage and sign, as in the copybook."""
    picture: Picture | None = None
    usage: Usage | None = None
    sign: Sign | None = None
    occurs: Occurs | None = None
    redefines: str = ""
    is_synchronized: bool = False
    is_justified: bool = False
    value: Value | None = None
    items: "list[DataItem]" = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """The name for people."""
        return self.name or "FILLER"


@dataclass(frozen=True, slots=True)
class Refused:
    """An entry that says no bytes, with the reason why it is left out."""

    name: str
    at: Location
    reason: str


@dataclass(slots=True)
class Copybook:
    """The records of a copybook. ``loose`` are its items that are in none."""

    records: list[DataItem] = field(default_factory=list)
    loose: list[DataItem] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
