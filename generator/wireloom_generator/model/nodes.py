"""The nodes of lists of fields."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wireloom_generator.expressions import Conditional, Literal, Value
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model.declarations import Described, Sourced
from wireloom_generator.model.wires import NOWHERE, Checksum, Condition, Rest, Size, Through, Wire
from wireloom_generator.problems import Location
from wireloom_generator.types import Boolean, Integer, Text, WireType
from wireloom_generator.types.base import Declared, WrongKey
from wireloom_generator.types.columns import Column, ColumnType
from wireloom_generator.types.meanings import Meaning
from wireloom_generator.types.signs import Sign, SignedBits
from wireloom_generator.types.sizes import ANY, SizeRange

MOST_RESERVED = 1024
"""The most reserved bytes of a field, whose zeros are written into generated code."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A list: ``count`` items, or up to the first for which ``until`` holds, or all the ``rest`` of the section.

    Anything but exactly one of these is a mistake.
    """

    count: Condition | None
    until: Condition | None
    rest: bool


class _Named(Described):
    """The common part of nodes with a named value.

    ``stray`` are invalid words, by key. ``faults`` are the mistakes in keys of its type: the key, the problem, a hint.
    """

    __slots__ = ()

    @property
    def type(self) -> WireType:
        """The type of the value; for a list, of an item."""
        raise NotImplementedError

    @property
    def meaning(self) -> Meaning | None:
        """The interpretation of its numbers or bytes (``as``), if there is one."""
        return None

    @property
    def kind(self) -> Kind:
        """The kind of its value."""
        return self.item_kind

    @property
    def item_kind(self) -> Kind:
        """The kind of its value, or of an item if it is a list."""
        return self.type.kind if self.meaning is None else self.meaning.kind

    @property
    def holds(self) -> str:
        """A description of its column, equal for two columns that can be merged."""
        return self.type.holds if self.meaning is None else str(self.meaning.column())


@dataclass(frozen=True, slots=True)
class Field(_Named):
    """A value in the bytes. ``columns`` are its own and its label's.

    ``raw`` is the column for the original bytes if they differ from the encoding of the value, or for the number if its
    interpretation does not determine it. The field is present if ``when`` holds and, if it is ``optional``, if bytes
    are left. ``space`` is its size range, ``item_space`` that of an item of a list; None for a recursive type. The
    default of a ``reserved`` one is 0 unless it has another.

    It is at the offset ``place`` of the record, or else in sequence. The bytes of a ``shared`` one belong to other
    fields.

    If it is ``watched``, expressions use the places of a list's items, its items read so far, or the places of a
    struct's fields.

    The spec writes the values of ``hex`` ones in hexadecimal. Messages derive fields of the header that are ``told``.

    An unsigned 64-bit number that is ``long`` is below 2^63; one that is a ``decimal`` has that column type for every
    reader.
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
    told: bool = field(default=False, compare=False)
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
        return self.wire.fixed if self.repeat is None else None

    @property
    def kind(self) -> Kind:
        return self.item_kind if self.repeat is None else Kind.LIST

    @property
    def holds(self) -> str:
        one = self.type.holds if self.meaning is None else str(self.meaning.column())
        return one if self.repeat is None else f"list of {self.type.word if self.meaning is None else one}"


@dataclass(frozen=True, slots=True)
class Instant:
    """The ``fields`` that a time consists of, by key. ``faults`` are the mistakes in them: place, problem, hint."""

    fields: Mapping[str, Condition]
    faults: tuple[tuple[Location, str, str], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Computed(_Named):
    """A column that is not in the bytes: the value of ``compute`` if ``when`` holds, else null.

    If that is a time that consists of several fields, they are those of its ``instant``. The ``default`` of one of them
    that is computed itself is what the time says. A value that is not ``valid`` makes the record malformed.
    """

    name: str
    compute: Condition
    when: Condition | None
    columns: tuple[Column, ...]
    enum: str | None = None
    labels: bool = True
    valid: Condition | None = None
    meaning: Meaning | None = None
    instant: Instant | None = None
    default: Condition | None = None
    hex: bool = field(default=False, compare=False)
    type: WireType = field(compare=False, kw_only=True)
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)
    faults: tuple[WrongKey, ...] = field(default=(), compare=False)

    @property
    def plain(self) -> ColumnType:
        """The table type of the computed value, without its interpretation."""
        return self.columns[0].type if self.meaning is None else self.type.column(Declared({}, {}))

    @property
    def value(self) -> Condition:
        """``compute`` and ``when`` as one expression, which is null if ``when`` does not hold."""
        if self.when is None:
            return self.compute
        is_conditional = isinstance(self.compute.expression, Conditional)
        text = f"({self.compute.text})" if is_conditional else self.compute.text
        guarded = Conditional(self.when.expression, self.compute.expression, Value(None))
        return Condition(guarded, f"{text} if {self.when.text} else null")


