"""What was written: the spec language's shape as frozen dataclasses, one a kind of mapping.

The annotations are the grammar: ``shape.read`` checks a file against them. What each key means is said here, once: the
JSON Schema for editors, the tables in ``docs/reference`` and the messages about missing keys are made from it.
Nothing here knows what a name refers to.
"""

from wireloom_generator.expressions import Literal
from wireloom_generator.reading.declarations import (
    Acceptance,
    Deprecation,
    Doc,
    Documented,
    Enum,
    EnumValue,
    Example,
    Flag,
    Flags,
    Form,
    FormEntry,
    Source,
    Table,
    TableField,
)
from wireloom_generator.reading.syntax.entries import (
    Align,
    Alternative,
    Between,
    BitAlternative,
    BitChoice,
    BitEntry,
    BitField,
    Bits,
    Choice,
    Entry,
    Include,
    Matched,
    Pad,
    Section,
    walk,
)
from wireloom_generator.reading.syntax.fields import (
    Checksum,
    Crc,
    Deeper,
    Duration,
    Field,
    Meaning,
    Repeat,
    Scaled,
    Summand,
    Through,
    Timestamp,
)
from wireloom_generator.reading.syntax.specs import (
    Answers,
    Capture,
    Declaring,
    File,
    Library,
    Message,
    Parameter,
    Proof,
    Protocol,
    Record,
    Shared,
    Struct,
    Told,
    Variant,
)
from wireloom_generator.reading.written import Expression
