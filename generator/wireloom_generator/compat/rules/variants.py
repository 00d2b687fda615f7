"""Changes of the variants of messages."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change, Side
from wireloom_generator.compat.comparison import Comparison, MessagePair
from wireloom_generator.expressions import conditions


def variant_added(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        if not pair.old.variants:
            continue  # what the message was is compared with each of them
        for variant in pair.variants.added:
            closed = [section for section in variant.sections if section not in pair.old.trailing]
            if closed:
                what = f"variant added; old decoders have no place for its bytes in {', '.join(closed)}"
                yield Change(f"{path}.{variant.name}", what, FORWARD)
            else:
                kept = "; old decoders keep its bytes in the trailing columns" if variant.sections else ""
                yield Change(f"{path}.{variant.name}", f"variant added{kept}", NEITHER)


def variant_removed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        for variant in pair.variants.removed:
            taking = [new.name for new in pair.new.variants if not walks.never_together(variant.when, new.when)]
            if taking:
                yield Change(
                    f"{path}.{variant.name}", f"variant removed; its records can become {' or '.join(taking)}", BOTH
                )
            else:
                yield Change(f"{path}.{variant.name}", "variant removed; its records are no longer decoded", BACKWARD)


def variant_renamed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        for old, new in pair.variants.kept:
            if old.name != new.name:
                yield Change(f"{path}.{new.name}", f"was {old.name}", BOTH)


def variant_reordered(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        place = {id(variant): index for index, variant in enumerate(pair.new.variants)}
        for index, (_, first) in enumerate(pair.variants.kept):
            for _, second in pair.variants.kept[index + 1 :]:
                if place[id(second)] < place[id(first)] and not walks.never_together(first.when, second.when):
                    yield Change(f"{path}.{second.name}", f"is now tried before {first.name}, and both can hold", BOTH)


def variant_shadowed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        kept = {id(new) for _, new in pair.variants.kept}
        for index, variant in enumerate(pair.new.variants):
            if id(variant) in kept or not pair.old.variants:
                continue
            for later in pair.new.variants[index + 1 :]:
                if id(later) in kept and not walks.never_together(variant.when, later.when):
                    yield Change(
                        f"{path}.{variant.name}", f"can take records of {later.name}, which is tried later", BOTH
                    )


def variant_condition_changed(comparison: Comparison) -> Iterator[Change]:
    for path, pair in walks.messages(comparison):
        for old, new in pair.variants.kept:
            if not pair.same(old.when, new.when):
                yield Change(
                    f"{path}.{new.name}", f"condition {walks.was(old.when, new.when)}", _breaks(pair, old, new)
                )


def _breaks(pair: MessagePair, old: model.Variant, new: model.Variant) -> frozenset[Side]:
    """Who is broken: only one side if one condition implies the other, unless a later variant is affected."""
    if old.when is None or new.when is None:
        return BOTH
    behind = [variant.when for variant in pair.new.variants[pair.new.variants.index(new) + 1 :]]
    for wider, narrower, breaks in ((new.when, old.when, FORWARD), (old.when, new.when, BACKWARD)):
        apart = (walks.never_together(wider, other) for other in behind)
        if conditions.implies(narrower.expression, wider.expression) and all(apart):
            return breaks
    return BOTH
