"""The meaning of a spec: names resolved, defaults filled in, sizes and columns computed.

Rules check it, and emitters see nothing else. Classes are frozen; alternatives are unions, for ``match``.
"""

from wireloom_generator.model.declarations import FoundInCapture, Included, Parameter, Sourced
from wireloom_generator.model.matching import Between, Match, Selector
from wireloom_generator.model.nodes import (
    MOST_RESERVED,
    Alternative,
    BitField,
    Bits,
    Choice,
    Computed,
    Field,
    Instant,
    Named,
    Node,
    Ordered,
    Otherwise,
    Padding,
    Region,
    Repeat,
    Section,
    Slot,
    Struct,
    When,
    bit_type,
)
from wireloom_generator.model.protocol import (
    Answers,
    Beginning,
    BitSlice,
    Framed,
    Lengths,
    Message,
    Probe,
    Proof,
    Protocol,
    Record,
    Variant,
)
from wireloom_generator.model.resolved import Declarations, Resolved
from wireloom_generator.model.walking import (
    Elsewhere,
    Tail,
    asks_input,
    children,
    derived_from,
    exhausting,
    exhausts,
    field_at,
    grouped,
    leaves,
    lists,
    may_have_empty_items,
    numbered,
    space,
    space_inside,
    taken,
    takes_rest,
    walk,
)
from wireloom_generator.model.wires import (
    BetweenFlags,
    ByteRange,
    Checksum,
    Condition,
    End,
    Escapes,
    Extent,
    Fields,
    Order,
    Prefix,
    Rest,
    Size,
    Terminator,
    Through,
    Wire,
    hexadecimal,
)
from wireloom_generator.reading.declarations import (
    Deprecation,
    Doc,
    Enum,
    EnumValue,
    Example,
    Flag,
    Flags,
    Form,
    FormEntry,
    Table,
    TableField,
)
from wireloom_generator.reading.written import Prose
from wireloom_generator.types.columns import U64, Column, ColumnType, Decimal, ListType, Primitive, StructType
