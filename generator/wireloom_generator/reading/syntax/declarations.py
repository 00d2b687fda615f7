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
    groups: Mapping[str, tuple[str, ...]] = optional("names for several of its values at once", None)


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
