"""What the parts of protocols consist of that can be read many records at once: contents, sizes and names.

It needs neither numpy nor pyarrow. ``rowwise`` says what of it is left to the codec all the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from construct import BytesInteger, FormatField

from wireloom.codec import (
    As,
    Ascii,
    Bits,
    Blob,
    Boolean,
    Checksum,
    Choice,
    Constant,
    EitherOrder,
    Elsewhere,
    Everything,
    Field,
    Joined,
    Layout,
    Lengths,
    Nested,
    Optional,
    Ordered,
    Packed,
    Pad,
    Padded,
    Prefixed,
    Repeat,
    Rest,
    Section,
    Size,
    Slot,
    Terminated,
    Text,
    Unpack,
    Until,
    When,
    With,
    raw,
)
from wireloom.codec.computed import Computed
from wireloom.codec.flatbuffers import Encoded
from wireloom.codec.layout import Lone, Part
from wireloom.codec.runs import Run
from wireloom.codec.values import Scalar
from wireloom.expressions.tree import Value

CONTENTS: dict[type, Callable[[Any], Iterable[object]]] = {
    Bits: lambda part: [field for _, field, _, _ in part.fields],
    Run: lambda part: [field for _, field in part.fields],
    Choice: lambda part: part.alternatives,
    Computed: lambda part: [part.compute.value],
    Elsewhere: lambda part: [part.at, part.content],
    Encoded: lambda part: [part.encoding.extent],
    Layout: lambda part: part.steps,
    Lone: lambda part: [part.field, part.subcon],
    Optional: lambda part: [part.content],
    Ordered: lambda part: [part.little, part.content],
    Pad: lambda part: [part.extent],
    Unpack: lambda part: [part.content],
    Section: lambda part: [part.extent, part.content],
    Slot: lambda part: [part.extent, part.content],
    When: lambda part: [part.condition, part.content],
    # values
    As: lambda value: [value.subcon],
    Ascii: lambda value: [value.extent],
    Blob: lambda value: [value.extent],
    Boolean: lambda value: [],
    BytesInteger: lambda value: [],
    Constant: lambda value: [],
    EitherOrder: lambda value: [],
    FormatField: lambda value: [],
    Nested: lambda value: [value.extent, value.layout],
    Packed: lambda value: [value.extent, value.value],
    Repeat: lambda value: [value.count, value.item, value.until],
    Text: lambda value: [value.extent],
    With: lambda value: [value.layout, *value.values.values()],
    # extents
    Padded: lambda extent: [extent.size],
    Prefixed: lambda extent: [extent.length],
    Rest: lambda extent: [],
    Size: lambda extent: [extent.size],
    Until: lambda extent: [],
}
"""The contents of each kind of part, value and extent that can be read many records at once; scalars have none."""

_CONDITIONS: Mapping[type, Callable[[Any], Iterable[object]]] = {
    **dict.fromkeys(
        (Checksum, Joined),
        lambda checksum: [bound for piece in checksum.over if isinstance(piece, tuple) for bound in piece],
    ),
    Field: lambda field: [field.valid, field.derive, field.checksum],
    Everything: lambda lengths: [lengths.valid],
    Terminated: lambda lengths: [],
    Lengths: lambda lengths: [
        lengths.length,
        lengths.valid,
        *lengths.doubts,
        lengths.checksum and lengths.checksum[1],
        lengths.place,
        lengths.rest,
    ],
}
"""The same for conditions, and for the lengths of records."""


_FIXED: Mapping[type, Callable[[Any], bool]] = {
    Bits: lambda part: True,
    Run: lambda part: True,
    Choice: lambda part: False,
    Computed: lambda part: True,
    Elsewhere: lambda part: True,
    Encoded: lambda part: False,
    Layout: lambda part: all(map(is_fixed, part.steps)),
    Lone: lambda part: is_fixed(part.subcon),
    Optional: lambda part: False,
    Ordered: lambda part: is_fixed(part.content),
    Pad: lambda part: part.align == 1 and is_fixed(part.extent),
    Unpack: lambda part: False,
    Section: lambda part: is_fixed(part.extent),
    Slot: lambda part: is_fixed(part.extent),
    When: lambda part: False,
    # values
    As: lambda value: is_fixed(value.subcon),
    Ascii: lambda value: is_fixed(value.extent),
    Blob: lambda value: is_fixed(value.extent),
    Boolean: lambda value: True,
    BytesInteger: lambda value: True,
    Constant: lambda value: True,
    EitherOrder: lambda value: True,
    FormatField: lambda value: True,
    Nested: lambda value: is_fixed(value.extent),
    Packed: lambda value: is_fixed(value.extent),
    Repeat: lambda value: value.count is not None and isinstance(value.count.tree, Value) and is_fixed(value.item),
    Text: lambda value: is_fixed(value.extent),
    With: lambda value: is_fixed(value.layout),
    # extents
    Padded: lambda extent: isinstance(extent.size.size, int),
    Prefixed: lambda extent: False,
    Rest: lambda extent: False,
    Size: lambda extent: isinstance(extent.size, int),
    Until: lambda extent: False,
}
"""Whether one of each kind in ``CONTENTS`` always has the same size; scalars say it themselves."""

_NAMES: Mapping[type, Callable[[Any], str]] = {
    Bits: lambda part: str(part.name),
    Choice: lambda part: name_of(part.alternatives[0]),
    Computed: lambda part: str(part.name),
    Elsewhere: lambda part: part.name,
    Encoded: lambda part: str(part.name),
    Lone: lambda part: str(part.name),
    Optional: lambda part: "what may be missing",
    Ordered: lambda part: f"what is little endian if {part.little.written}",
    Pad: lambda part: "padding",
    Unpack: lambda part: str(part.name),
    Section: lambda part: str(part.name),
    Slot: lambda part: str(part.name),
    When: lambda part: f"what depends on {part.condition.written}",
}
"""What the parts of layouts among ``CONTENTS`` are called in messages."""


def read_with_raw(value: object) -> bool:
    """Whether a value is read for many records at once together with the bytes for its ``raw`` column."""
    return isinstance(value, raw.Value) and value.read_with_raw


def readable() -> frozenset[type]:
    """All that can be read many records at once."""
    return frozenset((*CONTENTS, *Scalar.__subclasses__()))


def within(parts: Iterable[object], seen: set[int] | None = None) -> Iterator[object]:
    """Parts and everything inside them, each once, without those already ``seen``."""
    seen = set() if seen is None else seen
    for part in parts:
        if part is not None and id(part) not in seen:
            seen.add(id(part))
            yield part
            yield from within(contents(part) or (), seen)


def contents(part: object) -> Iterable[object] | None:
    """The contents of a part; None for an unknown part."""
    found = CONTENTS.get(type(part)) or _CONDITIONS.get(type(part))
    return None if found is None else found(part)


def name_of(part: object) -> str:
    """The name of a part in messages."""
    if isinstance(part, Elsewhere):
        return part.name
    name = _NAMES.get(type(part))
    return f"a {type(part).__name__}" if name is None else name(part)


def is_fixed(part: object) -> bool:
    """Whether a part always has the same size; what only the codec reads counts as varying."""
    if isinstance(part, Scalar):
        return part.size is not None
    fixed = _FIXED.get(type(part))
    return fixed is not None and fixed(part)


def _unlike() -> frozenset[type]:
    """The kinds in ``CONTENTS`` but not in the other tables, or the reverse."""
    parts = {kind for kind in CONTENTS if issubclass(kind, Part)}
    return frozenset((_FIXED.keys() ^ CONTENTS.keys()) | (_NAMES.keys() ^ parts))


if _unlike():
    raise TypeError(f"not in all tables of contents: {', '.join(sorted(kind.__name__ for kind in _unlike()))}")
