"""What generated plans are made of, in one place."""

from wireloom.columnar.bcd import Bcd
from wireloom.columnar.fields import Checksum, Field, Number
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
    "Section",
    "Size",
    "Slot",
    "Text",
    "Until",
    "Variant",
    "When",
    "ZigZag",
]
