"""Two versions of a protocol with all their elements in pairs, for the rules."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from wireloom_generator import model
from wireloom_generator.compat import surface
from wireloom_generator.compat.alignment import LayoutPair, align
from wireloom_generator.compat.surface import same


class HasName(Protocol):
    """An element with a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=HasName)


@dataclass(frozen=True, slots=True)
class Pairs(Generic[T]):
    """Elements of one kind: those of both versions, only of the old one, and only of the new one."""

    kept: tuple[tuple[T, T], ...]
    removed: tuple[T, ...]
    added: tuple[T, ...]


@dataclass(frozen=True)
class MessagePair:
    """A message of both versions. ``layouts`` are the pairs for each variant, and for records without one."""

    old: model.Message
    new: model.Message
    variants: Pairs[model.Variant]
    layouts: tuple[LayoutPair, ...]

    @property
    def renamed(self) -> Mapping[str, str]:
        """The new names of fields by their old ones."""
        return {name: now for layout in self.layouts for name, now in layout.renamed.items()}

    def same(self, old: model.Condition | None, new: model.Condition | None) -> bool:
        """Whether two conditions on the whole message mean the same, except for changed names."""
        return same(old, new, self.renamed)


@dataclass(frozen=True)
class Comparison:
    """Two versions of a protocol. If it is ``gone``, the old version is also used as the new one."""

    old: model.Protocol
    new: model.Protocol
    gone: bool = False

    @cached_property
    def header(self) -> LayoutPair:
        """The record's header."""
        return align(surface.record(self.old), surface.record(self.new), {})

    @cached_property
    def structs(self) -> tuple[LayoutPair, ...]:
        """The shared structs of both versions, and what captures begin with."""
        pairs = by_name(_structs(self.old), _structs(self.new))
        return tuple(self._struct(one, other) for one, other in pairs.kept)

    @cached_property
    def paired_messages(self) -> Pairs[model.Message]:
        """The messages in pairs; two with the same match and the same fields are one message, renamed."""
        return _renamed(by_name(_declared(self.old), _declared(self.new)), self._is_renamed)

    @cached_property
    def messages(self) -> tuple[MessagePair, ...]:
        """The messages of both versions."""
        return tuple(self._message(one, other) for one, other in self.paired_messages.kept)

    @cached_property
    def layouts(self) -> tuple[LayoutPair, ...]:
        """Every pair of layouts."""
        return (self.header, *self.structs, *(pair for message in self.messages for pair in message.layouts))

    @cached_property
    def enums(self) -> Pairs[model.Enum]:
        """The enums."""
        return by_name(self.old.enums, self.new.enums)

    @cached_property
    def flags(self) -> Pairs[model.Flags]:
        """The sets of flags."""
        return by_name(self.old.flags, self.new.flags)

    @cached_property
    def tables(self) -> Pairs[model.Table]:
        """The FlatBuffers tables."""
        return by_name(self.old.tables, self.new.tables)

    @cached_property
    def parameters(self) -> Pairs[model.Parameter]:
        """The parameters, and what the header of a capture says of its records."""
        return by_name(self.old.parameters, self.new.parameters)

    @property
    def lengths_by_message(self) -> bool:
        """Whether the old version can find the length only of records that match one of its messages."""
        return bool(self.old.match)

    def match_of(self, old: model.Message) -> model.Match:
        """What selects a message of the old version, with the new names of header fields."""
        return {self.header.renamed.get(name, name): values for name, values in old.match.items()}

    def _struct(self, old: model.Struct, new: model.Struct) -> LayoutPair:
        """A struct's own names hide those of the header."""
        before, after = surface.struct(self.old, old), surface.struct(self.new, new)
        own = {leaf.name for leaf in before.leaves}
        return align(before, after, {name: now for name, now in self.header.renamed.items() if name not in own})

    def _is_renamed(self, old: model.Message, new: model.Message) -> bool:
        return _values(self.match_of(old)) == _values(new.match) and all(
            pair.alike for pair in self._message(old, new).layouts
        )

    def _message(self, old: model.Message, new: model.Message) -> MessagePair:
        variants = _renamed(by_name(old.variants, new.variants), lambda one, other: same(one.when, other.when, {}))
        layouts = (
            align(surface.filling(self.old, old, one), surface.filling(self.new, new, other), self.header.renamed)
            for one, other in _layout_pairs(old, new, variants)
        )
        return MessagePair(old, new, variants, tuple(layouts))


def _layout_pairs(
    old: model.Message, new: model.Message, variants: Pairs[model.Variant]
) -> Iterator[tuple[model.Variant | None, model.Variant | None]]:
    """Which layouts the same record has in both versions.

    A message that had no variants had one layout, which every variant it has now may have to read; and the other way.
    """
    yield from variants.kept
    if not old.variants or not new.variants:
        yield from ((None, variant) for variant in variants.added)
        yield from ((variant, None) for variant in variants.removed)
    if not _covers(old) and not _covers(new):
        yield None, None


def _covers(message: model.Message) -> bool:
    """Whether one of the variants is always chosen."""
    return bool(message.variants) and message.variants[-1].when is None


def _declared(protocol: model.Protocol) -> tuple[model.Message, ...]:
    """The messages that the spec declares; the built-in one for unknown records has no path."""
    return tuple(message for message in protocol.messages if message.path is not None)


def _values(match: model.Match) -> Mapping[str, frozenset[model.Selector]]:
    return {name: frozenset(values) for name, values in match.items()}


def by_name(old: Iterable[T], new: Iterable[T]) -> Pairs[T]:
    """The elements in pairs of the same name."""
    before, after = {item.name: item for item in old}, {item.name: item for item in new}
    return Pairs(
        tuple((item, after[key]) for key, item in before.items() if key in after),
        tuple(item for key, item in before.items() if key not in after),
        tuple(item for key, item in after.items() if key not in before),
    )


def _renamed(pairs: Pairs[T], is_renamed: Callable[[T, T], bool]) -> Pairs[T]:
    """The pairs, with renamed elements among those that are kept."""
    kept, added = list(pairs.kept), list(pairs.added)
    for item in pairs.removed:
        match = next((other for other in added if is_renamed(item, other)), None)
        if match is not None:
            kept.append((item, match))
            added.remove(match)
    gone = tuple(item for item in pairs.removed if all(item is not old for old, _ in kept))
    return Pairs(tuple(kept), gone, tuple(added))


def _structs(protocol: model.Protocol) -> tuple[model.Struct, ...]:
    return (*protocol.structs, *(() if protocol.capture is None else (protocol.capture,)))
