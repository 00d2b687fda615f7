"""Changes of the values that fields may have, and of where these come from."""

from collections.abc import Iterator
from functools import partial

from wireloom_generator import model
from wireloom_generator.compat import tables, walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change, Side
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.expressions import Conditional, Value
from wireloom_generator.types.meanings import Meaning


def constant_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept, old, new in walks.values(comparison):
        if old.const != new.const:
            yield Change(
                kept.new.path, f"constant {walks.was(old.const, new.const)}", walks.restricted(old.const, new.const)
            )


def default_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.values(comparison):
        follows = any(kind(old) and kind(new) for kind in (_is_zeros, _selects, _is_of_time))
        if not pair.same(old.default, new.default) and not follows:
            breaks = NEITHER if old.default is None else BACKWARD
            yield Change(kept.new.path, f"default {walks.was(old.default, new.default)}", breaks)
    yield from _selected(comparison)


def _selects(field: walks.Valued) -> bool:
    """Whether its default follows from what alternatives match, which is compared elsewhere."""
    default = field.default
    return default is not None and not default.is_written and isinstance(default.expression, Conditional)


def _is_of_time(field: walks.Valued) -> bool:
    """Whether its default is what a time says, of which the fields are compared elsewhere."""
    return field.default is not None and field.default.is_of_time


def _is_zeros(field: walks.Valued) -> bool:
    """Whether it is bytes without a meaning, which are zeros unless they are given."""
    value = field.default.expression if field.default is not None else None
    return field.reserved and isinstance(value, Value) and isinstance(value.value, bytes)


def _selected(comparison: Comparison) -> Iterator[Change]:
    """Messages that are written with another of their values."""
    for path, pair in walks.messages(comparison):
        before = comparison.match_of(pair.old)
        for name, values in pair.new.match.items():
            earlier, now = _first_selector(before.get(name, ())), _first_selector(values)
            if name in before and earlier != now:
                what = f"default of {name} {walks.was(earlier, now)}"
                yield Change(path, what, BACKWARD)


def _first_selector(selectors: tuple[model.Selector, ...]) -> str:
    """What is written for a field that selects, unless it is given."""
    first = next(iter(selectors), None)
    return "none" if first is None or isinstance(first, model.Between) else words.selector(first)


def derivation_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.values(comparison):
        if not pair.same(old.derive, new.derive):
            what = f"derivation {walks.was(old.derive, new.derive)}"
            yield Change(kept.new.path, what, walks.restricted(old.derive, new.derive))
    for path, message in walks.messages(comparison):
        earlier = {comparison.header.renamed.get(name, name): value for name, value in message.old.derive.items()}
        for name in dict.fromkeys([*earlier, *message.new.derive]):
            before, after = earlier.get(name), message.new.derive.get(name)
            if not message.same(before, after):
                what = f"derivation of {name} {walks.was(before, after)}"
                yield Change(path, what, walks.restricted(before, after))


def computed_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept in walks.kept(comparison):
        match kept.old.carrier, kept.new.carrier:
            case model.Computed() as old, model.Computed() as new:
                if not pair.same(old.value, new.value):
                    yield Change(kept.new.path, walks.was(old.value, new.value), BOTH)
                before, after = old.columns[0].type, new.columns[0].type
                if before != after:
                    yield Change(kept.new.path, f"its type {walks.was(before, after)}", _computed_breaks(before, after))


def _computed_breaks(old: model.ColumnType, new: model.ColumnType) -> frozenset[Side]:
    """A result that does not fit is malformed: old decoders reject some results of a wider type."""
    if tables.widens(old, new):
        return FORWARD
    return BACKWARD if tables.widens(new, old) else BOTH


def range_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept in walks.kept(comparison):
        before, after = kept.old.node, kept.new.node
        if not isinstance(before, model.Named) or not isinstance(after, model.Named):
            continue
        if not pair.same(before.valid, after.valid):
            what = f"valid {walks.was(before.valid, after.valid)}"
            yield Change(kept.new.path, what, walks.narrowed(before.valid, after.valid))
    for _, kept, old, new in walks.values(comparison):
        match old, new:
            case model.Field(long=False), model.Field(long=True):
                yield Change(kept.new.path, "numbers from 2^63 up are malformed now", BACKWARD)
            case model.Field(long=True), model.Field(long=False) if old.wire == new.wire:
                yield Change(kept.new.path, "numbers from 2^63 up are no longer malformed", FORWARD)


def checksum_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.fields(comparison):
        one, other = old.checksum, new.checksum
        if one is None or other is None:
            if one is not other:
                breaks = walks.restricted(one, other)
                yield Change(kept.new.path, f"checksum {walks.was(_checksum(one), _checksum(other))}", breaks)
        elif one.kind != other.kind or not _same_bytes(pair, one, other):
            yield Change(kept.new.path, f"checksum {walks.was(_checksum(one), _checksum(other))}", BOTH)


def _same_bytes(pair: LayoutPair, old: model.Checksum, new: model.Checksum) -> bool:
    return len(old.over) == len(new.over) and all(map(partial(_same_piece, pair), old.over, new.over))


def _same_piece(pair: LayoutPair, old: model.ByteRange | bytes, new: model.ByteRange | bytes) -> bool:
    if isinstance(old, bytes) or isinstance(new, bytes):
        return old == new
    return pair.same(old.start, new.start) and pair.same(old.end, new.end)


def _checksum(checksum: model.Checksum | None) -> str | None:
    if checksum is None:
        return None
    pieces = (f"over `{piece.hex()}`" if isinstance(piece, bytes) else piece.text for piece in checksum.over)
    return f"{checksum.algorithm} {', '.join(pieces)}"


def meaning_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept in walks.kept(comparison):
        old, new = kept.old.node, kept.new.node
        if isinstance(old, model.Named) and isinstance(new, model.Named) and old.meaning != new.meaning:
            yield Change(kept.new.path, walks.was(_meaning(old.meaning), _meaning(new.meaning)), BOTH)


def _meaning(meaning: Meaning | None) -> str:
    return "the plain number" if meaning is None else meaning.notation
