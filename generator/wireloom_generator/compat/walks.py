"""Selections from a comparison that several rules use."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from wireloom_generator import model
from wireloom_generator.compat.alignment import Kept, LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Side
from wireloom_generator.compat.comparison import Comparison, MessagePair, by_name
from wireloom_generator.compat.surface import Leaf
from wireloom_generator.expressions import conditions

N = TypeVar("N", model.EnumValue, model.Flag)

Valued = model.Field | model.BitField
"""The nodes with a value that is read from bytes."""


def kept(comparison: Comparison) -> Iterator[tuple[LayoutPair, Kept]]:
    """The leaves of both versions."""
    for pair in comparison.layouts:
        yield from ((pair, leaf) for leaf in pair.kept)


def fields(comparison: Comparison) -> Iterator[tuple[LayoutPair, Kept, model.Field, model.Field]]:
    """The fields of both versions that are read from bytes, without bit fields."""
    for pair, leaf, old, new in values(comparison):
        if isinstance(old, model.Field) and isinstance(new, model.Field):
            yield pair, leaf, old, new


def values(comparison: Comparison) -> Iterator[tuple[LayoutPair, Kept, Valued, Valued]]:
    """The fields of both versions that are read from bytes, with bit fields."""
    for pair, leaf in kept(comparison):
        old, new = leaf.old.node, leaf.new.node
        if isinstance(old, Valued) and isinstance(new, Valued):
            yield pair, leaf, old, new


def messages(comparison: Comparison) -> Iterator[tuple[str, MessagePair]]:
    """The messages of both versions, each with its path."""
    return ((f"{comparison.new.name}.{pair.new.name}", pair) for pair in comparison.messages)


@dataclass(frozen=True, slots=True)
class NumberNames(Generic[N]):
    """The names that an enum or a set of flags gives to numbers.

    ``reused`` are numbers that had a name that is gone, and have a new one.
    """

    path: str
    old: tuple[N, ...]
    new: tuple[N, ...]
    kept: tuple[tuple[N, N], ...]
    reused: tuple[tuple[N, N], ...]
    removed: tuple[N, ...]
    added: tuple[N, ...]


def enum_values(comparison: Comparison) -> Iterator[NumberNames[model.EnumValue]]:
    """The values of the enums of both versions."""
    for old, new in comparison.enums.kept:
        yield _names(
            f"{comparison.new.name}.{new.name}", old.values, new.values, lambda value: (value.first, value.last)
        )


def flags(comparison: Comparison) -> Iterator[NumberNames[model.Flag]]:
    """The flags of the sets of both versions."""
    for old, new in comparison.flags.kept:
        yield _names(f"{comparison.new.name}.{new.name}", old.values, new.values, lambda flag: flag.value)


def _names(path: str, old: tuple[N, ...], new: tuple[N, ...], number: Callable[[N], object]) -> NumberNames[N]:
    pairs = by_name(old, new)
    gone, come = {number(item): item for item in pairs.removed}, {number(item): item for item in pairs.added}
    return NumberNames(
        path,
        old,
        new,
        pairs.kept,
        tuple((item, come[key]) for key, item in gone.items() if key in come),
        tuple(item for key, item in gone.items() if key not in come),
        tuple(item for key, item in come.items() if key not in gone),
    )


def labelled(values: Sequence[model.EnumValue], number: int) -> model.EnumValue | None:
    """The value that names a number, or else the narrowest range that does."""
    fitting = [value for value in values if value.first <= number <= value.last]
    return min(fitting, key=lambda value: (value.range, value.last - value.first), default=None)


def relabelled(
    old: Sequence[model.EnumValue], new: Sequence[model.EnumValue]
) -> Iterator[tuple[model.EnumValue, model.EnumValue, int]]:
    """Each old and new value with different names for the same number, with the first such number."""
    seen = set()
    for number in sorted({end for value in (*old, *new) for end in (value.first, value.last, value.last + 1)}):
        before, after = labelled(old, number), labelled(new, number)
        if before and after and before.name != after.name and (before, after) not in seen:
            seen.add((before, after))
            yield before, after, number


def may_be_zero(field: Valued) -> bool:
    """Whether nothing restricts the field's value, so that 0 is allowed."""
    is_sum = isinstance(field, model.Field) and field.checksum is not None
    return field.valid is None and field.derive is None and not is_sum and not field.const


def enum_of(leaf: Leaf) -> str | None:
    """The enum of the leaf."""
    return leaf.node.enum if isinstance(leaf.node, model.Named) else None


def never_together(one: model.Condition | None, other: model.Condition | None) -> bool:
    """Whether the conditions of two variants provably never hold for the same record; no condition always holds."""
    return one is not None and other is not None and conditions.disjoint(one.expression, other.expression)


def restricted(old: object, new: object) -> frozenset[Side]:
    """Whom a changed requirement breaks: old records if it is new, old decoders if it is gone, else both."""
    if old is None:
        return BACKWARD
    return FORWARD if new is None else BOTH


def narrowed(old: model.Condition | None, new: model.Condition | None) -> frozenset[Side]:
    """As ``restricted``, for conditions. If one implies the other, records that meet the narrower are not broken."""
    if old is not None and new is not None:
        grown = conditions.implies(old.expression, new.expression)
        shrunk = conditions.implies(new.expression, old.expression)
        if grown or shrunk:
            return (BACKWARD if not grown else NEITHER) | (FORWARD if not shrunk else NEITHER)
    return restricted(old, new)


def was(old: object, new: object) -> str:
    """``was 1, is 2``; nothing is ``none``."""
    return f"was {_shown(old)}, is {_shown(new)}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "none"
        case model.Condition(text=text):
            return f"`{text}`"
        case bool():
            return str(value).lower()
        case bytes():
            return value.hex()
        case _:  # any other value
            return str(value)
