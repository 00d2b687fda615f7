"""A spec with every name looked up. Rules check it, and the protocol for emitters is made from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wireloom_generator.model.declarations import Described, Included, Parameter
from wireloom_generator.model.nodes import Named, Node, Region, Struct
from wireloom_generator.model.protocol import Message, Record, Variant
from wireloom_generator.model.walking import walk
from wireloom_generator.model.wires import Condition
from wireloom_generator.problems import Location
from wireloom_generator.reading.declarations import Documented, Enum, Flags, Table


@dataclass(frozen=True, slots=True)
class Declarations(Described):
    """The declarations of the file of a protocol or library; ``kind`` is the key of its name."""

    kind: str
    name: str
    parameters: tuple[Parameter, ...]
    enums: tuple[Enum, ...]
    flags: tuple[Flags, ...]
    structs: tuple[Struct, ...]
    tables: tuple[Table, ...]
    variants: tuple[Variant, ...]

    @property
    def numbers(self) -> tuple[Enum | Flags, ...]:
        """Enums and flags."""
        return (*self.enums, *self.flags)

    @property
    def named(self) -> tuple[Enum | Flags | Struct | Table, ...]:
        """The declarations that fields refer to by name."""
        return (*self.numbers, *self.structs, *self.tables)


@dataclass(frozen=True, slots=True)
class Loop:
    """The place at which the struct ``name`` uses one that contains it, maybe itself, as a field or by include."""

    name: str
    used: str
    at: Location
    included: bool


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """The meaning of a spec, as far as it can be determined; broken specs also have one.

    ``protocol`` and ``libraries`` have all declarations; ``parameters``, ``enums``, ``flags``, ``structs`` and
    ``tables`` are the visible ones by name. Parameters include the values of the ``capture`` header. ``byte_order`` is
    an order or a parameter's name; with ``little``, the order follows from that condition. Unless the spec
    ``is_whole``, one of its files could not be read.

    Undeclared names stay unknown: a field has the type ``Unknown``, an include brings no fields, and a section that the
    record does not have is filled all the same. An expression that cannot be parsed has no tree. ``recursive`` structs
    contain themselves, by these ``loops``, so includes of them bring no fields either. ``included`` are the includes,
    ``used`` the structs that fields have, inner ones first.
    """

    protocol: Declarations
    libraries: tuple[Declarations, ...]
    is_whole: bool
    byte_order: str
    little: Condition | None
    ports: tuple[int, ...]
    capture: Struct | None
    parameters: Mapping[str, Parameter]
    enums: Mapping[str, Enum]
    flags: Mapping[str, Flags]
    structs: Mapping[str, Struct]
    tables: Mapping[str, Table]
    record: Record
    messages: tuple[Message, ...]
    used: tuple[Struct, ...]
    recursive: frozenset[str]
    loops: tuple[Loop, ...]
    included: tuple[Included, ...]

    @property
    def shared(self) -> tuple[Declarations, ...]:
        """The declarations of every file."""
        return (self.protocol, *self.libraries)

    @property
    def framed(self) -> tuple[Record | Message, ...]:
        """The record and messages, which can have a length and a proof."""
        return (self.record, *self.messages)

    @property
    def proves_order(self) -> bool:
        """Whether the proof of a record can decide its byte order."""
        parameter = self.parameters.get(self.byte_order)
        return parameter is not None and "auto" in parameter.choices

    @property
    def layouts(self) -> Iterator[tuple[Node, ...]]:
        """Every list of nodes: those of shared structs, of the record, of messages and of their variants."""
        for part in self.shared:
            yield from (struct.nodes for struct in part.structs)
            yield from (nodes for variant in part.variants for nodes in variant.sections.values())
        if self.capture is not None:
            yield self.capture.nodes
        yield self.record.nodes
        for message in self.messages:
            yield from message.layouts

    @property
    def things(self) -> Iterator[Described | Documented]:
        """Everything with a description, and everything inside it; nodes as often as they are included."""
        for part in self.shared:
            yield from (part, *part.parameters, *part.structs, *part.variants)
            yield from (*part.numbers, *part.tables)
            yield from (value for numbers in part.numbers for value in numbers.values)
            yield from (field for table in part.tables for field in table.fields)
        yield from self.included
        yield self.record
        if self.capture is not None:
            yield self.capture
        for message in self.messages:
            yield from (message, *message.variants)
            yield from (*message.examples, *message.forms)
            yield from (entry for form in message.forms for entry in form.entries)
        nodes = (node for nodes in self.layouts for node in walk(nodes))
        yield from (node for node in nodes if isinstance(node, Named | Region))
