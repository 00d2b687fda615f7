"""The files of a spec and their top-level declarations."""

from collections.abc import Mapping
from dataclasses import dataclass

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.declarations import Doc, Documented, Enum, Example, Flags, Form, Table
from wireloom_generator.reading.syntax.entries import Entry, Matched
from wireloom_generator.reading.syntax.fields import Escapes
from wireloom_generator.reading.written import Expression, Written, among, optional, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct(Documented):
    """A type: a struct with a name."""

    name: str = required("name, in `CamelCase`", "Point")
    given: tuple[str, ...] = optional(
        "parameters that each field of this type must pass under `with`",
        "[width, has_mark]",
        (),
        see="structs.md#type-parameters-given-and-with",
    )
    depth: int | None = optional(
        "of a type that contains itself, required: how many inside each other have columns, 1 to 32",
        "8",
        see="recursion.md",
    )
    limit: int | None = optional(
        "of a type that contains itself: how many may be inside each other, up to 64; it is at least the `depth`",
        "32",
        unset="64",
        see="recursion.md#deeper-values",
    )
    byte_order: Expression | None = optional(
        "`big`, `little` or an expression that does not use the type's own fields",
        "little",
        unset="that of its surroundings",
        see="byte-order.md",
    )
    fields: tuple[Entry, ...] = required("its fields", "[{name: x, type: i16}, {name: y, type: i16}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level(Struct):
    """One level of the recursive type ``of``. Made by ``unrolling``, never written in a spec."""

    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInCapture(Written):
    """How the capture itself sets a parameter."""

    message: str = required("the message that sets it", "hello")
    has: Mapping[str, tuple[Matched, ...]] = required(
        "a field of that message, and the values that make the parameter true; in a list, one matching item is enough",
        "{features.feature: Wide}",
        see="messages.md#match",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Documented):
    """A parameter: a fact that is not in the bytes."""

    name: str = required("name, in `snake_case`; readers pass it as an option of this name", "is_wide")
    type: str = required("`bool`, `text`, or an integer type from `u8` to `u64` or `i8` to `i64`", "bool")
    default: Literal = required("value if none is given", "false")
    choices: tuple[str, ...] = optional("of `text`: the allowed values", "[old, new]", (), unset="any text")
    column: bool = optional(
        "`true`: the byte order in use is a column of each row, and encoding takes it from there",
        "true",
        False,
        see="byte-order.md#a-parameter-as-byte-order",
    )
    found: FoundInCapture | None = optional(
        "of `bool`: the message that sets it if no reader does",
        "{message: hello, has: {wide: true}}",
        see="captures.md#parameters-set-by-the-capture-found",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof(Written):
    """A validity check: what must hold before a record's length is trusted."""

    valid: Expression | None = optional("condition on what the record begins with", "magic == 0x5e")
    checksum: str | None = optional("a checksum field that must be right", "crc")
    doubt: Expression | None = optional(
        "condition on numbers at fixed offsets; if it holds, another valid record or the end of the capture must"
        " follow. Needs `resync`",
        "kind > 3",
        see="framing.md#doubt",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenFlags(Written):
    """The flags that records are between."""

    flag: bytes = required("the byte before and after each record, as hex", '"7e"')
    shared: bool = optional(
        "`true`: a record is written with a flag after it alone; the one before it is that of the record before",
        "true",
        False,
    )
    unescape: Escapes | str | None = optional(
        "escapes between the flags: `slip`, `hdlc`, `cobs`, or a mapping with `escape` and `codes`",
        "hdlc",
        see="compression.md#escapes-unescape",
    )
    raw: str = required(
        "column for the bytes of a record with other flags before it, or other escapes, than are written", "frame"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Documented):
    """The layout that every record of the protocol has."""

    fields: tuple[Entry, ...] = required(
        "fields of the header, then sections", "[{name: kind, type: u8}, {section: body, size: rest}]"
    )
    length: Expression | None = optional(
        "size of the whole record in bytes; `rest`: all bytes there are; `fields`: up to its last field",
        "4 + body_length",
        unset="`until` or `between`, or the `length` of each message",
    )
    ends: tuple[bytes, ...] | None = optional(
        "instead of `length`: terminator of each record, as hex, or a list of them",
        '"0d0a"',
        key="until",
        see="framing.md#records-that-end-at-a-terminator",
    )
    raw: str | None = optional(
        "with several terminators, or one that may be missing: column for that of a record which does not end with the"
        " first",
        "line_end",
        see="framing.md#several-terminators",
    )
    unterminated: str | None = optional(
        "with `until`: `allowed` or `malformed`: what the last record of a capture without its terminator is",
        "allowed",
        unset="`malformed`",
        see="framing.md#a-last-record-without-its-terminator",
    )
    between: BetweenFlags | None = optional(
        "instead of `length`: flags that each record is between",
        '{flag: "7e", unescape: hdlc, raw: frame}',
        see="framing.md#records-between-flags",
    )
    proof: Proof | None = optional(
        "validity check: what must hold before the length is trusted",
        "{valid: magic == 0x5e}",
        see="framing.md#validity-checks-proof",
    )
    resync: bool = optional(
        "`true`: after a record that fails its validity check, search for the next one that passes",
        "true",
        False,
        see="framing.md#resynchronisation",
    )

    @property
    def until(self) -> bytes | None:
        """The terminator that is written."""
        return self.ends[0] if self.ends else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture(Documented):
    """A header that occurs once, at the start of a capture, before all records."""

    fields: tuple[Entry, ...] = required(
        "its fields; records use their values like parameters", "[{name: version, type: u16}]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Documented):
    """A variant: one of a message's layouts."""

    doc: Doc = among(without=("unit",))
    name: str = required("name, in `snake_case`; the value of the column `variant`", "v1")
    when: Expression | None = optional(
        "condition under which a record has this layout; the first variant that matches is taken",
        "version == 1",
        unset="always",
    )
    valid: Expression | None = optional(
        "condition on a record of this layout; the record is malformed if it is false", "size(body) == 3"
    )
    sections: Mapping[str, tuple[Entry, ...]] = optional(
        "its fields by section, after those of the message", "{body: [{name: number, type: u16}]}", None
    )
    shared: bool = optional(
        "`true`: use the shared variant of this name", "true", False, see="versions.md#shared-variants"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaring(Documented):
    """What any file can declare for all messages of the protocol."""

    doc: Doc = among(without=("unit",))
    enums: tuple[Enum, ...] = optional("enums", "[{name: Kind, values: [{name: Hello, value: 1}]}]", (), see="enums.md")
    flags: tuple[Flags, ...] = optional(
        "flags", "[{name: Option, values: [{name: Wide, value: 0x40}]}]", (), see="enums.md#flags"
    )
    types: tuple[Struct, ...] = optional(
        "types: structs with a name", "[{name: Point, fields: [{name: x, type: i16}]}]", (), see="structs.md"
    )
    tables: tuple[Table, ...] = optional(
        "FlatBuffers tables", "[{name: Monster, fields: [{name: hp, type: i16, id: 0}]}]", (), see="flatbuffers.md"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Declaring):
    """What a protocol and a library can both declare."""

    imports: tuple[str, ...] = optional(
        "libraries whose declarations are used: folders beside this one", "[drawing]", ()
    )
    variants: tuple[Variant, ...] = optional(
        "variants that several messages share",
        "[{name: refused, when: status != 0}]",
        (),
        see="versions.md#shared-variants",
    )
    record: Record | None = optional(
        "the layout of every record; a protocol without one uses that of an imported library",
        "{length: rest, fields: [{section: body, size: rest}]}",
        see="framing.md#the-record",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Library(Shared):
    """A library: declarations for several protocols."""

    library: str = required("name, that of the folder", "drawing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol(Shared):
    """A protocol: what all its messages share."""

    protocol: str = required("name, that of the folder", "sensor")
    byte_order: Expression = required(
        "`big`, `little`, the name of a parameter, or an expression on the capture's header", "big", see="byte-order.md"
    )
    ports: tuple[int, ...] = optional(
        "TCP or UDP ports of its servers: which recorded packets are read by default, and where Wireshark uses the"
        " dissector",
        "[4040, 4041]",
        (),
    )
    parameters: tuple[Parameter, ...] = optional(
        "facts that are not in the bytes",
        "[{name: is_wide, type: bool, default: false}]",
        (),
        see="captures.md#parameters",
    )
    capture: Capture | None = optional(
        "a header that is once at the start of a capture, as of a file",
        "{fields: [{name: version, type: u16}]}",
        see="captures.md#headers-of-captures",
    )
    messages: tuple[str, ...] = optional(
        "messages of imported libraries that belong to it", "[hello]", (), see="files.md#messages-of-a-library"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Written):
    """Which requests a message answers."""

    to: tuple[str, ...] = optional(
        "the message or messages that it answers",
        "ask",
        (),
        unset="all that are not answers and that no other message names",
    )
    by: tuple[str, ...] = required(
        "the field or fields that are equal in a request and its answer: of the header, or of all these messages", "id"
    )
    quiet: Mapping[str, tuple[Matched, ...]] = optional(
        "values of these fields: requests that mostly stay without an answer", "{id: 0}", None, see="messages.md#match"
    )
    more: tuple[str, ...] = optional(
        "the variant or variants that another answer to the same request follows", "full", ()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Declaring):
    """A message of the protocol."""

    message: str = required("name, that of the file", "reading")
    match: Mapping[str, tuple[Matched, ...]] = required(
        "header fields and the values that select this message", "{kind: 1}", see="messages.md#match"
    )
    length: Expression | None = optional(
        "size of the whole record, if `record` has no `length`: bytes, `rest` or `fields`",
        "2 + size",
        see="messages.md#lengths-of-messages",
    )
    derive: Mapping[str, Expression] = optional(
        "header fields, and what they are derived from in this message",
        "{items_count: count(items)}",
        None,
        see="lengths.md#what-a-message-derives-in-the-header",
    )
    proof: Proof | None = optional(
        "validity check: what must hold before that length is trusted",
        "{valid: length >= 3}",
        unset="that of the record",
        see="framing.md#validity-checks-proof",
    )
    valid: Expression | None = optional(
        "condition on the whole record; the record is malformed if it is false",
        "size(body) in [1, 3]",
        see="messages.md#validity",
    )
    sections: Mapping[str, tuple[Entry, ...]] = optional(
        "its fields, by section of the record", "{body: [{name: text, type: text, size: rest}]}", None
    )
    variants: tuple[Variant, ...] = optional(
        "layouts that it can have", "[{name: v1, when: version == 1}]", (), see="versions.md#variants"
    )
    otherwise: Expression | None = optional(
        "condition on a record that has none of the variants; the record is malformed if it is false",
        "version > 2",
        see="versions.md#otherwise",
    )
    examples: tuple[Example, ...] = optional(
        "worked examples",
        "[{name: Hello, hex: 02 0001 61, decoded: {text: a}}]",
        (),
        see="documentation.md#worked-examples",
    )
    forms: tuple[Form, ...] = optional(
        "textual forms",
        "[{name: json, style: json_lines, entries: [{key: kind, field: kind}]}]",
        (),
        see="json-forms.md",
    )
    answers: Answers | None = optional(
        "which requests it answers", "{to: ask, by: id}", see="messages.md#requests-and-answers"
    )


File = Protocol | Library | Message
"""A spec file; its first key gives its kind."""
