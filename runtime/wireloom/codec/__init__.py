"""Building blocks of generated parsers, and the errors that they raise. Needs only construct.

Generated modules are made of construct's own fields and of these; ``Protocol`` turns them into rows.
"""

from wireloom.characters import CharacterSet
from wireloom.codec.answers import Answers
from wireloom.codec.ascii import Ascii
from wireloom.codec.bcd import Bcd
from wireloom.codec.bit_slice import BitSlice
from wireloom.codec.bits import Bit, BitList, Bits, BitText
from wireloom.codec.character_sets import PackedText
from wireloom.codec.checksums import Checksum, Crc, Joined
from wireloom.codec.columns import Column, ListOf, StructOf
from wireloom.codec.computed import Compute
from wireloom.codec.ends import Padded, Until
from wireloom.codec.envelopes import EndedByAny, Flagged
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.escapes import EscapePairs
from wireloom.codec.fields import Boolean, EitherOrder, Field, WordSwapped
from wireloom.codec.flatbuffers import FlatBuffer, Table, TableField
from wireloom.codec.framing import Framing
from wireloom.codec.headed import Fields, Headed
from wireloom.codec.ibm import IbmFloat
from wireloom.codec.labels import WireEnum, WireFlags
from wireloom.codec.layout import Layout, With
from wireloom.codec.lengths import BetweenFlags, Everything, Lengths, Terminated
from wireloom.codec.lists import Repeat
from wireloom.codec.matching import Between
from wireloom.codec.meanings import (
    As,
    DecimalMeaning,
    DoubleMeaning,
    DurationMeaning,
    Ipv4Meaning,
    Ipv6Meaning,
    MacMeaning,
    TimestampMeaning,
    UuidMeaning,
)
from wireloom.codec.message import Message, Record, Slot, Variant
from wireloom.codec.packed import Packed, Through, Unpack
from wireloom.codec.parameter_discovery import FoundParameter
from wireloom.codec.parts import Choice, Optional, Ordered, Pad, Section, When
from wireloom.codec.pointers import Elsewhere
from wireloom.codec.protocol import Protocol
from wireloom.codec.recursion import Deeper, recursive
from wireloom.codec.signs import OffsetBinary, SignMagnitude, TwosComplement
from wireloom.codec.sized import SizedInteger
from wireloom.codec.text_forms import Form, FormEntry, Forms
from wireloom.codec.transforms import Compressing, Rol, Unescape, Xor, Zeros
from wireloom.codec.values import Blob, Constant, Nested, Prefixed, Rest, Size, Text
from wireloom.codec.varints import Leb128, Protobuf, Quic, SignedLeb128, Vlq, ZigZag
from wireloom.codec.zoned import Zoned
from wireloom.expressions import Expression, PerItem
from wireloom.options import Parameter

__all__ = [
    "Answers",
    "As",
    "Ascii",
    "Bcd",
    "Between",
    "BetweenFlags",
    "Bit",
    "BitList",
    "BitSlice",
    "BitText",
    "Bits",
    "Blob",
    "Boolean",
    "CharacterSet",
    "Checksum",
    "Choice",
    "Column",
    "Compressing",
    "Compute",
    "Constant",
    "Crc",
    "DecimalMeaning",
    "DecodeError",
    "Deeper",
    "DoubleMeaning",
    "DurationMeaning",
    "EitherOrder",
    "Elsewhere",
    "EncodeError",
    "EndedByAny",
    "EscapePairs",
    "Everything",
    "Expression",
    "Field",
    "Fields",
    "Flagged",
    "FlatBuffer",
    "Form",
    "FormEntry",
    "Forms",
    "FoundParameter",
    "Framing",
    "Headed",
    "IbmFloat",
    "Ipv4Meaning",
    "Ipv6Meaning",
    "Joined",
    "Layout",
    "Leb128",
    "Lengths",
    "ListOf",
    "MacMeaning",
    "Message",
    "Nested",
    "OffsetBinary",
    "Optional",
    "Ordered",
    "Packed",
    "PackedText",
    "Pad",
    "Padded",
    "Parameter",
    "PerItem",
    "Prefixed",
    "Protobuf",
    "Protocol",
    "Quic",
    "Record",
    "Repeat",
    "Rest",
    "Rol",
    "Section",
    "SignMagnitude",
    "SignedLeb128",
    "Size",
    "SizedInteger",
    "Slot",
    "StructOf",
    "Table",
    "TableField",
    "Terminated",
    "Text",
    "Through",
    "TimestampMeaning",
    "TwosComplement",
    "Unescape",
    "Unpack",
    "Until",
    "UuidMeaning",
    "Variant",
    "Vlq",
    "When",
    "WireEnum",
    "WireFlags",
    "With",
    "WordSwapped",
    "Xor",
    "Zeros",
    "ZigZag",
    "Zoned",
    "recursive",
]
