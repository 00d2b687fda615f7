"""Two layouts side by side: which leaf of the new one corresponds to each leaf of the old one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wireloom_generator import model
from wireloom_generator.compat.surface import BitLeaf, Leaf, Leaves, same


@dataclass(frozen=True, slots=True)
class Kept:
    """A leaf that both layouts have; ``moved`` if its order among these has changed."""

    old: Leaf
    new: Leaf
    moved: bool = False

    @property
    def renamed(self) -> bool:
        """Whether its name has changed. Padding has no name, so it is not renamed if it becomes a field, or the
        reverse.
        """
        is_padding = any(isinstance(leaf.carrier, model.Padding) for leaf in (self.old, self.new))
        return self.old.name != self.new.name and not is_padding


@dataclass(frozen=True, slots=True)
class LayoutPair:
    """The old and the new layout of the same thing. ``renamed`` has the new names of fields by their old ones."""

    old: Leaves
    new: Leaves
    kept: tuple[Kept, ...]
    removed: tuple[Leaf, ...]
    added: tuple[Leaf, ...]
    renamed: Mapping[str, str]

    @property
    def alike(self) -> bool:
        """Whether both have the same leaves in the same order, under any names."""
        return not (self.removed or self.added or any(kept.moved for kept in self.kept))

    def same(self, old: model.Condition | None, new: model.Condition | None) -> bool:
        """Whether two expressions mean the same, except for changed names."""
        return same(old, new, self.renamed)

    def same_extent(self, old: model.Extent | model.End | None, new: model.Extent | model.End | None) -> bool:
        """Whether two values have the same extent, except for the byte order of a length prefix."""
        match old, new:
            case model.Size(condition=one), model.Size(condition=other):
                return self.same(one, other) and (old.pad, old.until) == (new.pad, new.until)
            case model.Prefix(length=one), model.Prefix(length=other):
                return one.type == other.type and old.counts == new.counts
        return old == new


def align(old: Leaves, new: Leaves, renamed: Mapping[str, str]) -> LayoutPair:
    """The pair. Leaves are paired by name, and the remaining ones by type and position."""
    before, after = _keyed(old.leaves, renamed), _keyed(new.leaves, {})
    common = [key for key in before if key in after]
    rank = {key: index for index, key in enumerate(after)}
    staying = longest_rising([rank[key] for key in common])
    kept = [Kept(before[key], after[key], rank[key] not in staying) for key in common]
    removed = [leaf for key, leaf in before.items() if key not in after]
    added = [leaf for key, leaf in after.items() if key not in before]
    again = _renamed(old.leaves, new.leaves, {id(one.old): one.new for one in kept if not one.moved}, removed, added)
    names = {one.old.name: one.new.name for one in again if one.renamed}
    return LayoutPair(
        old,
        new,
        tuple(sorted((*kept, *again), key=lambda one: new.leaves.index(one.new))),
        tuple(leaf for leaf in removed if all(leaf is not one.old for one in again)),
        tuple(leaf for leaf in added if all(leaf is not one.new for one in again)),
        {**renamed, **names},
    )


def _keyed(leaves: Iterable[Leaf], renamed: Mapping[str, str]) -> dict[tuple[str, int], Leaf]:
    """The leaves by name, and by number if a name occurs in several alternatives."""
    found: dict[tuple[str, int], Leaf] = {}
    for leaf in leaves:
        name = renamed.get(leaf.name, leaf.name)
        number = sum(1 for known, _ in found if known == name)
        found[name, number] = leaf
    return found


def longest_rising(ranks: Sequence[int]) -> set[int]:
    """The longest increasing subsequence: the elements that kept their place while others moved."""
    chains: list[list[int]] = [[]]
    for rank in ranks:
        before = max((chain for chain in chains if not chain or chain[-1] < rank), key=len)
        chains.append([*before, rank])
    longest = max(chains, key=len)
    return set(longest)


def _renamed(
    old: Sequence[Leaf], new: Sequence[Leaf], staying: Mapping[int, Leaf], removed: list[Leaf], added: list[Leaf]
) -> list[Kept]:
    """Leaves between the same neighbours that differ only in their names."""
    gone, come = {id(leaf) for leaf in removed}, {id(leaf) for leaf in added}
    stayed = {id(leaf) for leaf in staying.values()}
    found: list[Kept] = []
    candidates: dict[int, list[Leaf]] = {}
    behind = 0
    for leaf in new:
        if id(leaf) in come:
            candidates.setdefault(behind, []).append(leaf)
        elif id(leaf) in stayed:
            behind = id(leaf)
    behind = 0
    for leaf in old:
        if id(leaf) in gone:
            beside = candidates.get(behind, [])
            match = next((other for other in beside if _alike(leaf, other)), None)
            if match is not None:
                found.append(Kept(leaf, match))
                del beside[: beside.index(match) + 1]
        elif id(leaf) in staying:
            behind = id(staying[id(leaf)])
    return found


def _alike(old: Leaf, new: Leaf) -> bool:
    """Whether one may be the other under a new name."""
    if old.place != new.place or [guard.presence for guard in old.guards] != [guard.presence for guard in new.guards]:
        return False
    match old.carrier, new.carrier:
        case model.Field() as one, model.Field() as other:
            return (one.wire, one.repeat is None) == (other.wire, other.repeat is None)
        case BitLeaf() as one, BitLeaf() as other:
            before, after = one.field, other.field
            is_alike = (before.width, before.count) == (after.width, after.count)
            return is_alike and (one.integer, one.shift) == (other.integer, other.shift)
        case model.Computed() as one, model.Computed() as other:
            return one.value.text == other.value.text
        case (model.Section() | model.Slot()) as one, (model.Section() | model.Slot()) as other:
            return type(one) is type(other) and one.extent == other.extent
        case (model.Padding(fixed=int(size)), model.Field(size=other)) | (
            model.Field(size=other),
            model.Padding(fixed=int(size)),
        ):
            return size == other
    return False
