"""What anything says of itself, and what is declared once: enums, flags and tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.written import Written, optional, required

Expression = NewType("Expression", str)
"""The text of an expression; a bare number or true/false is one too."""
Hex = NewType("Hex", str)
"""Bytes as hex digits; blanks, line breaks and ``# comments`` do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Written):
    """The place in a document that defines something."""

    document: str = required("name of the document", "protocol.md")
    section: str | None = optional("heading or table in it", '"4.2 Readings"')
    revision: str | None = optional("revision of the document", '"2024-05"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance(Written):
    """A warning that is intended."""

    rule: str = required("id of the rule, as shown in brackets after `warning`", "deprecated")
    reason: str = required("why the warning does not matter here", "Servers of version 1 still send it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecated(Written):
    """Marks something that new senders should not use."""

    since: str | None = optional("first version in which it is deprecated", '"3.0"')
    replaced_by: str | None = optional("name of the replacement, which must exist in the spec", "nanoseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented(Written):
    """Documentation, which most elements can have."""

    doc: str | None = optional("description, one or a few sentences", "The temperature.")
    since: str | None = optional("first version that has it", '"2.1"')
    deprecated: Deprecated | None = optional(
        "marks it as deprecated", "{since: '3.0', replaced_by: nanoseconds}", see="documentation.md#deprecated"
    )
    source: Source | None = optional(
        "where the document defines it", "{document: protocol.md, section: Entries}", see="documentation.md#source"
    )
    erratum: tuple[str, ...] = optional(
        "one text or a list: what is wrong in the document, what is right, and how you know",
        "The table says milliseconds; the server counts in seconds.",
        (),
    )
    accept: tuple[Acceptance, ...] = optional(
        "warnings that are intended",
        "[{rule: deprecated, reason: Old servers still send it.}]",
        (),
        see="documentation.md#accept",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumValue(Documented):
    """A named number, or a name for a range of numbers."""

    name: str = required("name, spelled as in the document", "NotFound")
    label: str | None = optional(
        "words of the document that are not a valid name; shown in label columns, forms, pages and Wireshark",
        "Not found",
        unset="the name",
    )
    value: int | None = optional("the number", "4")
    first: int | None = optional("for a range, instead of `value`: first number", "0x80", key="from")
    last: int | None = optional("for a range: last number", "0xff", key="to")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enum(Documented):
    """An enum: numbers with names. Numbers without a name are valid."""

    name: str = required("name, in `CamelCase`", "Status")
    values: tuple[EnumValue, ...] = required(
        "the named numbers and ranges", "[{name: Ok, value: 0}]", see="enums.md#an-enum-value"
    )
    groups: Mapping[str, tuple[str, ...]] = optional(
        "names for several of its values, to use in `match` and in expressions",
        "{Asking: [Ask, LongAsk]}",
        None,
        see="enums.md#groups",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagValue(Documented):
    """A named bit."""

    name: str = required("name, spelled as in the document", "Disk")
    label: str | None = optional("words of the document that are not a valid name", "on disk", unset="the name")
    value: int = required("value of the bit, a power of two", "0x02")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags(Documented):
    """A set of flags: bits with names. Bits without a name are kept."""

    name: str = required("name, in `CamelCase`", "Option")
    values: tuple[FlagValue, ...] = required("the named bits", "[{name: Disk, value: 0x02}]", see="enums.md#a-flag")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableField(Documented):
    """A field of a FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema", "hp")
    type: str = required("`u8`, `u16`, `u32`, `u64`, `i8` … `i64`, `f32`, `f64`, `bool` or `text`", "i16")
    id: int = required("slot in the vtable, counted from 0", "0")
    default: Literal | None = optional("value if the field is not stored", "100", unset="0, `false` or null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Documented):
    """A FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema", "Monster")
    fields: tuple[TableField, ...] = required("the table's fields", "[{name: hp, type: i16, id: 0}]")
