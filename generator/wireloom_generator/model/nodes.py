"""The nodes of lists of fields."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wireloom_generator.expressions import Conditional, Literal, Value
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model.checksums import Checksum
from wireloom_generator.model.declarations import Described, Sourced
from wireloom_generator.model.wires import NOWHERE, Condition, Rest, Size, Through, Wire
from wireloom_generator.problems import Location
from wireloom_generator.types import Boolean, Integer, WireType
from wireloom_generator.types.base import Declared, WrongKey
from wireloom_generator.types.columns import Column, ColumnType
from wireloom_generator.types.meanings import Meaning
from wireloom_generator.types.sizes import ANY, SizeRange

MOST_RESERVED = 1024
"""How many reserved bytes a field can have; their zeros are written into generated code."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A list: ``count`` items, or up to the first for which ``until`` holds, or all the ``rest`` of the section.

    One that is none of these, or two, is a mistake.
    """

    count: Condition | None
    until: Condition | None
    rest: bool


class _Named(Described):
    """What all nodes with a value under a name have in common.

    ``stray`` are words that mean nothing under their keys, by key. ``faults`` are what is wrong with keys of its type:
    the key, the problem, a hint.
    """

    __slots__ = ()

    @property
    def type(self) -> WireType:
        """What its bytes mean; for a list, those of an item."""
        raise NotImplementedError

    @property
    def meaning(self) -> Meaning | None:
        """What its numbers or bytes stand for; None if themselves."""
        return None

    @property
    def kind(self) -> Kind:
        """What sort of value it has."""
        return self.item_kind

    @property
    def item_kind(self) -> Kind:
        """The same, of an item if it is a list."""
        return self.type.kind if self.meaning is None else self.meaning.kind

    @property
    def holds(self) -> str:
        """What its column holds, in words that are the same if two columns can be one."""
        return self.type.holds if self.meaning is None else str(self.meaning.column())


@dataclass(frozen=True, slots=True)
class Field(_Named):
    """A value in the bytes. ``columns`` are its own and its label's.

    ``raw`` is the column that keeps bytes other than those that the value is written as, or the number where what it
    stands for does not determine it. The field is present if ``when`` holds, and, if it is ``optional``, only if bytes
    are left for it. ``space`` are the bytes that it takes at least and at most, ``item_space`` those of one item of a
    list; None for a type that contains itself. The default of a ``reserved`` one is 0 unless it has another.

    It stands at the byte ``place`` of the record, or else in sequence. The bytes of a ``shared`` one belong to others.

    Of a ``watched`` list somebody asks where items are, or for those that are read so far; of a struct, where its
    fields are.

    The spec writes the values of ``hex`` ones in hexadecimal; that says nothing of their bytes.

    An unsigned 64-bit number that is ``long`` is below 2^63; one that is a ``decimal`` is no long for any reader.
    """

    name: str
    wire: Wire
    columns: tuple[Column, ...]
    enum: str | None = None
    flags: str | None = None
    labels: bool = True
    const: int | float | bool | str | bytes | None = None
    valid: Condition | None = None
    derive: Condition | None = None
    checksum: Checksum | None = None
    default: Condition | None = None
    long: bool = False
    decimal: bool = False
    meaning: Meaning | None = None
    raw: str | None = None
    inputs: Mapping[str, Condition] = field(default_factory=dict)
    through: Through | None = None
    repeat: Repeat | None = None
    hex: bool = field(default=False, compare=False)
    when: Condition | None = None
    optional: bool = False
    place: Condition | None = None
    shared: bool = False
    space: SizeRange = field(default=ANY, compare=False)
    item_space: SizeRange | None = field(default=None, compare=False)
    reserved: bool = field(default=False, compare=False)
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)
    faults: tuple[WrongKey, ...] = field(default=(), compare=False)
    watched: bool = field(default=False, compare=False)

    @property
    def type(self) -> WireType:
        return self.wire.type

    @property
    def size(self) -> int | None:
        """Its size, None if it varies."""
        return self.wire.fixed if self.repeat is None else None

    @property
    def kind(self) -> Kind:
        return self.item_kind if self.repeat is None else Kind.LIST

    @property
    def holds(self) -> str:
        one = self.type.holds if self.meaning is None else str(self.meaning.column())
        return one if self.repeat is None else f"list of {self.type.word if self.meaning is None else one}"


@dataclass(frozen=True, slots=True)
class Computed(_Named):
    """A column that is not in the bytes. Its value is that of ``compute``, and it has one only ``when`` that holds."""

    name: str
    compute: Condition
    when: Condition | None
    columns: tuple[Column, ...]
    enum: str | None = None
    labels: bool = True
    meaning: Meaning | None = None
    hex: bool = field(default=False, compare=False)
    type: WireType = field(compare=False, kw_only=True)
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)
    faults: tuple[WrongKey, ...] = field(default=(), compare=False)

    @property
    def plain(self) -> ColumnType:
        """The table type of what is computed, without what it stands for."""
        return self.columns[0].type if self.meaning is None else self.type.column(Declared({}, {}))

    @property
    def value(self) -> Condition:
        """``compute`` and ``when`` as one expression, which is None where ``when`` does not hold."""
        if self.when is None:
            return self.compute
        is_conditional = isinstance(self.compute.expression, Conditional)
        text = f"({self.compute.text})" if is_conditional else self.compute.text
        guarded = Conditional(self.when.expression, self.compute.expression, Value(None))
        return Condition(guarded, f"{text} if {self.when.text} else null")


@dataclass(frozen=True, slots=True)
class BitField(_Named):
    """Some bits of an integer, behind the ``first`` of them.

    With a ``count`` it is a list of so many items, of ``width`` bits each.
    """

    name: str
    first: int
    width: int
    boolean: bool
    columns: tuple[Column, ...]
    enum: str | None = None
    labels: bool = True
    const: Literal | None = None
    valid: Condition | None = None
    derive: Condition | None = None
    default: Condition | None = None
    meaning: Meaning | None = None
    hex: bool = field(default=False, compare=False)
    reserved: bool = field(default=False, compare=False)
    when: Condition | None = None
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)
    count: int | None = None

    @property
    def type(self) -> Boolean | Integer:
        return bit_type(self.width, boolean=self.boolean)

    @property
    def taken(self) -> int:
        """How many bits it takes."""
        return self.width * (1 if self.count is None else self.count)

    @property
    def kind(self) -> Kind:
        return self.item_kind if self.count is None else Kind.LIST

    @property
    def holds(self) -> str:
        one = self.type.holds if self.meaning is None else str(self.meaning.column())
        return one if self.count is None else f"list of {self.type.word if self.boolean else one}"


def bit_type(width: int, *, boolean: bool) -> Boolean | Integer:
    """The type of so many bits."""
    return Boolean() if boolean else Integer(min(max(width, 0), 64), signed=False)


@dataclass(frozen=True, slots=True)
class Bits(Sourced):
    """An integer split into bit fields: from its most significant bit down, or with ``lsb`` from the least one up.

    The ``whole`` is a column, too, if it has a name. They are there if ``when`` holds, which each of them has, too.
    Alternatives for ``others`` of its bits stand in choices right behind it. In these, bit fields are ``over`` bits of
    the integer that was read: the number of the first one, and how many there are.
    """

    wire: Wire
    fields: tuple[BitField, ...]
    whole: BitField | None = None
    lsb: bool = False
    when: Condition | None = None
    others: int = 0
    over: tuple[int, int] | None = None
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def size(self) -> int:
        """How many bytes it takes in sequence."""
        return (self.wire.fixed or 0) if self.over is None else 0

    @property
    def named(self) -> tuple[BitField, ...]:
        """All that has a name: the whole, then its parts."""
        return self.fields if self.whole is None else (self.whole, *self.fields)

    @property
    def shifts(self) -> tuple[int, ...]:
        """The number of the lowest bit of each field."""
        bits = 8 * (self.wire.fixed or 0)
        return tuple(each.first if self.lsb else bits - each.first - each.taken for each in self.fields)

    @property
    def gapless(self) -> Iterator[BitField | int]:
        """The bit fields in order, and how many bits of others are in front of, between and behind them."""
        at = 0
        for each in self.fields:
            yield from (each.first - at,) if each.first > at else ()
            yield each
            at = each.first + each.taken
        bits = 8 * (self.wire.fixed or 0)
        yield from (bits - at,) if bits > at else ()


@dataclass(frozen=True, slots=True)
class Padding(Sourced):
    """``size`` zero bytes, then zero bytes up to a multiple of ``align``, counted from the record's start or from that
    of the section ``start``.
    """

    size: Condition
    align: int
    start: str | None = None

    @property
    def fixed(self) -> int | None:
        """How many bytes it has, if they are always the same number."""
        return self.size.constant if self.align == 1 else None


@dataclass(frozen=True, slots=True)
class Section(Described):
    """A bounded region with fields of its own; a ``bare`` one, which is a mistake, was not even given any."""

    name: str
    extent: Size | Rest
    trailing: str | None
    nodes: "tuple[Node, ...]"
    bare: bool = field(compare=False)

    @property
    def through(self) -> Through | None:
        """What its bytes go through, if that is not nothing."""
        return self.nodes[0].through if self.nodes and isinstance(self.nodes[0], Unpack) else None


@dataclass(frozen=True, slots=True)
class Unpack(Sourced):
    """All that is in a section, which goes through something; the nodes are of what is unpacked."""

    through: Through
    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Slot(Described):
    """A section of the record that messages fill."""

    name: str
    extent: Size | Rest
    trailing: str | None


@dataclass(frozen=True, slots=True)
class Ordered(Sourced):
    """What is read in a byte order of its own: little endian if the condition holds, else big."""

    little: Condition
    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class When:
    """An alternative that is taken if the condition holds, or fields that share the condition.

    Fields inside do not have it a second time. ``misnamed`` are words that it matches and enums that have no such name.
    """

    when: Condition
    nodes: "tuple[Node, ...]"
    misnamed: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def at(self) -> Location:
        """The place of its condition."""
        return self.when.at


@dataclass(frozen=True, slots=True)
class Choice(Sourced):
    """Alternatives; the one without a condition comes last."""

    alternatives: "tuple[Alternative, ...]"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The alternative taken if no other is."""

    nodes: "tuple[Node, ...]"
    at: Location = field(default=NOWHERE, compare=False, repr=False)

    @property
    def when(self) -> None:
        """None, since it has no condition of its own."""
        return None


Named = Field | Computed | BitField
"""Nodes with a value under a name."""
Region = Section | Slot
Alternative = When | Otherwise
Node = Field | Computed | Bits | Padding | Section | Slot | Choice | Ordered | Unpack


@dataclass(frozen=True, slots=True)
class Struct(Described):
    """A shared struct. Its expressions see what it is ``given``. If it ``exhausts``, no bytes are ever left behind it.

    One that says its ``depth`` does not contain itself, or not as it must; others that do are unrolled.
    """

    name: str
    given: tuple[str, ...]
    nodes: tuple[Node, ...]
    columns: tuple[Column, ...]
    exhausts: bool = field(compare=False)
    depth: int | None = None
