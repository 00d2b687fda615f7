"""What generated plans are made of, in one place."""

from wireloom.columnar.bcd import Bcd
from wireloom.columnar.fields import Checksum, Field, Number, Rule
from wireloom.columnar.flatbuffers import FlatBuffer
from wireloom.columnar.framing import Framing, Lengths
from wireloom.columnar.lists import Repeat
from wireloom.columnar.messages import Message, Plan, Record, Variant
from wireloom.columnar.parts import (
    Bit,
    Bits,
    Choice,
    Compute,
    Fallback,
    Layout,
    Named,
    Optional,
    Pad,
    Section,
    Slot,
    When,
)
from wireloom.columnar.values import (
    Blob,
    Constant,
    Leb128,
    Nested,
    Prefixed,
    Rest,
    Size,
    Text,
    Until,
    ZigZag,
)
from wireloom.columnar.vectors import among, both, choose, either, greatest, least, negate, present

__all__ = [
    "Bcd",
    "Bit",
    "Bits",
    "Blob",
    "Checksum",
    "Choice",
    "Compute",
    "Constant",
    "Fallback",
    "Field",
    "FlatBuffer",
    "Framing",
    "Layout",
    "Leb128",
    "Lengths",
    "Message",
    "Named",
    "Nested",
    "Number",
    "Optional",
    "Pad",
    "Plan",
    "Prefixed",
    "Record",
    "Repeat",
    "Rest",
    "Rule",
    "Section",
    "Size",
    "Slot",
    "Text",
    "Until",
    "Variant",
    "When",
    "ZigZag",
    "among",
    "both",
    "choose",
    "either",
    "greatest",
    "least",
    "negate",
    "present",
]
