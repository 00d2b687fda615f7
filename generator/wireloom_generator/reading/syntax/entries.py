"""The entries of a list of fields."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.syntax.declarations import (
    Acceptance,
    Documented,
    Expression,
    Hex,
)
from wireloom_generator.reading.vocabulary import BIT_ORDERS, listed
from wireloom_generator.reading.written import Written, optional, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Written):
    """How often something repeats."""

    count: Expression | None = optional("so many times")
    until: Expression | None = optional("up to and with the first item for which this holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crc(Written):
    """A CRC by its parameters."""

    width: int = required("how many bits it has, 3 to 64")
    poly: int = required("its polynomial, the highest bit first, without the one for the width")
    init: int = optional("the register before the first byte, the highest bit first", 0)
    reflect_in: bool = optional("true: the lowest bit of each byte comes first", False)
    reflect_out: bool = optional("true: the lowest bit of the register comes first", False)
    xor_out: int = optional("what the register is XORed with at the end", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summand(Written):
    """A part of what a checksum is over: a range of the record's bytes, or bytes that are not in the record."""

    start: Expression | None = optional("first byte, from the record's start", key="from")
    end: Expression | None = optional("byte behind the last one", key="to")
    const: Hex | None = optional("bytes that are the same for all records")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksum(Written):
    """A checksum over a range of the record's bytes, or over several pieces, one behind the other."""

    algorithm: Crc | str = required("crc32, crc16_modbus, internet, sum8 …, or {width: …, poly: …} of a CRC")
    start: Expression | None = optional("first byte, from the record's start", key="from")
    end: Expression | None = optional("byte behind the last one", key="to")
    over: tuple[Summand, ...] = optional("instead of from and to: ranges and constants, in this order", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Timestamp(Written):
    """A point in time."""

    unit: str = required("what the number counts: d, h, min, s, ms, us, ns, or several of one, as 100ns")
    epoch: str = optional("where it counts from: a date, or a date and a time, in UTC", "1970-01-01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration(Written):
    """A span of time."""

    unit: str = required("what the number counts: d, h, min, s, ms, us, ns, or several of one, as 100ns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Written):
    """A number that stands for another."""

    scale: str = optional("what the number is multiplied by: a number, or a fraction as 1/256", "1")
    offset: str = optional("what is added then", "0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning(Written):
    """What a number stands for; one of them."""

    timestamp: Timestamp | None = optional("a point in time")
    duration: Duration | None = optional("a span of time")
    decimal: Scaled | None = optional("a decimal, exactly")
    double: Scaled | None = optional("the nearest floating-point number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Through(Written):
    """What bytes go through; one of them."""

    xor: Expression | None = optional("the XOR with a byte, or with bytes that are repeated")
    rol: Expression | None = optional("bits of each byte that were rotated to the left, so many places")
    zeros: Expression | None = optional("zeros at the end that are cut off, so many bytes with them")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Documented):
    """A value under a name."""

    name: str = required("snake_case name; it is the column's name too")
    type: str = required("number, bytes, text, flatbuffers or a type's name")
    inputs: Mapping[str, Expression] = optional(
        "of a type: what it is given, by the names that it has for it", None, key="with"
    )
    size: Expression | None = optional("bytes it takes, or rest: to the end of its section")
    prefix: str | None = optional("integer type of a length in front of it")
    until: Hex | None = optional("terminator behind it")
    pad: Hex | None = optional("what fills its size behind it")
    terminator: str | None = optional(
        "drop (default), keep: the value ends with it, or leave: what follows begins with it"
    )
    unterminated: str | None = optional("without a terminator it is malformed or allowed")
    encoding: str | None = optional("of text: utf-8 (default), ascii, latin-1, cp037, gb18030 or another one")
    table: str | None = optional("of flatbuffers: the root table")
    through: Through | str | None = optional(
        "what its bytes go through: gzip or another compression, {xor: …}, {rol: …} or {zeros: …}"
    )
    limit: int | None = optional("with through: how many bytes it may unpack to")
    meaning: Meaning | str | None = optional(
        "what it stands for: {timestamp: …}, {duration: …}, {decimal: …}, {double: …}, uuid, ipv4, ipv6 or mac",
        key="as",
    )
    raw: str | None = optional("column for bytes that are not those its value is written as; of flatbuffers, for all")
    digits: int | None = optional("of bcd: how many digits it has, 1 to 38; of ascii: how many it has at least")
    scale: int | None = optional("of bcd: how many of them are behind the point")
    sign: str | None = optional("of bcd: signed or unsigned, in a nibble behind the digits; of ascii: signed")
    base: int | None = optional("of ascii: that of its digits, 2 to 16; 10 by default")
    case: str | None = optional("of ascii: lower (default) or upper, of letters among its digits")
    fill: Hex | None = optional("of ascii: the byte that fills its size in front")
    enum: str | None = optional("enum that names its numbers")
    flags: str | None = optional("flags that name its bits")
    labels: bool = optional("false: no label column", True)
    const: Literal | None = optional("the only value it may have; of bytes, hex")
    valid: Expression | None = optional("must hold, or the record is malformed")
    when: Expression | None = optional("present only if this holds")
    place: Expression | None = optional("byte of the record at which it stands, instead of in sequence", key="at")
    shared: bool = optional("true: the bytes there belong to others, and are only read", False)
    tail: bool = optional("true: present if bytes are left in the section", False, key="optional")
    repeat: Repeat | str | None = optional("a list: rest, {count: …} or {until: …}")
    derive: Expression | None = optional("what it must be; filled in on encode")
    checksum: Checksum | None = optional("it is this checksum; filled in on encode")
    compute: Expression | None = optional("not in the bytes, but this")
    default: Literal | None = optional("value, or an expression for it, when none is given on encode")
    table_type: str | None = optional("of a u64: long, if it is bounded below 2^63; decimal, if it goes beyond")
    byte_order: Expression | None = optional("big or little, where it differs from what is around it")
    unit: str | None = optional("unit of the number")
    reserved: bool = optional("true: without a meaning; 0 on encode unless given", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeper(Field):
    """What stands for a field that would be inside of ``depth`` others of its type already. No spec has one written.

    What is asked of fields in it is asked of those of the struct ``like`` it.
    """

    depth: int
    like: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BitField(Documented):
    """Some bits of an integer."""

    name: str = required("snake_case name")
    width: int = required("how many bits")
    count: Expression | None = optional("makes it a list of so many items, of width bits each; a number")
    type: str | None = optional("bool, of one bit")
    meaning: Meaning | None = optional(
        "what it stands for: {timestamp: …}, {duration: …}, {decimal: …} or {double: …}", key="as"
    )
    enum: str | None = optional("enum that names its numbers")
    labels: bool = optional("false: no label column", True)
    const: Literal | None = optional("the only value it may have")
    valid: Expression | None = optional("must hold, or the record is malformed")
    derive: Expression | None = optional("what it must be; filled in on encode")
    default: Literal | None = optional("value, or an expression for it, when none is given on encode")
    unit: str | None = optional("unit of the number")
    reserved: bool = optional("true: without a meaning; 0 on encode unless given", False)

    @property
    def items(self) -> int | None:
        """How many items its list has; None if it is no list, or not so many as a number says."""
        found = re.fullmatch(r"0x0*[1-9a-fA-F][0-9a-fA-F]{0,3}|[1-9][0-9]{0,4}", self.count or "")
        return int(found[0], 0) if found is not None else None

    @property
    def taken(self) -> int:
        """How many bits it takes."""
        return self.width * (1 if self.items is None else self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class BitAlternative(Written):
    """One of the alternatives for the same bits."""

    when: Expression | None = optional("taken if this holds; the last does without")
    match: Mapping[str, tuple["Matched", ...]] = optional(
        "instead: fields, and the values of them that select it", None
    )
    fields: "tuple[BitEntry, ...]" = required("its bit fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class BitChoice(Written):
    """Alternative bit fields in the same bits."""

    choice: tuple[BitAlternative, ...] = required("the alternatives, the first that holds is taken")

    @property
    def taken(self) -> int:
        """How many bits each of them has to take."""
        return sum(entry.taken for alternative in self.choice[:1] for entry in alternative.fields)


BitEntry = BitField | BitChoice
"""What an integer is split into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bits(Documented):
    """An integer split into bit fields.

    Those of an alternative are ``over`` bits of an integer that was read: so many others are in front of so many.
    """

    bits: str = required("unsigned integer type they fill, of up to 1024 bits")
    name: str | None = optional("snake_case name of the whole number, which is a column then, too")
    unit: str | None = optional("unit of the whole number")
    bit_order: str = optional(listed(BIT_ORDERS, default=True), "msb")
    byte_order: Expression | None = optional("big or little, where it differs from what is around it")
    when: Expression | None = optional("present only if this holds")
    fields: tuple[BitEntry, ...] = required("the bit fields, in that order")
    over: tuple[int, int] | None = None

    @property
    def parts(self) -> tuple[BitField, ...]:
        """The bit fields that it has whatever alternatives are taken."""
        return tuple(entry for entry in self.fields if isinstance(entry, BitField))

    @property
    def begins(self) -> Iterator[tuple[BitEntry, int]]:
        """What it is split into, each with the number of bits in front of it."""
        first = 0 if self.over is None else self.over[0]
        for entry in self.fields:
            yield entry, first
            first += entry.taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Documented):
    """A region with a size; nothing inside runs past it."""

    section: str = required("snake_case name")
    size: Expression = required("its bytes, or rest: to the end of what encloses it")
    trailing: str | None = optional("bytes column for what its fields leave over; without it that is malformed")
    through: Through | str | None = optional(
        "what its bytes go through: gzip or another compression, {xor: …}, {rol: …} or {zeros: …}"
    )
    limit: int | None = optional("with through: how many bytes it may unpack to")
    raw: str | None = optional("with through: column for the packed bytes")
    byte_order: Expression | None = optional("big or little, of all in it that does not say otherwise")
    fields: "tuple[Entry, ...]" = optional("its fields; in a record, messages fill a section without any", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(Written):
    """A range of numbers, open at an end that is not given."""

    first: int | None = optional("first number of it", key="from")
    last: int | None = optional("last number of it", key="to")


Matched = Between | Literal
"""What selects a message or an alternative: a value, the name of an enum's value, bytes in hex, or a range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative(Written):
    """One of the alternatives of a choice."""

    when: Expression | None = optional("taken if this holds; the last may do without")
    match: Mapping[str, tuple[Matched, ...]] = optional("instead: fields, and the values of them that select it", None)
    fields: "tuple[Entry, ...]" = required("its fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Written):
    """Alternative fields in one place."""

    choice: tuple[Alternative, ...] = required("the alternatives, the first that holds is taken")


@dataclass(frozen=True, slots=True, kw_only=True)
class Include(Written):
    """The fields of a type, spliced in."""

    include: str = required("the type")
    accept: tuple[Acceptance, ...] = optional("warnings about it that are accepted", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad(Written):
    """Zero bytes."""

    pad: Expression = required("how many")


@dataclass(frozen=True, slots=True, kw_only=True)
class Align(Written):
    """Zero bytes up to a multiple."""

    align: int = required("multiple, counted from the record's start")
    start: str | None = optional("the section around it from whose start it is counted instead", key="from")


Entry = Field | Section | Choice | Include | Pad | Align | Bits
"""What a list of fields consists of; told apart by the key that only it has."""


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
