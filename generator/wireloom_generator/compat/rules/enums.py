"""Changes of the names that enums and flags give to numbers."""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Change, Side
from wireloom_generator.compat.comparison import Comparison


def enum_removed(comparison: Comparison) -> Iterator[Change]:
    name = comparison.old.name
    yield from (Change(f"{name}.{enum.name}", "enum removed", BACKWARD) for enum in comparison.enums.removed)
    yield from (Change(f"{name}.{flags.name}", "flags removed", BACKWARD) for flags in comparison.flags.removed)


def enum_value_added(comparison: Comparison) -> Iterator[Change]:
    for names in walks.enum_values(comparison):
        for value in names.added:
            label = walks.labelled(names.old, value.first) if not value.range else None
            what = f"added; {value.first} was labelled {label.name}" if label else "added"
            yield Change(f"{names.path}.{value.name}", what, BOTH if label else NEITHER)


def enum_value_removed(comparison: Comparison) -> Iterator[Change]:
    for names in walks.enum_values(comparison):
        for value in names.removed:
            label = walks.labelled(names.new, value.first)
            what = f"removed; {value.first} is now labelled {label.name}" if label else "removed; its label is now null"
            yield Change(f"{names.path}.{value.name}", what, BOTH if label else BACKWARD)


def enum_value_renumbered(comparison: Comparison) -> Iterator[Change]:
    for names in walks.enum_values(comparison):
        for old, new in names.kept:
            if _numbers(old) != _numbers(new):
                yield Change(
                    f"{names.path}.{new.name}", walks.was(_shown(old), _shown(new)), _renumbering_breaks(old, new)
                )


def _numbers(value: model.EnumValue) -> tuple[int, int, bool]:
    return value.first, value.last, value.range


def _renumbering_breaks(old: model.EnumValue, new: model.EnumValue) -> frozenset[Side]:
    """A range only labels numbers, so readers are affected only by numbers that it loses."""
    if not (old.range and new.range):
        return BOTH
    return NEITHER if new.first <= old.first and old.last <= new.last else BACKWARD


def _shown(value: model.EnumValue) -> str:
    return f"{value.first} to {value.last}" if value.range else str(value.first)


def enum_value_reused(comparison: Comparison) -> Iterator[Change]:
    for names in walks.enum_values(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the number of {old.name}, {new.first}", BOTH)
        for old, new, number in walks.relabelled(names.old, names.new):
            if old.range and new.range and (old, new) not in names.reused:
                yield Change(f"{names.path}.{new.name}", f"{number} was labelled {old.name}", BOTH)
    yield from _of_other_enums(comparison)


def _of_other_enums(comparison: Comparison) -> Iterator[Change]:
    """Numbers of fields that now have another enum with other names for them."""
    before = {enum.name: enum.values for enum in comparison.old.enums}
    after = {enum.name: enum.values for enum in comparison.new.enums}
    for _, kept in walks.kept(comparison):
        one, other = walks.enum_of(kept.old), walks.enum_of(kept.new)
        if one is None or other is None or one == other:
            continue
        for old, new, number in walks.relabelled(before[one], after.get(other, ())):
            yield Change(kept.new.path, f"{number} was {old.name}, is {new.name}", BOTH)


def flag_added(comparison: Comparison) -> Iterator[Change]:
    for names in walks.flags(comparison):
        yield from (Change(f"{names.path}.{flag.name}", "added", NEITHER) for flag in names.added)


def flag_removed(comparison: Comparison) -> Iterator[Change]:
    for names in walks.flags(comparison):
        for flag in names.removed:
            yield Change(f"{names.path}.{flag.name}", "removed; the bit no longer has a name", BACKWARD)


def flag_renumbered(comparison: Comparison) -> Iterator[Change]:
    for names in walks.flags(comparison):
        for old, new in names.kept:
            if old.value != new.value:
                yield Change(f"{names.path}.{new.name}", walks.was(f"{old.value:#x}", f"{new.value:#x}"), BOTH)


def flag_bit_reused(comparison: Comparison) -> Iterator[Change]:
    for names in walks.flags(comparison):
        for old, new in names.reused:
            yield Change(f"{names.path}.{new.name}", f"has the bit of {old.name}, {new.value:#x}", BOTH)
    before = {flags.name: flags.values for flags in comparison.old.flags}
    after = {flags.name: flags.values for flags in comparison.new.flags}
    for _, kept, one, other in walks.fields(comparison):
        if one.flags is None or other.flags is None or one.flags == other.flags:
            continue
        names_now = {flag.value: flag.name for flag in after.get(other.flags, ())}
        for flag in before[one.flags]:
            now = names_now.get(flag.value, flag.name)
            if now != flag.name:
                yield Change(kept.new.path, f"{flag.value:#x} was {flag.name}, is {now}", BOTH)


def label_changed(comparison: Comparison) -> Iterator[Change]:
    yield from _changed(walks.enum_values(comparison))
    yield from _changed(walks.flags(comparison))


def _changed(found: Iterable[walks.NumberNames[walks.N]]) -> Iterator[Change]:
    for names in found:
        for old, new in names.kept:
            if old.label != new.label:
                yield Change(f"{names.path}.{new.name}", walks.was(repr(old.label), repr(new.label)), BOTH)


def labelling_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept in walks.kept(comparison):
        old, new = _named(kept.old.node), _named(kept.new.node)
        if old != new:
            breaks = BACKWARD if old is not None else NEITHER
            yield Change(kept.new.path, walks.was(_in_words(old), _in_words(new)), breaks)


def _named(node: model.Named | model.Padding | model.Region) -> tuple[str, bool] | None:
    """The enum or the flags, and whether there is a column of labels."""
    if isinstance(node, model.Named) and node.enum is not None:
        return f"the enum {node.enum}", node.labels
    if isinstance(node, model.Field) and node.flags is not None:
        return f"the flags {node.flags}", node.labels
    return None


def _in_words(named: tuple[str, bool] | None) -> str:
    if named is None:
        return "without names"
    names, labels = named
    return f"named by {names}" if labels else f"named by {names}, only in Python"
