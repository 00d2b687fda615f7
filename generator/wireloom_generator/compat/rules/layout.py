"""Changes of the layout: fields, sections and padding."""

from collections.abc import Iterator
from functools import partial

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import Kept, LayoutPair
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Carrier, Guard, Leaf, Presence
from wireloom_generator.problems import counted


def field_added(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        carving = Carving(pair)
        for leaf in pair.added:
            if isinstance(leaf.node, model.Computed):
                yield Change(leaf.path, "added, computed from existing values", NEITHER)
            elif carving.from_number(leaf):
                yield Change(leaf.path, "added for bits that had another name", NEITHER)
            elif carving.from_reserved(leaf) and isinstance(leaf.node, model.Field | model.BitField):
                what = "added in reserved bits or bytes, which are 0 in old records"
                yield Change(leaf.path, what, NEITHER if walks.may_be_zero(leaf.node) else BACKWARD)
            elif isinstance(leaf.node, model.Named):
                yield _added(pair, leaf)


def _added(pair: LayoutPair, leaf: Leaf) -> Change:
    section = leaf.place[-1] if leaf.place else ""
    kept = pair.old.keeps.get(section) if _is_last(pair, leaf) else None
    old_records = NEITHER if leaf.optional and _is_last(pair, leaf) else BACKWARD
    old_decoders = FORWARD if kept is None else NEITHER
    what = "added, optional" if leaf.optional else "added"
    if kept is not None:
        what += f"; old decoders keep its bytes in {kept}"
    elif old_decoders and not old_records:
        what += "; old decoders have no place for its bytes"
    hint = "with optional: true, old records may lack it" if old_records and kept is not None else ""
    return Change(leaf.path, what, old_records | old_decoders, hint)


def _is_last(pair: LayoutPair, leaf: Leaf) -> bool:
    """Whether nothing known to old decoders comes after it in its section, or was in its place."""
    replaces = any(other.place == leaf.place for other in pair.removed)
    return not replaces and all(other in pair.added for other in pair.new.behind(leaf))


def field_removed(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        carving = Carving(pair)
        for leaf in pair.removed:
            if isinstance(leaf.node, model.Computed):
                yield Change(leaf.path, "no longer computed", BACKWARD)
            elif carving.given_away(leaf):
                yield Change(leaf.path, "no longer reserved; all of it has names", NEITHER)
            elif carving.into_number(leaf):
                yield Change(leaf.path, "its bits now have another name", BACKWARD)
            elif isinstance(leaf.node, model.Named):
                hint = "reserved: true keeps its place" if not leaf.optional else ""
                is_last = all(other in pair.removed for other in pair.old.behind(leaf))
                replaced = any(other.place == leaf.place for other in pair.added)
                breaks = BACKWARD if leaf.optional and is_last and not replaced else BOTH
                yield Change(leaf.path, "removed", breaks, hint)


def field_moved(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            what = _moved(pair, kept)
            if what and not carving.shrunk(kept.old, kept.new):
                yield Change(kept.new.path, what, BOTH)


def _moved(pair: LayoutPair, kept: Kept) -> str:
    """How it has moved, in words; empty if it has not, or if another rule reports it."""
    place = tuple(pair.renamed.get(name, name) for name in kept.old.place)
    match kept.old.carrier, kept.new.carrier:
        case (model.Computed(), _) | (_, model.Computed()) | (model.Padding(), _):
            return ""
        case BitLeaf(shift=before), BitLeaf(shift=after) if before != after and not kept.moved:
            return f"moved from bit {before} to bit {after}"
    if place != kept.new.place:
        return f"moved from {_section(kept.old.place)} to {_section(kept.new.place)}"
    return "moved past other fields" if kept.moved else ""


def _section(place: tuple[str, ...]) -> str:
    return f"section {place[-1]}" if place else "the header"


def place_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.fields(comparison):
        if not pair.same(old.place, new.place):
            yield Change(kept.new.path, walks.was(_place(old), _place(new)), BOTH)
        elif old.shared is not new.shared:
            whose = "are now shared" if new.shared else "are no longer shared"
            yield Change(kept.new.path, f"its bytes {whose}", BOTH)


def _place(field: model.Field) -> str:
    return "in sequence" if field.place is None else f"at `{field.place.text}`"


def condition_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept in walks.kept(comparison):
        old, new = _conditions(kept.old), _conditions(kept.new)
        if len(old) != len(new) or not all(map(partial(_same_guard, pair), old, new)):
            yield Change(kept.new.path, walks.was(_presence(old), _presence(new)), BOTH)


def _conditions(leaf: Leaf) -> tuple[Guard, ...]:
    return tuple(guard for guard in leaf.guards if guard.presence is not Presence.OPTIONAL)


def _same_guard(pair: LayoutPair, old: Guard, new: Guard) -> bool:
    """Whether two guards hold for the same records."""
    return (
        old.presence is new.presence
        and pair.same(old.condition, new.condition)
        and len(old.otherwise) == len(new.otherwise)
        and all(map(pair.same, old.otherwise, new.otherwise))
    )


def _presence(guards: tuple[Guard, ...]) -> str:
    return f"present {' and '.join(map(str, guards)) or 'always'}"


def optional_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept in walks.kept(comparison):
        if kept.old.optional is kept.new.optional:
            continue
        if _may_be_empty(kept.old.carrier):
            yield Change(kept.new.path, f"{_now(kept)}: empty values become absent, or the reverse", BOTH)
        elif kept.old.optional:
            yield Change(kept.new.path, f"{_now(kept)}: records without it are malformed", BACKWARD)
        else:
            yield Change(kept.new.path, f"{_now(kept)}: old decoders reject records without it", FORWARD)


def _now(kept: Kept) -> str:
    return "now optional" if kept.new.optional else "now mandatory"


def _may_be_empty(carrier: Carrier) -> bool:
    """Whether it may take no bytes even where it is present, and then be absent if it is optional."""
    match carrier:
        case model.Field(shared=True):
            return False
        case model.Field(size=None) | model.Section() | model.Computed():
            return True
        case model.Field() | model.Padding() | model.Slot() | BitLeaf():
            return False


def section_changed(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case (model.Section() | model.Slot()) as old, (model.Section() | model.Slot()) as new:
                    yield from _resized_section(pair, kept.new.path, old, new)
        yield from (Change(leaf.path, "section removed", BOTH) for leaf in pair.removed if _is_section(leaf))
        yield from (Change(leaf.path, "section added", BOTH) for leaf in pair.added if _is_section(leaf))


def _resized_section(
    pair: LayoutPair, path: str, old: model.Region, new: model.Section | model.Slot
) -> Iterator[Change]:
    if not pair.same_extent(old.extent, new.extent):
        yield Change(path, f"section {walks.was(words.extent(old.extent), words.extent(new.extent))}", BOTH)
    if old.trailing and not new.trailing:
        yield Change(path, f"bytes left over were kept in {old.trailing}, are now malformed", BACKWARD)
    elif new.trailing and not old.trailing:
        yield Change(path, f"bytes left over were malformed, are now kept in {new.trailing}", FORWARD)


def _is_section(leaf: Leaf) -> bool:
    return isinstance(leaf.carrier, model.Region)


def padding_changed(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case model.Padding() as old, model.Padding() as new if not _same_padding(pair, old, new):
                    yield Change(kept.new.path, f"padding {walks.was(_padding(old), _padding(new))}", BOTH)
                case model.Padding(), model.Padding() if kept.moved:
                    yield Change(kept.new.path, "padding moved past other fields", BOTH)
                case model.Padding(), model.Field() as field:
                    what = "was padding; old decoders reject values other than 0"
                    yield Change(kept.new.path, what, FORWARD if walks.may_be_zero(field) else BOTH)
                case model.Field() as field, model.Padding():
                    what = "is now padding; values other than 0 are malformed"
                    yield Change(kept.old.path, what, BACKWARD if walks.may_be_zero(field) else BOTH)
        for leaf in pair.removed:
            if isinstance(leaf.carrier, model.Padding):
                yield Change(leaf.path, f"padding of {_padding(leaf.carrier)} removed", BOTH)
        for leaf in pair.added:
            if isinstance(leaf.carrier, model.Padding):
                yield Change(leaf.path, f"padding of {_padding(leaf.carrier)} added", BOTH)


def _same_padding(pair: LayoutPair, old: model.Padding, new: model.Padding) -> bool:
    return (old.align, old.start) == (new.align, new.start) and pair.same(old.size, new.size)


def _padding(padding: model.Padding) -> str:
    if padding.align == 1:
        return f"{padding.size.text} bytes" if padding.fixed is None else counted(padding.fixed, "byte")
    return f"up to a multiple of {padding.align}" + (f" from {padding.start}" if padding.start else "")
