"""What a list of fields consists of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from wireloom_generator.model.declarations import Doc
from wireloom_generator.model.wires import Condition, Rest, Size, Wire
from wireloom_generator.types.tables import Column


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
    """A value in the bytes. ``size`` in bytes, None if it varies; ``columns`` are its own and its label's.

    ``raw`` is the column that keeps the bytes of a FlatBuffers table.

    The spec writes the values of ``hex`` ones in hexadecimal; that says nothing of their bytes.
    """

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
    raw: str | None = None
    repeat: Repeat | None = None
    hex: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that is not in the bytes."""

    name: str
    value: Condition
    doc: Doc
    columns: tuple[Column, ...]
    enum: str | None = None
    labels: bool = True
    hex: bool = field(default=False, compare=False)


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
    hex: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer split into bit fields, most significant first."""

    wire: Wire
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


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node, in the order in which they are read."""
    match node:
        case Section(nodes=nodes) | When(nodes=nodes) | Tail(nodes=nodes):
            return nodes
        case Choice(alternatives=alternatives):
            return tuple(inner for alternative in alternatives for inner in alternative.nodes)
        case Field() | Computed() | Bits() | Padding() | Slot():
            return ()
        case _:
            assert_never(node)


def walk(nodes: Iterable[Node]) -> Iterator[Node | BitField]:
    """The nodes, each followed by all that is inside it; bit fields are inside the integer they split."""
    for node in nodes:
        yield node
        if isinstance(node, Bits):
            yield from node.fields
        yield from walk(children(node))


@dataclass(frozen=True, slots=True)
class Type:
    """A shared struct."""

    name: str
    doc: Doc
    nodes: tuple[Node, ...]
    columns: tuple[Column, ...]
