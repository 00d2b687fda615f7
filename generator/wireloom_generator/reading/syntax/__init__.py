"""The grammar of specs as frozen dataclasses, one for each kind of mapping.

``shape.read`` checks files against the annotations. The meaning of each key is described here, once: the JSON Schema
for editors, the tables in ``docs/reference`` and messages about missing keys are generated from it. Names are not
resolved here.
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
    Bitmap,
    Bits,
    Choice,
    Entry,
    Include,
    Matched,
    OffsetBinary,
    Pad,
    Section,
    walk,
)
from wireloom_generator.reading.syntax.fields import (
    Calendar,
    Checksum,
    Crc,
    Deeper,
    Duration,
    Escapes,
    Field,
    Gps,
    Instant,
    LengthPrefix,
    Meaning,
    Ntp,
    PackedCharacters,
    Repeat,
    Scaled,
    Summand,
    Through,
    Timestamp,
)
from wireloom_generator.reading.syntax.specs import (
    Answers,
    BetweenFlags,
    Capture,
    Declaring,
    File,
    FoundInCapture,
    Level,
    Library,
    Message,
    Parameter,
    Proof,
    Protocol,
    Record,
    Shared,
    Struct,
    Variant,
)
from wireloom_generator.reading.written import Expression
