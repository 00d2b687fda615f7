"""Fields, with their repetitions, checksums, transforms and interpretations."""

from collections.abc import Mapping
from dataclasses import dataclass

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.declarations import Doc, Documented
from wireloom_generator.reading.written import Expression, Written, among, optional, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Written):
    """A repetition: where a list ends. It has one of these keys."""

    count: Expression | None = optional("number of items", "points_count")
    until: Expression | None = optional(
        "of structs: a condition on an item or on `left`; the first item that meets it is the last one", "tag == 0"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Crc(Written):
    """A CRC by its parameters."""

    width: int = required("number of bits, 3 to 64", "16")
    poly: int = required("polynomial, highest bit first, without the leading 1", "0x8005")
    init: int = optional("initial register, highest bit first", "0xffff", 0)
    reflect_in: bool = optional("`true`: the lowest bit of each byte comes first", "true", False)
    reflect_out: bool = optional("`true`: the lowest bit of the register comes first", "true", False)
    xor_out: int = optional("the final register is XORed with this", "0xffff", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summand(Written):
    """A piece of a checksum's input: a range of the record, or constant bytes."""

    start: Expression | None = optional("first byte, from the start of the record", "offset(first)", key="from")
    end: Expression | None = optional("byte after the last one", "offset(crc)", key="to")
    const: bytes | None = optional("instead of a range: bytes that are not in the record, as hex", '"0011"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksum(Written):
    """A checksum over one range of the record, or over several pieces."""

    algorithm: Crc | str = required(
        "name of the algorithm, or the parameters of a CRC", "crc32", see="checksums.md#algorithms"
    )
    start: Expression | None = optional("first byte that it covers, from the start of the record", "0", key="from")
    end: Expression | None = optional("byte after the last one", "offset(crc)", key="to")
    over: tuple[Summand, ...] = optional(
        "instead of `from` and `to`: several ranges and constants, in this order",
        "[{from: 0, to: offset(crc)}, {const: '39'}]",
        (),
        see="checksums.md#checksums-over-several-pieces",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Timestamp(Written):
    """A point in time."""

    unit: str = required(
        "what the number counts: `d`, `h`, `min`, `s`, `ms`, `us`, `ns`, or a multiple such as `100ns`", "ms"
    )
    epoch: str = optional(
        "time of the number 0, in UTC: a date, or a date and a time such as `2000-01-01T12:00:00`",
        '"2000-01-01"',
        "1970-01-01",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration(Written):
    """A span of time."""

    unit: str = required("what the number counts, as in a timestamp", "ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Written):
    """A scaled number: `number * scale + offset`."""

    scale: str = optional("factor: a number, or a fraction such as `1/256`", "0.01", "1")
    offset: str = optional("added after scaling", "-40", "0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning(Written):
    """The interpretation of a number. It has one of these keys."""

    timestamp: Timestamp | None = optional("a point in time", "{unit: ms}", see="times.md#timestamps-and-dates")
    duration: Duration | None = optional("a span of time", "{unit: s}", see="times.md#durations")
    decimal: Scaled | None = optional("an exact decimal", "{scale: 0.01}", see="times.md#decimals-and-scaled-numbers")
    double: Scaled | None = optional(
        "the nearest floating-point number", "{scale: 1e-7}", see="times.md#decimals-and-scaled-numbers"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Escapes(Written):
    """Escapes of two bytes: the one that begins each of them, and a code."""

    escape: bytes = required("the byte that begins each escape, as hex", '"db"')
    codes: Mapping[str, bytes] = required(
        "the codes, each with the byte that it stands for, as hex; these bytes never occur unescaped",
        '{dc: "c0", dd: "db"}',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar(Written):
    """The fields of a date and a time of day. Each is the name of a field beside the time."""

    year: str = required("field with the year", "year")
    offset: int | None = optional("added to the year", "1900", unset="`0`")
    pivot: int | None = optional("of years with two digits: the earliest year", "1970", unset="all digits are there")
    month: str = required("field with the month, 1 to 12", "month")
    day: str = required("field with the day of the month, from 1", "day")
    hour: str | None = optional("field with the hour, 0 to 23", "hour", unset="`0`")
    minute: str | None = optional(
        "field with the minute of the hour, or of the day without `hour`", "minute", unset="`0`"
    )
    second: str | None = optional("field with the second of the next larger unit that is given", "second", unset="`0`")
    millisecond: str | None = optional("the same in milliseconds", "milliseconds", unset="`0`")
    microsecond: str | None = optional("the same in microseconds", "microseconds", unset="`0`")
    nanosecond: str | None = optional("the same in nanoseconds", "nano", unset="`0`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ntp(Written):
    """The fields of an NTP timestamp. Each is the name of a field beside the time."""

    second: str = required("field with the seconds since 1900, of which it has 32 bits", "seconds")
    fraction: str | None = optional(
        "field with the fraction of a second, 32 bits after the point", "fraction", unset="`0`"
    )
    pivot: str = optional(
        "date of the earliest time, in UTC; the latest one is 136 years later", '"2000-01-01"', "1970-01-01"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gps(Written):
    """The fields of a time of GPS, which has no leap seconds. Each is the name of a field beside the time."""

    week: str = required("field with the weeks since 1980-01-06", "week")
    rollover: int | None = optional("the week at which counting begins again with 0", "1024", unset="never")
    pivot: str | None = optional("with `rollover`: date in the earliest week", '"2019-04-07"')
    second: str | None = optional("field with the second of the week", "tow")
    millisecond: str | None = optional("instead of `second`: field with the millisecond of the week", "i_tow")
    nanosecond: str | None = optional(
        "field with nanoseconds of that second or millisecond, or before it if negative", "f_tow", unset="`0`"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant(Written):
    """A time that consists of several fields. It has one of these keys."""

    calendar: Calendar | None = optional(
        "a date and a time of day",
        "{year: year, month: month, day: day, hour: hour}",
        see="times.md#a-date-and-a-time-of-day-calendar",
    )
    ntp: Ntp | None = optional(
        "an NTP timestamp", "{second: seconds, fraction: fraction}", see="times.md#ntp-timestamps-ntp"
    )
    gps: Gps | None = optional(
        "a week and a time of week of GPS", "{week: week, millisecond: i_tow}", see="times.md#gps-weeks-gps"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Through(Written):
    """A transform of bytes. It has one of these keys."""

    xor: Expression | None = optional(
        "XOR mask: a byte, as a number from 0 to 255, or bytes, which are repeated", "0x5a"
    )
    rol: Expression | None = optional(
        "rotation to the left that the sender applied to each byte, in bits; 3 to the right is 5 to the left", "3"
    )
    zeros: Expression | None = optional(
        "size before trailing zeros were cut off; at least one byte is always sent", "28"
    )
    unescape: Escapes | str | None = optional(
        "escapes in the bytes: `slip`, `hdlc`, `cobs`, `dle`, `unsynchronisation`, an expression that gives such names,"
        " or a mapping with `escape` and `codes`",
        "slip",
        see="compression.md#escapes-unescape",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedCharacters(Written):
    """A set of characters with fewer than 8 bits each, which are packed without gaps."""

    width: int = required("number of bits of a character, 1 to 8", "6")
    characters: str = required(
        "the character of each code from 0 on; U+FFFD for codes without one", '"@ABCDEFGHIJKLMNOPQRSTUVWXYZ"'
    )
    bit_order: str | None = optional(
        "position of the first character: `msb`, the most significant bits of the first byte, or `lsb`, the least"
        " significant bits",
        "lsb",
        unset="`msb`; among bit fields, theirs",
    )
    justify: str = optional(
        "with a prefix that counts characters: where they are in bytes that have room for another one: `left` or"
        " `right`",
        "right",
        "left",
        see="strings.md#lengths-in-characters",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthPrefix(Written):
    """A length prefix: what the length before a value is, and what it counts."""

    type: str = required("type of the length: an unsigned integer type, `bcd`, `ascii` or `zoned`", "bcd")
    digits: int | None = optional("of `bcd`, `ascii` and `zoned`, required: number of digits", "2")
    encoding: str | None = optional("of `zoned`: `ebcdic` or `ascii`", "ascii", unset="`ebcdic`")
    counts: str = optional(
        "what it counts: `bytes`, or of text of packed characters `characters`",
        "characters",
        "bytes",
        see="strings.md#lengths-in-characters",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Documented):
    """A field: a value and its column."""

    doc: Doc = among(without=("title",))
    name: str = required("name of the field and its column, in `snake_case`", "temperature")
    type: str = required("number, bytes, text, flatbuffers or the name of a type", "u16", see="types.md")
    inputs: Mapping[str, Expression] = optional(
        "arguments for the parameters that its type declares under `given`",
        "{width: 4}",
        None,
        key="with",
        see="structs.md#type-parameters-given-and-with",
    )
    bit: int | None = optional(
        "of a field in a `bitmap`: the number of its bit",
        "2",
        unset="the one behind that of the field before",
        see="bit-fields.md#bitmaps",
    )
    size: Expression | None = optional(
        "of `bytes`, `text`, `ascii`, `flatbuffers` and structs: size in bytes, or `rest`: to the end of the section;"
        " of `int` and `uint`: size in bytes that another field gives",
        "4 * words",
        see="lengths.md#size",
    )
    prefix: LengthPrefix | str | None = optional(
        "instead of `size`: unsigned integer type of a length prefix, or a mapping",
        "u16",
        see="lengths.md#length-prefixes",
    )
    ends: tuple[bytes, ...] | None = optional(
        "terminator, as hex, or a list of them; of `bytes`, `text`, `ascii` and structs",
        '"00"',
        key="until",
        see="strings.md#terminators-until",
    )
    pad: bytes | None = optional(
        "with `size`: padding after the value, as hex",
        '"20"',
        unset="`00` with `size` and `until`",
        see="strings.md#padding-pad",
    )
    terminator: str | None = optional(
        "with `until`: `drop`: the terminator is not part of the value; `keep`: it is; `leave`: it is read by the next"
        " field",
        "keep",
        unset="`drop`",
        see="strings.md#terminators-until",
    )
    unterminated: str | None = optional(
        "with `until`: `allowed` or `malformed`: what a value without its terminator is",
        "allowed",
        unset="`allowed` with `size`, else `malformed`",
        see="strings.md#terminators-until",
    )
    encoding: PackedCharacters | str | None = optional(
        "of `text`: character encoding, or a set of packed characters; of `zoned`: `ebcdic` or `ascii`",
        "latin-1",
        unset="`utf-8`, of `zoned` `ebcdic`",
        see="strings.md#encodings",
    )
    table: str | None = optional("of `flatbuffers`: the root table", "Monster", see="flatbuffers.md")
    through: Through | str | None = optional(
        "transform of bytes, text or a struct: a compression, or a mapping with `xor`, `rol`, `zeros` or `unescape`",
        "gzip",
        see="compression.md",
    )
    limit: int | None = optional(
        "with a compression: maximum number of unpacked bytes",
        "1000000",
        unset="256 MiB",
        see="compression.md#compression",
    )
    meaning: Meaning | str | None = optional(
        "interpretation: a timestamp, duration, decimal or double, or `uuid`, `ipv4`, `ipv6`, `mac`",
        "{timestamp: {unit: ms}}",
        key="as",
        see="times.md",
    )
    raw: str | None = optional(
        "column for bytes that the value does not determine",
        "name_bytes",
        unset="`<field>_bytes` of `ibm32`, `ibm64`, and of a `bcd` or `zoned` with a `sign`, else none",
        see="encoding.md#values-with-several-encodings-raw",
    )
    digits: int | None = optional(
        "of `bcd` and `zoned`, required: number of digits, 1 to 38; of `ascii`: minimum number of characters, filled up"
        " with zeros",
        "7",
        unset="of `ascii`: `size` if only that is given, else 1",
        see="integers.md#packed-decimals-bcd",
    )
    scale: int | None = optional(
        "of `bcd` and `zoned`: number of digits after the point", "2", unset="0", see="integers.md#packed-decimals-bcd"
    )
    sign: str | None = optional(
        "of `bcd`: a nibble after the digits, `signed` (`c` plus, `d` minus) or `unsigned` (`f`); of `zoned`:"
        " `trailing`, `leading`, `trailing_separate` or `leading_separate`; of `ascii`: `signed`, a minus before"
        " negative numbers",
        "signed",
        see="integers.md#packed-decimals-bcd",
    )
    nibble_order: str | None = optional(
        "of `bcd`: the nibble of each byte with the first of its digits, `high` or `low`",
        "low",
        unset="`high`",
        see="integers.md#packed-decimals-bcd",
    )
    base: int | None = optional("of `ascii`: base, 2 to 16", "8", unset="10", see="integers.md#numbers-in-ascii-digits")
    case: str | None = optional(
        "of `ascii`: `lower` or `upper`, for digits that are letters",
        "upper",
        unset="`lower`",
        see="integers.md#numbers-in-ascii-digits",
    )
    fill: bytes | None = optional(
        "of `ascii`: byte that fills its size before the number, as hex",
        '"20"',
        see="integers.md#numbers-in-ascii-digits",
    )
    enum: str | None = optional("of integers: enum that names its numbers", "Status", see="enums.md")
    flags: str | None = optional("of unsigned integers: flags that name its bits", "Option", see="enums.md#flags")
    labels: bool = optional("`false`: no label column for its enum or flags", "false", True, see="enums.md")
    const: Literal | None = optional(
        "the only value it may have; of bytes, as hex", "0x5e", see="constants.md#constants-and-magic-numbers"
    )
    valid: Expression | None = optional(
        "condition; the record is malformed if it is false", "low <= high", see="constants.md#validity-conditions"
    )
    when: Expression | None = optional(
        "condition under which the field is present; otherwise it is null",
        "features & 1 != 0",
        unset="always",
        see="versions.md#optional-and-conditional-fields",
    )
    place: Expression | None = optional(
        "pointer: the byte of the record where the field is, instead of after the previous one",
        "index_offset",
        key="at",
        see="pointers.md",
    )
    shared: bool = optional(
        "with `at`, `true`: the bytes belong to other fields; it only reads them",
        "true",
        False,
        see="pointers.md#shared-bytes-shared",
    )
    tail: bool = optional(
        "`true`: present if bytes are left in the section; with `shared`, if its offset leads to such a value",
        "true",
        False,
        key="optional",
        see="versions.md#optional-and-conditional-fields",
    )
    repeat: Repeat | str | None = optional(
        "makes it a list: `rest`, or a mapping with `count` or `until`",
        "{count: points_count}",
        unset="a single value",
        see="arrays.md",
    )
    derive: Expression | None = optional(
        "a length, count or offset of something else, or `present(x)`: checked on decode, computed on encode",
        "size(body)",
        see="lengths.md#derived-lengths-counts-and-offsets",
    )
    checksum: Checksum | None = optional(
        "a checksum: checked on decode, computed on encode",
        "{algorithm: crc32, from: 0, to: offset(crc)}",
        see="checksums.md",
    )
    compute: Instant | Expression | None = optional(
        "value of a column that has no bytes: an expression, or the fields of a `timestamp`",
        "word >> 1",
        see="constants.md#computed-values",
    )
    default: Literal | None = optional(
        "value on encode if none is given: a literal or an expression",
        "false",
        see="constants.md#default-values-and-reserved-fields",
    )
    table_type: str | None = optional(
        "of `u64` and `uint`: `long` if values are below 2^63 (others are malformed), `decimal` if larger ones mean"
        " something",
        "long",
        see="integers.md#unsigned-64-bit-integers",
    )
    byte_order: Expression | None = optional(
        "`big`, `little` or an expression; of a number, a length prefix, or everything in a type; of a number of 4 or 8"
        " bytes also `cdab` or `badc`; of `bcd` `big` or `little`",
        "little",
        unset="that of its surroundings",
        see="byte-order.md",
    )
    reserved: bool = optional(
        "`true`: a number, or bytes of a fixed size, without a meaning; zero on encode if not given",
        "true",
        False,
        see="constants.md#default-values-and-reserved-fields",
    )

    @property
    def until(self) -> bytes | None:
        """The terminator that is written."""
        return self.ends[0] if self.ends else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeper(Field):
    """A field that is inside ``depth`` others of its type. Made by ``unrolling``, never written in a spec.

    It has the fields of the struct ``like`` it, in no more than ``deepest`` levels.
    """

    depth: int
    deepest: int
    like: str
