"""Which parts of a protocol only the codec reads, and why. The rest is read in bulk.

This is the only place that decides it: ``columnar.readers`` reads all ``contents`` without a reason here;
``wireloom check --explain`` and the docs list the rest. It needs neither numpy nor pyarrow.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from wireloom.characters import characters
from wireloom.codec import (
    Bits,
    Column,
    Compressing,
    Elsewhere,
    Everything,
    Field,
    Headed,
    Layout,
    ListOf,
    Message,
    Nested,
    Packed,
    Padded,
    Protocol,
    Repeat,
    Rol,
    Section,
    Size,
    Slot,
    StructOf,
    Terminated,
    Text,
    Unpack,
    Variant,
    With,
    Xor,
    Zeros,
)
from wireloom.codec.chains import Holds, chain
from wireloom.codec.columns import ColumnType, is_whole
from wireloom.codec.computed import Computed
from wireloom.codec.headed import HeadItem
from wireloom.codec.layout import Lone, Part
from wireloom.codec.lengths import Ends
from wireloom.codec.runs import Run
from wireloom.codec.values import Ended, Scalar
from wireloom.contents import contents, is_fixed, name_of, read_with_raw, within
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name, Origin, Value
from wireloom.expressions.unvectorised import Strange, items_of, reason
from wireloom.expressions.words import numbered, words

Left = tuple[str, str]
"""A field or section that is left to the codec, and why."""


class Account(NamedTuple):
    """How a protocol's records are read.

    ``left`` are the parts of each message that are left to the codec. ``varying`` are the lists whose items may differ
    in size, so they must be read one after another. ``kept`` are columns for bytes that values do not determine; a
    record with such bytes is left to the codec. So is one whose bytes for one of ``gaps`` are in several places, and
    one with more items than bytes in one of the ``hollow`` lists. Records are ``chained`` if their lengths are sums of
    numbers, before which only numbers vary in size, or if they end at a terminator or are all there is.
    """

    left: Mapping[str, tuple[Left, ...]]
    varying: tuple[str, ...]
    kept: tuple[str, ...]
    gaps: tuple[str, ...]
    hollow: tuple[str, ...]
    chained: bool


def account(protocol: Protocol) -> Account:
    """How the records of a protocol are read."""
    judge = Judge.of(protocol)
    shared = tuple(judge.left_in(protocol.record.head, *protocol.record.tail))
    left = {
        message.name: tuple(dict.fromkeys((*shared, *Judge.of(protocol, message).left_of(message))))
        for message in protocol.records.values()
    }
    alone = [part for part in within(_layouts(protocol)) if isinstance(part, Lone)]
    lists = [part for part in alone if isinstance(part.subcon, Repeat)]
    hollow = dict.fromkeys(part.name for part in lists if part.subcon.hollow)
    varying = dict.fromkeys(part.name for part in lists if part.subcon.until or not _alike(part.subcon))
    chained = all(map(_is_chained, protocol.framing.lengths))
    kept = dict.fromkeys(part.field.raw for part in alone if part.field.raw and not read_with_raw(part.subcon))
    return Account(left, tuple(varying), tuple(kept), tuple(_gaps(protocol)), tuple(hollow), chained)


def _is_chained(ends: Ends) -> bool:
    """Whether records can be followed by their lengths, whatever parameters choose between."""
    choices: tuple[Holds, ...] = (lambda _: True, lambda _: False)
    return isinstance(ends, Everything | Terminated) or all(chain(ends, holds) is not None for holds in choices)


def _gaps(protocol: Protocol) -> Iterator[str]:
    """The columns of bytes that are left over in sections with fields at offsets."""
    anywhere = any(map(is_scattered, protocol.records.values()))
    for part in within(_layouts(protocol)):
        if isinstance(part, Section) and ((anywhere and isinstance(part, Slot)) or _has(Elsewhere, part.content)):
            yield from [part.trailing] if part.trailing else []


def _has(kind: type, *parts: object) -> bool:
    """Whether such a part is among some, or inside them."""
    return any(isinstance(part, kind) for part in within(parts))


class Judge(NamedTuple):
    """Decides which parts can be read in bulk.

    ``strange`` are the columns whose values are not whole numbers.
    """

    strange: Mapping[str, Strange]

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, protocol: Protocol, message: Message | None = None) -> "Judge":
        """The judge of one of a protocol's messages, or of the parts that all of them share. A name that is strange
        anywhere in them counts as strange everywhere; names of messages are not fields.
        """
        found: dict[str, Strange] = {}
        messages = protocol.messages.values() if message is None else (message,)
        for name, kind in _strange((*protocol.header, *(column for each in messages for column in each.columns))):
            found[name] = kind if found.get(name, kind) is kind else Strange.OTHER
        return cls(found)

    def reason(self, part: object) -> str | None:
        """Why only the codec can read a part, apart from the layouts inside it; None if there is no reason."""
        match part:
            case Expression():
                return reason(part.tree, self.strange)
            case Layout() | Scalar() | None | int():
                return None
            case Bits(size=size) if size > 8:
                return "its integer has more than 64 bits"
            case Text(encoding=encoding) if encoding != "utf-8" and characters(encoding) is None:
                return f"it is text in {encoding}, whose characters have several bytes"
            case Padded(size=Size(size=Expression())):
                return "it may be shorter than its size, which varies"
            case Computed(compute=compute) if compute.type != "boolean" and not is_whole(compute.type):
                return "it is computed and not a whole number"
            case Repeat(item=Ended() | Nested() as item) if _asks_left(item.extent):
                return "the size of each item depends on the bytes left after the previous one"
            case Repeat(at=Expression()):
                return "its items are at offsets"
            case Repeat(until=Expression() as until, item=item) if _asks_around(until, item):
                return "its last item is determined by a size or a place, or by the parameters of a nested struct"
            case Lone(field=Field(watched=True), subcon=Packed()):
                return "an expression uses a place in packed bytes"
            case With():
                return next(
                    filter(None, (self.reason(each) for each in part.values.values() if not self._text(each))), None
                )
            case Packed() | Unpack() if (why := self._packed(part)) is not None:
                return why
        if (inside := contents(part)) is None:
            return f"nothing reads a {type(part).__name__} in many records at once"
        return next(filter(None, map(self.reason, inside)), None)

    def _text(self, asked: Expression) -> bool:
        """Whether it is a text, or bytes."""
        if not isinstance(asked.tree, Name) or asked.tree.item is not None:
            return False
        return self.strange.get(asked.tree.steps[-1]) is Strange.TEXT

    def _packed(self, part: Packed | Unpack) -> str | None:
        """Why only the codec can read what is packed."""
        if (why := self._way(part)) is not None:
            return why
        if isinstance(part, Unpack) and part.follows:
            return "derived values are packed"
        return self._places(part)

    def _way(self, part: Packed | Unpack) -> str | None:
        """Why only the codec can unpack it."""
        match part.through.way, part.through.way.asked.tree:
            case Compressing(), tree:
                if (why := reason(numbered(tree, words(tree)), self.strange)) is not None:
                    return why
            case (Rol() | Zeros(), Value(int())) | (Xor(), Value(bytes())):
                pass
            case Xor(asked=key), _:
                if (why := self.reason(key)) is not None:
                    return why
            case _:
                return f"{part.through.way.asked.written} varies between records"
        return None

    def _places(self, part: Packed | Unpack) -> str | None:
        """Why only the codec knows where something is that expressions in it ask for."""
        inside = part.content if isinstance(part, Unpack) else part.value
        if _has(Elsewhere, inside):
            return "it contains fields at offsets"
        known = part.names if isinstance(part, Unpack) else ()
        if any(name.origin is Origin.RECORD or not (own or name.steps[0] in known) for name, own in _places(inside)):
            return "an expression in it uses a size or a place outside"
        return None

    def _whole(self, valid: Expression | None, name: str) -> Iterator[Left]:
        """The conditions of a whole record that only the codec can check."""
        if why := self.reason(valid):
            yield name, why

    def left_of(self, message: Message) -> Iterator[Left]:
        """The parts of a message that are left to the codec, without those of every record."""
        yield from self.left_in(*message.sections.values())
        why = self.variants(message.variants)
        if why is not None:
            yield "variant", why
            return
        for variant in message.variants:
            yield from self.left_in(*variant.sections.values())
            yield from self._whole(variant.valid, "valid")
        yield from self._whole(message.valid, "valid")
        yield from self._whole(message.otherwise, "otherwise")

    def ends(self, ends: Ends) -> str | None:
        """Why only the codec can find the end of records."""
        if not isinstance(ends, Headed):
            return self.reason(ends)
        steps = [item.step for item in ends.items if isinstance(item, HeadItem) and item.within is None]
        if any(isinstance(part, Elsewhere | Repeat) for part in within(steps)):
            return "it depends on a list, or on a field at an offset"
        slots = [item.step.extent for item in ends.items if isinstance(item, HeadItem) and isinstance(item.step, Slot)]
        left = (self.reason(part) for part in (ends.length, ends.valid, *slots))
        return next(filter(None, (*left, *(why for _, why in self.left_in(*steps)))), None)

    def variants(self, variants: Iterable[Variant]) -> str | None:
        """Why only the codec can select variants."""
        return next(filter(None, (self.reason(variant.when) for variant in variants)), None)

    def left_in(self, *parts: object) -> Iterator[Left]:
        """What of some parts is left to the codec."""
        for part in parts:
            if isinstance(part, Layout):
                yield from self.left_in(*part.steps)
            elif isinstance(part, Run):
                yield from ((name, why) for name, field in part.fields if (why := self.reason(field)))
            elif why := self.reason(part):
                yield name_of(part), why
            else:
                yield from self.left_in(*_inside(part))


def _inside(part: object) -> Iterator[Layout]:
    """The outermost layouts inside a part."""
    for content in contents(part) or ():
        if isinstance(content, Layout):
            yield content
        else:
            yield from _inside(content)


def _places(part: object, *, own: bool = False) -> Iterator[tuple[Name, bool]]:
    """The names whose size or place expressions in a part use, and whether they are a struct's ``own``, which
    sees nothing
    around it.
    """
    if isinstance(part, Expression):
        yield from ((name, own) for place, name in part.mentions if place)
    holds_values = isinstance(part, Lone) or not isinstance(part, Part)
    for each in contents(part) or ():
        yield from _places(each, own=own or (holds_values and isinstance(each, Layout)))


def measured(protocol: Protocol) -> frozenset[str]:
    """The fields and sections whose places expressions use, with the paths that lead to them from outside."""
    asking = (each for each in _expressions(protocol) if each.asks_place)
    asked = {name.name for each in asking for place, name in each.mentions if place}
    return frozenset(".".join(steps[at:]) for steps in (name.split(".") for name in asked) for at in range(len(steps)))


def unpacks(protocol: Protocol) -> bool:
    """Whether records can have much more in their values than their bytes, as these are unpacked."""
    return any(isinstance(part, Packed | Unpack) for part in within(_layouts(protocol)))


def _expressions(protocol: Protocol) -> Iterator[Expression]:
    """All expressions used when records are read."""
    for message in protocol.records.values():
        yield from filter(None, (message.valid, message.otherwise))
        for variant in message.variants:
            yield from filter(None, (variant.when, variant.valid))
    for part in within(_layouts(protocol)):
        if isinstance(part, Expression):
            yield part


def _layouts(protocol: Protocol) -> Iterator[object]:
    """The layouts of records: the record's parts, and those of messages and variants."""
    yield from (protocol.record.head, *protocol.record.tail)
    for message in protocol.records.values():
        yield from _layouts_of(message)


