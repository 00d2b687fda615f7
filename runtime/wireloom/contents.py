"""What the parts of layouts consist of."""

from collections.abc import Iterable, Iterator

from wireloom.codec import (
    Choice,
    Elsewhere,
    Layout,
    Nested,
    Optional,
    Ordered,
    Packed,
    Protocol,
    Repeat,
    Section,
    Slot,
    Unpack,
    When,
    With,
)
from wireloom.codec.layout import Lone


def parts_of(protocol: Protocol) -> Iterator[object]:
    """All parts of a protocol's records, and the values in them."""
    layouts: list[object] = [protocol.record.head, *protocol.record.tail]
    for message in protocol.records.values():
        layouts += message.sections.values()
        for variant in message.variants:
            layouts += variant.sections.values()
    return within(layouts)


def within(parts: Iterable[object], seen: set[int] | None = None) -> Iterator[object]:
    """Parts and everything inside them, each once, without those already ``seen``."""
    seen = set() if seen is None else seen
    for part in parts:
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            yield from within(_contents(part), seen)


def _contents(part: object) -> Iterable[object]:
    match part:
        case Layout():
            return part.steps
        case Choice():
            return part.alternatives
        case Elsewhere() | Optional() | Ordered() | Section() | Slot() | Unpack() | When():
            return (part.content,)
        case Lone():
            return (part.subcon,)
        case Nested() | With():
            return (part.layout,)
        case Packed():
            return (part.value,)
        case Repeat():
            return (part.item,)
    return ()
