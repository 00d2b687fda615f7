"""The entries of a list of fields."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator.expressions import Literal
from wireloom_generator.problems import Location
from wireloom_generator.reading.declarations import Acceptance, Doc, Documented
from wireloom_generator.reading.syntax.fields import Field, Meaning, PackedCharacters, Through
from wireloom_generator.reading.written import Expression, Written, among, optional, required


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetBinary(Written):
    """A number with an offset: the bits are an unsigned number."""

    offset: int = required("what is added to the unsigned number; not 0", "-128")


@dataclass(frozen=True, slots=True, kw_only=True)
class BitField(Documented):
    """A bit field: some bits of an integer."""

    doc: Doc = among(without=("title",))
    name: str = required("name of the field and its column, in `snake_case`", "version")
    width: int = required("number of bits, up to 64; of text, of all its characters", "4")
    count: Expression | None = optional(
        "makes it a list of this many items, each of `width` bits; a number", "16", see="bit-fields.md#lists-of-bits"
    )
    type: str | None = optional("`bool`, for one bit, or `text`", "bool", unset="a number; of one bit, `bool`")
    sign: OffsetBinary | str | None = optional(
        "representation of a signed number: `twos_complement`, `sign_magnitude`, or `{offset: …}`",
        "twos_complement",
        unset="unsigned",
        see="bit-fields.md#signed-numbers",
    )
    encoding: PackedCharacters | None = optional(
        "of `text`, required: the set of its characters",
        '{width: 6, characters: "@ABCDEFGHIJKLMNOPQRSTUVWXYZ"}',
        see="strings.md#packed-characters",
    )
    pad: bytes | None = optional(
        "of `text`: code of the character that fills the bits behind it, as hex",
        '"20"',
        see="strings.md#packed-characters",
    )
    meaning: Meaning | None = optional(
        "interpretation: a timestamp, duration, decimal or double",
        "{decimal: {scale: 0.5, offset: -40}}",
        key="as",
        see="times.md",
    )
    enum: str | None = optional("enum that names its numbers", "Level", see="enums.md")
    labels: bool = optional("`false`: no label column for its enum", "false", True, see="enums.md")
    const: Literal | None = optional("the only value it may have", "2", see="constants.md#constants-and-magic-numbers")
    valid: Expression | None = optional(
        "condition; the record is malformed if it is false", "kind < 6", see="constants.md#validity-conditions"
    )
    derive: Expression | None = optional(
        "a length, count or offset of something else, or `present(x)`: checked on decode, computed on encode",
        "size(data)",
        see="lengths.md#derived-lengths-counts-and-offsets",
    )
    default: Literal | None = optional(
        "value on encode if none is given: a literal or an expression",
        "false",
        see="constants.md#default-values-and-reserved-fields",
    )
    reserved: bool = optional("`true`: bits without a meaning; zero on encode if not given", "true", False)

    @property
    def items(self) -> int | None:
        """The number of items; None if it is not a list, or the count is not a number."""
        found = re.fullmatch(r"0x0*[1-9a-fA-F][0-9a-fA-F]{0,3}|[1-9][0-9]{0,4}", self.count or "")
        return int(found[0], 0) if found is not None else None

    @property
    def taken(self) -> int:
        return self.width * (1 if self.items is None else self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class BitAlternative(Written):
    """One of the alternatives for the same bits."""

    when: Expression | None = optional(
        "condition under which it is taken; the last alternative has none", "quadrant < 2", unset="always"
    )
    match: Mapping[str, tuple["Matched", ...]] = optional(
        "fields and the values that select it; instead of `when`, or besides",
        "{is_new: true}",
        None,
        see="unions.md#an-alternative",
    )
    fields: "tuple[BitEntry, ...]" = required("its bit fields, and choices of them", "[{name: tag, width: 6}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class BitChoice(Written):
    """A choice of bits: alternative bit fields in the same bits."""

    choice: tuple[BitAlternative, ...] = required(
        "the alternatives; the first whose condition holds is taken",
        "[{when: is_new, fields: [{name: tag, width: 6}]}, {fields: [{name: tag, width: 6}]}]",
        see="bit-fields.md#an-alternative-for-bits",
    )

    @property
    def taken(self) -> int:
        """The number of bits that each alternative must take."""
        return sum(entry.taken for alternative in self.choice[:1] for entry in alternative.fields)


BitEntry = BitField | BitChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class Bits(Documented):
    """Bit fields that share an unsigned integer."""

    doc: Doc = among(without=("title",))
    bits: str = required("the unsigned integer type, of up to 1024 bits", "u16")
    name: str | None = optional(
        "name of the whole number, which then has a column as well", "position", see="bit-fields.md#the-whole-number"
    )
    bit_order: str = optional(
        "position of the first bit field: `msb`, the most significant bits, or `lsb`, the least significant bits",
        "lsb",
        "msb",
    )
    byte_order: Expression | None = optional(
        "`big`, `little` or an expression", "little", unset="that of its surroundings", see="byte-order.md"
    )
    when: Expression | None = optional(
        "condition under which they are present; otherwise they are null", "is_extended", unset="always"
    )
    extension: str | None = optional(
        "name of a bit behind the others of each integer: whether another integer follows, with more of the fields",
        "fx",
        see="bit-fields.md#integers-that-are-extended",
    )
    fields: tuple[BitEntry, ...] = required(
        "the bit fields, and choices of them",
        "[{name: version, width: 4}, {name: kind, width: 4}]",
        see="bit-fields.md#a-bit-field",
    )
    bitmap: int = 0
    """Of a bitmap, whose bits say which fields are there and have no columns: the number of the first bit."""
    faults: tuple[tuple[Location, str, str], ...] = ()
    """The mistakes in a bitmap: the place, the problem, a hint."""
    over: tuple[int, int] | None = None
    """In an alternative of a bit choice: the bits of the integer before these, and the number of these."""
    is_alone: bool = False
    """Whether it has an extension, but no integer follows it."""

    @property
    def parts(self) -> tuple[BitField, ...]:
        """The bit fields outside of alternatives."""
        return tuple(entry for entry in self.fields if isinstance(entry, BitField))

    @property
    def begins(self) -> Iterator[tuple[BitEntry, int]]:
        """The parts, each with the number of bits before it."""
        first = 0 if self.over is None else self.over[0]
        for entry in self.fields:
            yield entry, first
            first += entry.taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Bitmap(Documented):
    """A bitmap: an integer, or several, whose bits say which of the fields behind it are there."""

    doc: Doc = among(without=("title", "unit"))
    bitmap: str = required("the unsigned integer type, of up to 1024 bits", "u64")
    name: str = required("its name, in `snake_case`, with which the names of its bits begin", "primary")
    extension: int | None = optional(
        "number of the bit in each integer that says whether another integer follows it", "1"
    )
    fields: tuple[Field, ...] = required(
        "the fields, in the order of their bits", "[{bit: 2, name: pan, type: text, prefix: u8}]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Documented):
    """A section: a region with a size. Nothing inside reads past its end."""

    section: str = required("its name, in `snake_case`", "body")
    size: Expression = required(
        "size in bytes, or `rest`: to the end of what encloses it", "body_length", see="lengths.md#size"
    )
    trailing: str | None = optional(
        "column for bytes that its fields leave over; without it such bytes are malformed", "trailing_body"
    )
    through: Through | str | None = optional(
        "transform of its bytes: a compression, or a mapping with `xor`, `rol`, `zeros` or `unescape`",
        "zlib",
        see="compression.md",
    )
    limit: int | None = optional(
        "with a compression: maximum number of unpacked bytes",
        "1000000",
        unset="256 MiB",
        see="compression.md#compression",
    )
    raw: str | None = optional(
        "with `through`: column for the packed bytes",
        "body_packed",
        see="encoding.md#values-with-several-encodings-raw",
    )
    byte_order: Expression | None = optional(
        "byte order of everything in it that has no other",
        "little",
        unset="that of its surroundings",
        see="byte-order.md",
    )
    fields: "tuple[Entry, ...]" = optional(
        "its fields; in the record, messages fill a section without fields", "[{name: number, type: u16}]", ()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(Written):
    """A range of numbers. An end that is not given is open."""

    first: int | None = optional("first number", "5", key="from", unset="the lowest that the field has")
    last: int | None = optional("last number", "9", key="to", unset="the highest that the field has")


Matched = Between | Literal
"""What selects a message or an alternative: a value, the name of an enum's value, bytes in hex, or a range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative(Written):
    """One of the alternatives of a choice."""

    when: Expression | None = optional(
        "condition under which it is taken; only the last alternative may omit it", "kind == 1", unset="always"
    )
    match: Mapping[str, tuple[Matched, ...]] = optional(
        "fields and the values that select it, as in a message; instead of `when`, or besides",
        "{kind: [Bye, {from: 5, to: 9}]}",
        None,
        see="messages.md#match",
    )
    fields: "tuple[Entry, ...]" = required("its fields", "[{name: number, type: u16}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Written):
    """A choice: alternative fields in one place."""

    choice: tuple[Alternative, ...] = required(
        "the alternatives; the first whose condition holds is taken",
        "[{when: kind == 1, fields: [{name: a, type: u8}]}, {fields: []}]",
        see="unions.md#an-alternative",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Include(Written):
    """The fields of a type, inserted here."""

    include: str = required("the type", "Stamp")
    accept: tuple[Acceptance, ...] = optional(
        "warnings that are intended",
        "[{rule: deprecated, reason: Old servers send it.}]",
        (),
        see="documentation.md#accept",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad(Written):
    """Zero bytes."""

    pad: Expression = required("number of zero bytes: a number or an expression", "3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Align(Written):
    """Zero bytes up to a multiple of a size."""

    align: int = required("the multiple, from the start of the record", "4")
    start: str | None = optional(
        "an enclosing section; the multiple is counted from its start", "body", key="from", unset="the record"
    )


Entry = Field | Section | Choice | Include | Pad | Align | Bits
"""An entry of a list of fields; each kind has a key that no other has."""


def walk(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries as they are written, each followed by those inside it."""
    for entry in entries:
        yield entry
        match entry:
            case Section(fields=fields):
                yield from walk(fields)
            case Choice(choice=alternatives):
                for alternative in alternatives:
                    yield from walk(alternative.fields)
            case Field() | Include() | Pad() | Align() | Bits():
                pass
            case _:
                assert_never(entry)