def _layouts_of(message: Message) -> Iterator[Layout]:
    """Those of a message and its variants."""
    yield from message.sections.values()
    for variant in message.variants:
        yield from variant.sections.values()


def is_scattered(message: Message) -> bool:
    """Whether a message has fields at offsets."""
    return _has(Elsewhere, *_layouts_of(message))


def _strange(columns: Iterable[Column]) -> Iterator[tuple[str, Strange]]:
    for column in columns:
        match column.type:
            case "string" | "binary":
                yield column.name, Strange.TEXT
            case "float" | "double":
                yield column.name, Strange.FLOAT
            case ListOf(element=element):
                yield column.name, Strange.OTHER
                if element != "boolean" and (not isinstance(element, str) or not is_whole(element)):
                    yield items_of(column.name), Strange.OTHER
            case StructOf():
                yield column.name, Strange.OTHER
            case kind if kind != "boolean" and not is_whole(kind):
                yield column.name, Strange.OTHER
        yield from _strange(_inner(column.type))


def _inner(kind: ColumnType) -> tuple[Column, ...]:
    match kind:
        case ListOf(element=element):
            return _inner(element)
        case StructOf(columns=columns):
            return columns
        case str():
            return ()


def _alike(items: Repeat) -> bool:
    """Whether the items of one list all have the same size."""
    item = items.item
    sized = isinstance(item, Ended | Nested) and isinstance(item.extent, Size)
    return is_fixed(item) or (sized and not items.numbered)


def _asks_left(extent: object) -> bool:
    """Whether a size depends on how many bytes are left."""
    return isinstance(extent, Size) and extent.asks_left


def _asks_around(until: Expression, item: object) -> bool:
    """Whether an expression about an item uses more than its values and its parameters."""
    given = any(name.origin is Origin.INPUT for name in until.names)
    return (given and not isinstance(item, With)) or any(place for place, _ in until.mentions)
