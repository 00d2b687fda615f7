"""The files of a spec, and what only they hold."""

from collections.abc import Mapping
from dataclasses import dataclass

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.syntax.declarations import Documented, Enum, Expression, Flags, Hex, Table
from wireloom_generator.reading.syntax.entries import Entry, Matched
from wireloom_generator.reading.vocabulary import NOTATIONS, OMITTED, listed
from wireloom_generator.reading.written import Written, optional, required


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct(Documented):
    """A shared struct."""

    name: str = required("CamelCase name")
    given: tuple[str, ...] = optional("names of values that whoever uses it gives it", ())
    depth: int | None = optional("of one that contains itself: how many are inside each other")
    byte_order: Expression | None = optional("big or little; by default that of what it is in")
    fields: tuple[Entry, ...] = required("its fields")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Written):
    """Where captures tell a parameter themselves."""

    message: str = required("the message that tells it")
    has: Mapping[str, tuple[Matched, ...]] = required("a field of it, and the values by which the parameter is true")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Documented):
    """A fact that is not in the bytes; the reader gives it."""

    name: str = required("snake_case name")
    type: str = required("bool, text or an integer type")
    default: Literal = required("value when the reader gives none")
    choices: tuple[str, ...] = optional("of text: the values it can have", ())
    column: bool = optional("true: the value in force is a column of each row", False)
    found: Told | None = optional("of bool: the message by which captures tell it, if no reader gives it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof(Written):
    """What must hold before a record's length is believed."""

    valid: Expression | None = optional("a condition on fields at fixed offsets")
    checksum: str | None = optional("a checksum field that must be right")
    doubt: Expression | None = optional("a record of which this is true is believed only if another follows it")


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
    record: Record | None = optional("the header and the sections of every record; a library may have it instead")


@dataclass(frozen=True, slots=True, kw_only=True)
class Library(Shared):
    """Declarations for several protocols."""

    library: str = required("snake_case name, that of its folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol(Shared):
    """A protocol: what its messages share."""

    protocol: str = required("snake_case name, that of its folder")
    byte_order: Expression = required("big, little, the parameter that says, or an expression for it")
    ports: tuple[int, ...] = optional("the ports, of TCP or UDP, at which its servers usually listen", ())
    parameters: tuple[Parameter, ...] = optional("facts that are not in the bytes", ())
    capture: Capture | None = optional("what stands once at the start of a capture")
    messages: tuple[str, ...] = optional("messages of imported libraries that it has, too", ())


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
    field: str | None = optional("the field it holds, or one inside a struct: payload.data")
    notation: str = optional(listed(NOTATIONS, default=True), "value", key="as")
    const: str | None = optional("the text it always holds")
    omit: str = optional(f"left out when: {listed(OMITTED, default=True)}", "never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Documented):
    """A textual form of the message, one JSON object a line."""

    name: str = required("snake_case name")
    style: str = required("json_lines")
    reads: bool = optional("whether lines can be read", True)
    entries: tuple[FormEntry, ...] = required("its keys, in the order written")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Written):
    """Which requests a message answers."""

    to: tuple[str, ...] = optional("the messages that it answers; otherwise all that no other says it answers", ())
    by: tuple[str, ...] = required("the fields in which a request and its answer are equal")
    quiet: Mapping[str, tuple[Matched, ...]] = optional("values of these fields: such requests mostly have none", None)
    more: tuple[str, ...] = optional("the variants behind which another answer to the same request comes", ())


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
    answers: Answers | None = optional("which requests it answers")


File = Protocol | Library | Message
"""What a spec file is; told by its first key."""