@dataclass(frozen=True, slots=True)
class BitField(_Named):
    """Bits of an integer, after the ``first`` ones.

    With a ``count`` it is a list of so many items, of ``width`` bits each. Messages derive one that is ``told``.
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
    sign: Sign | None = None
    text: Text | None = None
    pad: bytes | None = None
    told: bool = field(default=False, compare=False)

    @property
    def type(self) -> Boolean | Integer | Text:
        return bit_type(self.width, boolean=self.boolean, sign=self.sign) if self.text is None else self.text

    @property
    def taken(self) -> int:
        return self.width * (1 if self.count is None else self.count)

    @property
    def kind(self) -> Kind:
        return self.item_kind if self.count is None else Kind.LIST

    @property
    def holds(self) -> str:
        one = self.type.holds if self.meaning is None else str(self.meaning.column())
        return one if self.count is None else f"list of {self.type.word if self.boolean else one}"


def bit_type(width: int, *, boolean: bool = False, sign: Sign | None = None) -> Boolean | Integer:
    """The type of a bit field of this width."""
    if sign is not None:
        return SignedBits(min(max(width, 1), 64), signed=True, sign=sign)
    return Boolean() if boolean else Integer(min(max(width, 0), 64), signed=False)


@dataclass(frozen=True, slots=True)
class Bits(Sourced):
    """An integer split into bit fields, from the most significant bit down or, with ``lsb``, from the least significant
    up.

    The ``whole`` is also a column if it has a name. All are present if ``when`` holds, which each of them also has.
    Alternatives for its ``others`` bits are choices right after it. In these, bit fields are ``over`` bits of the
    integer that was read: the first bit, and the number of bits. ``faults`` are the mistakes in a bitmap: the place,
    the problem, a hint. The bits of a ``bitmap``, which begins with the bit of that number, have no columns.
    """

    wire: Wire
    fields: tuple[BitField, ...]
    whole: BitField | None = None
    lsb: bool = False
    when: Condition | None = None
    others: int = 0
    over: tuple[int, int] | None = None
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)
    faults: tuple[tuple[Location, str, str], ...] = field(default=(), compare=False)
    bitmap: int = 0

    @property
    def size(self) -> int:
        """How many bytes it takes in sequence."""
        return (self.wire.fixed or 0) if self.over is None else 0

    @property
    def named(self) -> tuple[BitField, ...]:
        """The named nodes: the whole, then its parts."""
        return self.fields if self.whole is None else (self.whole, *self.fields)

    @property
    def shifts(self) -> tuple[int, ...]:
        """The number of the lowest bit of each field."""
        bits = 8 * (self.wire.fixed or 0)
        return tuple(each.first if self.lsb else bits - each.first - each.taken for each in self.fields)

    @property
    def gapless(self) -> Iterator[BitField | int]:
        """The bit fields in order, and the numbers of other bits before, between and after them."""
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
    """A bounded region with fields. One without ``fields`` is ``bare``, which is a mistake.

    If its bytes go ``through`` a transform, the nodes describe the unpacked bytes.
    """

    name: str
    extent: Size | Rest
    trailing: str | None
    nodes: "tuple[Node, ...]"
    bare: bool = field(compare=False)
    through: Through | None = None


@dataclass(frozen=True, slots=True)
class Slot(Described):
    """A section of the record that messages fill."""

    name: str
    extent: Size | Rest
    trailing: str | None


@dataclass(frozen=True, slots=True)
class Ordered(Sourced):
    """Nodes with a byte order of their own: little endian if the condition holds, else big."""

    little: Condition
    nodes: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class When:
    """An alternative that is taken if the condition holds, or fields that share the condition.

    Fields inside no longer have it. ``misnamed`` are matched words that their enum does not have, with the enum.
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
Node = Field | Computed | Bits | Padding | Section | Slot | Choice | Ordered


@dataclass(frozen=True, slots=True)
class Struct(Described):
    """A shared struct. Its expressions see its inputs ``given``, of which the ``late`` ones are known only when what is
    around it was read. If it ``exhausts``, it always takes all bytes left.

    Valid recursive structs were unrolled, so a ``depth`` or a ``limit`` here is a mistake. It may be one level of the
    recursive type ``level_of``.
    """

    name: str
    given: tuple[str, ...]
    nodes: tuple[Node, ...]
    columns: tuple[Column, ...]
    exhausts: bool = field(compare=False)
    depth: int | None = None
    limit: int | None = None
    level_of: str | None = field(default=None, compare=False)
    late: tuple[str, ...] = ()
