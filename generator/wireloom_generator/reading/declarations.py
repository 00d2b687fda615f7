"""Declarations that refer to nothing else, and so need not be resolved.

``syntax`` and ``model`` share these classes. Invalid values (a range without an end, an unknown type) are kept for the
rules to report.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.written import Prose, Written, among, optional, required

_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")


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
class Deprecation(Written):
    """Marks something that new senders should not use."""

    since: str | None = optional("first version in which it is deprecated", '"3.0"')
    replaced_by: str | None = optional("name of the replacement, which must exist in the spec", "nanoseconds")

    def __str__(self) -> str:
        return self.advice(self.replaced_by)

    def advice(self, instead: str | None) -> str:
        """The advice in words; ``instead`` is the formatted name of the replacement."""
        since = f"Deprecated since {self.since}" if self.since else "Deprecated"
        return f"{since}; use {instead}" if instead else since


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc(Written):
    """The description of something, and the warnings about it that are accepted."""

    text: Prose = optional("description, one or a few sentences", "The temperature.", Prose(""), key="doc")
    title: str = optional("title for people", "Reading", "")
    unit: str | None = optional("unit of the number", "0.1 °C", see="times.md")
    since: str | None = optional("first version that has it", '"2.1"')
    deprecated: Deprecation | None = optional(
        "marks it as deprecated", "{since: '3.0', replaced_by: nanoseconds}", see="documentation.md#deprecated"
    )
    source: Source | None = optional(
        "where the document defines it", "{document: protocol.md, section: Entries}", see="documentation.md#source"
    )
    errata: tuple[Prose, ...] = optional(
        "one text or a list: what is wrong in the document, what is right, and how you know",
        "The table says milliseconds; the server counts in seconds.",
        (),
        key="erratum",
    )
    accepted: tuple[Acceptance, ...] = optional(
        "warnings that are intended",
        "[{rule: deprecated, reason: Old servers still send it.}]",
        (),
        see="documentation.md#accept",
        key="accept",
    )

    @property
    def brief(self) -> str:
        """The first sentence of the text or the title, and whether it is deprecated."""
        return self._warned(_SENTENCE.split(self.text, maxsplit=1)[0] or self.title)

    @property
    def comment(self) -> str:
        """The text, and whether it is deprecated."""
        return self._warned(self.text)

    def _warned(self, text: str) -> str:
        if self.deprecated is None:
            return text
        end = "" if not text or text[-1] in ".!?:" else "."
        return f"{text}{end} {self.deprecated}.".lstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Documented(Written):
    """Something that can have a description."""

    doc: Doc = among(without=("title", "unit"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumValue(Documented):
    """A named number, or a name for a range of numbers."""

    name: str = required("name, spelled as in the document", "NotFound")
    words: str | None = optional(
        "words of the document that are not a valid name; shown in label columns, forms, pages and Wireshark",
        "Not found",
        unset="the name",
        key="label",
    )
    value: int | None = optional("the number", "4")
    start: int | None = optional("for a range, instead of `value`: first number", "0x80", key="from")
    end: int | None = optional("for a range: last number", "0xff", key="to")

    @property
    def label(self) -> str:
        """The label, or the name without one."""
        return self.name if self.words is None else self.words

    @property
    def range(self) -> bool:
        return self.value is None

    @property
    def first(self) -> int:
        """The number, or the first of the range; a missing end is the same as the other."""
        if self.value is not None:
            return self.value
        return self.start if self.start is not None else self.end or 0

    @property
    def last(self) -> int:
        """The number, or the last of the range."""
        return self.first if self.value is not None or self.end is None else self.end


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
class Flag(Documented):
    """A named bit."""

    name: str = required("name, spelled as in the document", "Disk")
    words: str | None = optional(
        "words of the document that are not a valid name", "on disk", unset="the name", key="label"
    )
    value: int = required("value of the bit, a power of two", "0x02")

    @property
    def label(self) -> str:
        """The label, or the name without one."""
        return self.name if self.words is None else self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags(Documented):
    """A set of flags: bits with names. Bits without a name are kept."""

    name: str = required("name, in `CamelCase`", "Option")
    values: tuple[Flag, ...] = required("the named bits", "[{name: Disk, value: 0x02}]", see="enums.md#a-flag")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableField(Documented):
    """A field of a FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema", "hp")
    type: str = required("`u8`, `u16`, `u32`, `u64`, `i8` … `i64`, `f32`, `f64`, `bool` or `text`", "i16")
    id: int = required("slot in the vtable, counted from 0", "0")
    said: Literal | None = optional(
        "value if the field is not stored", "100", unset="0, `false` or null", key="default"
    )

    @property
    def default(self) -> Literal | None:
        """The value that readers get if the field is not stored."""
        if self.said is not None or self.type == "text":
            return self.said
        return False if self.type == "bool" else 0.0 if self.type.startswith("f") else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Documented):
    """A FlatBuffers table."""

    name: str = required("name in the FlatBuffers schema", "Monster")
    fields: tuple[TableField, ...] = required("the table's fields", "[{name: hp, type: i16, id: 0}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(Documented):
    """A worked example, which is run as a test."""

    name: str = required("what it shows", "Ten degrees below zero")
    data: bytes = required(
        "the whole record; blanks, line breaks and `# comments` are ignored", '"5e 02 0001 61"', key="hex"
    )
    parameters: Mapping[str, Literal] = optional("values of parameters", "{is_wide: true}", None, unset="the defaults")
    decoded: Mapping[str, object] = optional(
        "values that it must decode to, all or some; bytes as hex", "{kind: 2, text: a}", None
    )
    malformed: str | None = optional(
        "instead of `decoded`: error code that it must be malformed with", "checksum", see="errors.md"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FormEntry(Documented):
    """One key of a textual form's object."""

    key: str = required("the key", "partVersion")
    field: str | None = optional(
        "the field whose value it has; a path into structs is null if a struct is", "part.version"
    )
    notation: str = optional(
        "`value`; `label`: the label; `text`: bytes as UTF-8; `base64_57`: Base64"
        " with a line feed after every 57 bytes; `signed`: a `u32` whose highest bit is the sign",
        "text",
        "value",
        key="as",
    )
    const: str | None = optional("instead of `field`: a constant text", "PLAIN")
    omit: str = optional(
        "when the key is left out: `never`; `absent`: if null; `false`: if null or false", "absent", "never"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Documented):
    """A textual form of a message: one JSON object per line."""

    name: str = required("name, in `snake_case`", "json")
    style: str = required("`json_lines`", "json_lines")
    reads: bool = optional("`false`: lines are written, not read", "false", True)
    entries: tuple[FormEntry, ...] = required(
        "keys of the object, in the order written",
        "[{key: kind, field: kind, as: label}]",
        see="json-forms.md#an-entry",
    )
