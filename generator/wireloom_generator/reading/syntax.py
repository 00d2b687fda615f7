"""What was written: the spec language's shape as frozen dataclasses, one a kind of mapping.

The annotations are the grammar: ``shape.read`` checks a file against them, ``emitters.json_schema`` tells editors of
them and ``specs/README.md`` is held against them, so a key cannot be known in one place and unknown in another.
Nothing here knows what a name refers to.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NewType, assert_never

from wireloom_generator.expressions import Literal as Literal
from wireloom_generator.reading.vocabulary import BIT_ORDERS, NOTATIONS, OMITTED, listed
from wireloom_generator.reading.written import Written, optional, required

Expression = NewType("Expression", str)
"""The text of an expression; a bare number or true/false is one too."""
Hex = NewType("Hex", str)
"""Bytes as hex digits; blanks, line breaks and ``# comments`` do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Written):
    """Where in which document something is laid down."""

    document: str = required("name of the document")
    section: str | None = optional("heading or table in it")
    revision: str | None = optional("revision of it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance(Written):
    """Accepts what a rule warns of, since it is meant."""

    rule: str = required("the rule's id, as in the brackets of the warning")
    reason: str = required("why it may be so")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecated(Written):
    """Something that is still there, but that nobody should begin to use."""

    since: str | None = optional("first version in which nobody should")
    replaced_by: str | None = optional("the name of what to use instead, of the same spec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented(Written):
    """What anything can say of itself."""

    doc: str | None = optional("what it means, in a sentence or a few")
    since: str | None = optional("first version that has it")
    deprecated: Deprecated | None = optional("that nobody should begin to use it, and what instead")
    source: Source | None = optional("where it is laid down")
    erratum: tuple[str, ...] = optional("what the document says wrong, what is true, and why", ())
    accept: tuple[Acceptance, ...] = optional("warnings about it that are accepted", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumValue(Documented):
    """A named number, or a label for a range of numbers."""

    name: str = required("name, as the document spells it")
    label: str | None = optional("the document's words for it, if they are no name; label columns have them")
    value: int | None = optional("the number")
    first: int | None = optional("first number of a range", key="from")
    last: int | None = optional("last number of a range", key="to")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum(Documented):
    """Numbers with names; other numbers survive unnamed."""

    name: str = required("CamelCase name")
    values: tuple[EnumValue, ...] = required("the named numbers and ranges")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagValue(Documented):
    """A named bit."""

    name: str = required("name, as the document spells it")
    label: str | None = optional("the document's words for it, if they are no name; label columns have them")
    value: int = required("the bit's value, a power of two")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags(Documented):
    """A set of bits with names; other bits survive unnamed."""

    name: str = required("CamelCase name")
    values: tuple[FlagValue, ...] = required("the named bits")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableField(Documented):
    """A field of a FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema")
    type: str = required("u8 … u64, i8 … i64, f32, f64, bool or text")
    id: int = required("slot in the table's vtable, counted from 0")
    default: Literal | None = optional("what a reader sees when it is not stored")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Documented):
    """A FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema")
    fields: tuple[TableField, ...] = required("the table's fields")


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
    table_type: str | None = optional("long: a u64 the document bounds below 2^63")
    byte_order: Expression | None = optional("big or little, where it differs from what is around it")
    unit: str | None = optional("unit of the number")
    reserved: bool = optional("true: without a meaning; 0 on encode unless given", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BitField(Documented):
    """Some bits of an integer."""

    name: str = required("snake_case name")
    width: int = required("how many bits")
    type: str | None = optional("bool, of one bit")
    enum: str | None = optional("enum that names its numbers")
    labels: bool = optional("false: no label column", True)
    const: Literal | None = optional("the only value it may have")
    valid: Expression | None = optional("must hold, or the record is malformed")
    derive: Expression | None = optional("what it must be; filled in on encode")
    default: Literal | None = optional("value, or an expression for it, when none is given on encode")
    unit: str | None = optional("unit of the number")
    reserved: bool = optional("true: without a meaning; 0 on encode unless given", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bits(Documented):
    """An integer split into bit fields."""

    bits: str = required("unsigned integer type they fill, of up to 1024 bits")
    name: str | None = optional("snake_case name of the whole number, which is a column then, too")
    unit: str | None = optional("unit of the whole number")
    bit_order: str = optional(listed(BIT_ORDERS, default=True), "msb")
    byte_order: Expression | None = optional("big or little, where it differs from what is around it")
    when: Expression | None = optional("present only if this holds")
    fields: tuple[BitField, ...] = required("the bit fields, in that order")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct(Documented):
    """A shared struct."""

    name: str = required("CamelCase name")
    given: tuple[str, ...] = optional("names of values that whoever uses it gives it", ())
    depth: int | None = optional("of one that contains itself: how many are inside each other; what is deeper is bytes")
    byte_order: Expression | None = optional("big or little; by default that of what it is in")
    fields: tuple[Entry, ...] = required("its fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Documented):
    """A fact that is not in the bytes; the reader gives it."""

    name: str = required("snake_case name")
    type: str = required("bool, text or an integer type")
    default: Literal = required("value when the reader gives none")
    choices: tuple[str, ...] = optional("of text: the values it can have", ())
    column: bool = optional("true: the value in force is a column of each row", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof(Written):
    """What must hold before a record's length is believed."""

    valid: Expression | None = optional("a condition on fields at fixed offsets")
    checksum: str | None = optional("a checksum field that must be right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Documented):
    """What all records of the protocol share."""

    fields: tuple[Entry, ...] = required("header fields, then sections")
    length: Expression | None = optional(
        "bytes of the whole record; rest: all there are; fields: up to its last; else each message says"
    )
    until: Hex | None = optional("instead: the terminator that each record ends with")
    proof: Proof | None = optional("what must hold before the length is believed")
    resync: bool = optional("true: behind an unproven record, search for the next proven one", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture(Documented):
    """What stands once at the start of a capture, in front of all records."""

    fields: tuple[Entry, ...] = required("its fields, whose values the records see as they see parameters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Documented):
    """One of a message's layouts."""

    name: str = required("snake_case name; the value of the column variant")
    title: str | None = optional("title")
    when: Expression | None = optional("this layout holds then; variants are tried in order")
    valid: Expression | None = optional("must hold of a record that has this layout, or it is malformed")
    sections: Mapping[str, tuple[Entry, ...]] = optional("its fields, by section, behind the message's own", None)
    shared: bool = optional("true: all but what documents it is as the protocol or a library declares it", False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaring(Documented):
    """What any file can declare for all messages of the protocol."""

    enums: tuple[Enum, ...] = optional("named numbers", ())
    flags: tuple[Flags, ...] = optional("named bits", ())
    types: tuple[Struct, ...] = optional("shared structs", ())
    tables: tuple[Table, ...] = optional("FlatBuffers tables", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Declaring):
    """What a protocol and a library can both declare."""

    title: str | None = optional("title")
    imports: tuple[str, ...] = optional("libraries beside this folder whose declarations are used", ())
    variants: tuple[Variant, ...] = optional("layouts that several messages share", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Library(Shared):
    """Declarations for several protocols."""

    library: str = required("snake_case name, that of its folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol(Shared):
    """A protocol: what its messages share."""

    protocol: str = required("snake_case name, that of its folder")
    byte_order: Expression = required("big, little, the parameter that says, or an expression for it")
    parameters: tuple[Parameter, ...] = optional("facts that are not in the bytes", ())
    capture: Capture | None = optional("what stands once at the start of a capture")
    record: Record = required("the header and the sections of every record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(Documented):
    """A worked example; it is run as a test."""

    name: str = required("what it shows")
    hex: Hex = required("the whole record")
    parameters: Mapping[str, Literal] = optional("parameters it is read with", None)
    decoded: Mapping[str, object] = optional("values it must decode to, some or all; bytes as hex", None)
    malformed: str | None = optional("it must be malformed, with this code")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormEntry(Documented):
    """One key of a textual form's object."""

    key: str = required("the key")
    field: str | None = optional("the field it holds")
    notation: str = optional(listed(NOTATIONS, default=True), "value", key="as")
    const: str | None = optional("the text it always holds")
    omit: str = optional(f"left out when: {listed(OMITTED, default=True)}", "never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Documented):
    """A textual form of the message, one JSON object a line."""

    name: str = required("snake_case name")
    style: str = required("json_lines")
    entries: tuple[FormEntry, ...] = required("its keys, in the order written")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Declaring):
    """One message of the protocol."""

    message: str = required("snake_case name, that of its file")
    title: str | None = optional("title")
    match: Mapping[str, tuple[Matched, ...]] = required("header fields and the values that select this message")
    length: Expression | None = optional("bytes of the whole record, rest or fields, where the record does not say")
    proof: Proof | None = optional("what must hold before the length is believed")
    valid: Expression | None = optional("must hold of every record of it, or it is malformed")
    sections: Mapping[str, tuple[Entry, ...]] = optional("its fields, by section of the record", None)
    variants: tuple[Variant, ...] = optional("layouts it can have", ())
    otherwise: Expression | None = optional("must hold of a record that has none of them, or it is malformed")
    examples: tuple[Example, ...] = optional("worked examples", ())
    forms: tuple[Form, ...] = optional("textual forms", ())


File = Protocol | Library | Message
"""What a spec file is; told by its first key."""
