"""What a spec means: every name resolved, every default filled in, sizes, offsets and columns computed.

Emitters see only this. All classes are frozen; a union stands for each choice, to be taken apart with ``match``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from wireloom_generator.expressions import Expr
from wireloom_generator.problems import Location


class Primitive(StrEnum):
    """A table's primitive types, by their Spark names."""

    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    DECIMAL = "decimal(20,0)"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    BINARY = "binary"
    STRING = "string"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list of one element type."""

    element: "ColumnType"


@dataclass(frozen=True, slots=True)
class StructType:
    """Named columns in order."""

    columns: "tuple[Column, ...]"


ColumnType = Primitive | ListType | StructType


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table; all are nullable. ``label`` ones name the numbers of the column before them."""

    name: str
    type: ColumnType
    doc: str = ""
    label: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """Where in which document something is laid down."""

    document: str
    section: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Doc:
    """What the spec says of a thing in words."""

    title: str = ""
    text: str = ""
    since: str | None = None
    source: Source | None = None
    errata: tuple[str, ...] = ()
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A named number, or a ``range`` of numbers that share a label."""

    name: str
    first: int
    last: int
    range: bool
    doc: Doc


@dataclass(frozen=True, slots=True)
class Enum:
    """Named numbers and labelled ranges, in the spec's order."""

    name: str
    doc: Doc
    values: tuple[EnumValue, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """A named bit."""

    name: str
    value: int
    doc: Doc


@dataclass(frozen=True, slots=True)
class Flags:
    """Named bits."""

    name: str
    doc: Doc
    values: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class TableField:
    """A field of a FlatBuffers table; ``default`` is what a reader sees when it is not stored."""

    name: str
    type: str
    id: int
    default: int | float | bool | str | None
    doc: Doc


@dataclass(frozen=True, slots=True)
class Table:
    """A FlatBuffers table."""

    name: str
    doc: Doc
    fields: tuple[TableField, ...]
    columns: tuple[Column, ...]


class Order(StrEnum):
    """Byte order; ``PARAMETER`` is told by the protocol's parameter."""

    BIG = "big"
    LITTLE = "little"
    PARAMETER = "parameter"


@dataclass(frozen=True, slots=True)
class Integer:
    """1 to 8 bytes."""

    bits: int
    signed: bool
    order: Order


@dataclass(frozen=True, slots=True)
class Float:
    """IEEE 754, 32 or 64 bits."""

    bits: int
    order: Order


@dataclass(frozen=True, slots=True)
class Boolean:
    """A byte, 0 or 1."""


@dataclass(frozen=True, slots=True)
class Leb128:
    """Unsigned LEB128."""

    bits: int


@dataclass(frozen=True, slots=True)
class ZigZag:
    """Signed, zig-zag folded into LEB128."""

    bits: int


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

    length: "Integer | Leb128"


@dataclass(frozen=True, slots=True)
class Terminator:
    """Bytes behind it."""

    value: bytes


Extent = Rest | Size | Prefix | Terminator


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes."""

    extent: Extent


@dataclass(frozen=True, slots=True)
class Text:
    """Text in an encoding."""

    extent: Extent
    encoding: str


@dataclass(frozen=True, slots=True)
class Struct:
    """A shared struct, in a region of its own if it has an extent."""

    name: str
    extent: Extent | None


@dataclass(frozen=True, slots=True)
class FlatBuffer:
    """A FlatBuffers table, its bytes kept in the column ``raw``."""

    extent: Extent
    table: str
    raw: str


Number = Integer | Float | Boolean
Wire = Number | Leb128 | ZigZag | Blob | Text | Struct | FlatBuffer


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression and its text."""

    expression: Expr
    text: str


@dataclass(frozen=True, slots=True)
class Repeat:
    """A list: ``count`` items, or up to the first for which ``until`` holds, or to the end of the section."""

    count: Condition | None
    until: Condition | None


@dataclass(frozen=True, slots=True)
class Checksum:
    """An algorithm over the record's bytes from ``start`` to before ``end``."""

    algorithm: str
    start: Condition
    end: Condition


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: bytes from the start of its section, and from the record's where that is fixed."""

    section: str
    offset: int | None
    absolute: int | None


@dataclass(frozen=True, slots=True)
class Field:
    """A value in the bytes. ``size`` in bytes, None if it varies; ``columns`` are its own and its label's."""

    name: str
    wire: Wire
    doc: Doc
    columns: tuple[Column, ...]
    place: Place
    size: int | None
    enum: str | None = None
    flags: str | None = None
    labels: bool = True
    const: int | float | bool | str | bytes | None = None
    valid: Condition | None = None
    derive: Condition | None = None
    checksum: Checksum | None = None
    default: Condition | None = None
    long: bool = False
    located: bool = False
    repeat: Repeat | None = None


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that is not in the bytes."""

    name: str
    value: Condition
    doc: Doc
    columns: tuple[Column, ...]
    enum: str | None = None
    labels: bool = True


@dataclass(frozen=True, slots=True)
class BitField:
    """Some bits of an integer."""

    name: str
    width: int
    boolean: bool
    doc: Doc
    columns: tuple[Column, ...]
    enum: str | None
    labels: bool
    const: int | bool | None
    valid: Condition | None
    derive: Condition | None
    default: Condition | None


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer split into bit fields, most significant first."""

    wire: Integer
    fields: tuple[BitField, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Padding:
    """``size`` zero bytes, then as many as bring the offset to a multiple of ``align``."""

    size: int
    align: int
    place: Place


@dataclass(frozen=True, slots=True)
class Section:
    """A bounded region with fields of its own."""

    name: str
    extent: Size | Rest
    trailing: str | None
    nodes: "tuple[Node, ...]"
    doc: Doc
    place: Place


@dataclass(frozen=True, slots=True)
class Slot:
    """A section of the record that messages fill."""

    name: str
    extent: Size | Rest
    trailing: str | None
    doc: Doc
    place: Place


@dataclass(frozen=True, slots=True)
class When:
    """Fields that are there if the condition holds."""

    condition: Condition
    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; the one without a condition comes last."""

    alternatives: "tuple[When | Otherwise, ...]"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The alternative taken if no other is."""

    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Tail:
    """Fields that are there if bytes are left."""

    nodes: "tuple[Node, ...]"


Node = Field | Computed | Bits | Padding | Section | Slot | When | Choice | Tail


@dataclass(frozen=True, slots=True)
class Type:
    """A shared struct."""

    name: str
    doc: Doc
    nodes: tuple[Node, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fact that is not in the bytes."""

    name: str
    default: bool | str
    choices: tuple[str, ...]
    column: bool
    doc: Doc


@dataclass(frozen=True, slots=True)
class Variant:
    """One of a message's layouts; ``sections`` are what it adds to each slot."""

    name: str
    doc: Doc
    when: Condition | None
    sections: Mapping[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what ``hex`` decodes to, or the code it is malformed with."""

    name: str
    doc: Doc
    data: bytes
    parameters: Mapping[str, Any]
    decoded: Mapping[str, Any]
    malformed: str | None
    at: Location


@dataclass(frozen=True, slots=True)
class FormEntry:
    """A key of a textual form."""

    key: str
    field: str | None
    notation: str
    const: str | None
    omit: str
    doc: Doc


@dataclass(frozen=True, slots=True)
class Form:
    """A textual form of a message."""

    name: str
    doc: Doc
    entries: tuple[FormEntry, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``trailing`` names the slots in which bytes can be left over."""

    name: str
    doc: Doc
    match: Mapping[str, tuple[int, ...]]
    sections: Mapping[str, tuple[Node, ...]]
    variants: tuple[Variant, ...]
    trailing: tuple[str, ...]
    columns: tuple[Column, ...]
    examples: tuple[Example, ...]
    forms: tuple[Form, ...]
    path: Path | None


@dataclass(frozen=True, slots=True)
class Probe:
    """A number at a fixed offset that is read before the record is."""

    name: str
    offset: int
    wire: Number


@dataclass(frozen=True, slots=True)
class Lengths:
    """How to find, and believe, the length of the records that ``match`` selects."""

    match: Mapping[str, tuple[int, ...]]
    probes: tuple[Probe, ...]
    length: Condition
    valid: Condition | None
    checksum: tuple[str, Checksum] | None


@dataclass(frozen=True, slots=True)
class Protocol:
    """A whole protocol. ``header`` are the record's own columns, recorded parameters first.

    ``included`` is what the spec says of the shared structs whose fields are spliced in somewhere, by name.
    """

    name: str
    doc: Doc
    record_doc: Doc
    included: Mapping[str, Doc]
    libraries: tuple[Doc, ...]
    path: Path
    parameters: tuple[Parameter, ...]
    byte_order: str | None
    enums: tuple[Enum, ...]
    flags: tuple[Flags, ...]
    types: tuple[Type, ...]
    tables: tuple[Table, ...]
    record: tuple[Node, ...]
    header: tuple[Column, ...]
    messages: tuple[Message, ...]
    lengths: tuple[Lengths, ...]
    match: tuple[Probe, ...]
    resync: bool
    sources: tuple[Path, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a row."""
        structs = (Column(m.name, StructType(m.columns), m.doc.text or m.doc.title) for m in self.messages)
        message = Column(
            "message", Primitive.STRING, "Which message the record is; unknown if the spec has none for it"
        )
        return (message, *self.header, *structs, *CORRUPT)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The sections that messages fill."""
        return tuple(node for node in self.record if isinstance(node, Slot))


CORRUPT = (
    Column("_corrupt_record", Primitive.BINARY, "The bytes of a malformed record; null in every other row"),
    Column("_corrupt_reason", Primitive.STRING, "Why it is malformed: code, field, byte offset, what was expected"),
)
