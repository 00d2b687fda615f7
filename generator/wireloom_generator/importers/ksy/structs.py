"""The types of the spec: what each is called, what it is given, and where it is used."""

import re
from dataclasses import dataclass, field, replace

from wireloom_generator import naming
from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.structure import Attribute, Type

WORDS = frozenset({"false", "index", "left", "record", "rest", "true"})
"""Words that mean something in expressions."""


@dataclass(eq=False, slots=True)
class Struct:
    """A type of the spec: what it is called, what it is given, and where it is used."""

    type: Type
    name: str
    users: "list[tuple[Struct, Attribute]]" = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    """The names of its fields in the spec."""
    given: dict[str, ks.Node] = field(default_factory=dict)
    """What it sees of what is around it, by the names of its parameters."""
    of_header: set[str] = field(default_factory=set)
    """The fields of the header that it uses, itself or by its fields."""
    shown: set[str] = field(default_factory=set)
    """Its parameters that others ask it for."""
    marked: set[str] = field(default_factory=set)
    """Its attributes whose place only a mark before them can say: a field without bytes."""
    counted: set[str] = field(default_factory=set)
    """Its texts whose digits expressions use as a number."""
    picked: set[tuple[str, int]] = field(default_factory=set)
    """Its bytes of which expressions use one, and the number of that one."""
    peeked: set[str] = field(default_factory=set)
    """Its fields that an item of a list asks the next item for."""
    is_stream: bool = False
    """Whether each use of it has a size, so that it is a stream of its own."""
    is_wrapped: bool = False
    """Whether its fields are in a section, so that expressions know where it begins and how long it is."""
    is_in_record: bool = False
    """Whether its stream is the record."""
    depth: int = 0
    """Of a type that contains itself: how many inside each other have columns."""


@dataclass(slots=True)
class Here:
    """Where an expression is."""

    struct: Struct
    key: str = ""
    item: Struct | None = None
    """In ``repeat-until``: the struct of the item."""
    before: tuple[str, ...] = ()
    """The fields before, back to one that is always there."""
    mark: str = ""
    """The attribute of which this is, or that asks for this before it is read."""
    io: ks.Node | None = None
    """The stream that the attribute is read from, if that is another one."""
    is_first: bool = False
    is_list: bool = False
    """Whether it is asked again for each item of a list."""
    is_guarded: bool = False
    """Whether numbers that may be absent are 0 then."""
    used: set[str] = field(default_factory=set)
    """The own fields, and those of the header, that it uses."""

    def under(self, key: str, item: Struct | None = None) -> "Here":
        """The same place, under a key."""
        return replace(self, key=key, item=item)


def area(struct: Struct) -> str:
    """The section that has the fields of a struct."""
    taken = set(struct.fields.values())
    found = naming.snake_case(struct.type.name)
    while found in taken or found in WORDS:
        found += "_area"
    return found


def byte_of(struct: Struct, attribute: str, index: int) -> str:
    """The field that has one of the bytes."""
    return _beside(struct, attribute, str(index))


def next_of(struct: Struct, attribute: str) -> str:
    """The field that has the value of the next item."""
    return _beside(struct, attribute, "of_next")


def shown(struct: Struct, name: str) -> str:
    """The field that shows the argument of a parameter."""
    return _beside(struct, name, "value")


def mark(struct: Struct, attribute: str) -> str:
    """The field without bytes before an attribute."""
    return _beside(struct, attribute, "start")


def number_of(struct: Struct, attribute: str) -> str:
    """The field that has the digits of a text as a number."""
    return _beside(struct, attribute, "number")


def member(name: str) -> str:
    """A name of a value, as the language allows it."""
    found = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return found if found[:1].isalpha() else f"n_{found}"


def _beside(struct: Struct, attribute: str, what: str) -> str:
    """A name for something about an attribute."""
    found = f"{struct.fields[attribute]}_{what}"
    while found in struct.fields.values():
        found += "_2"
    return found
