"""Which leaf owns which bits of a layout, to find fields that are carved out of bits that had no meaning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wireloom_generator import model
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.surface import BitLeaf, Leaf
from wireloom_generator.types import Integer


@dataclass(frozen=True, slots=True)
class BitRange:
    """Bits of a section, from ``first`` to before ``last``, counted from the last leaf without a fixed size."""

    origin: tuple[str, ...]
    first: int
    last: int

    def within(self, other: "BitRange") -> bool:
        """Whether they are all among those of another."""
        return self.origin == other.origin and other.first <= self.first and self.last <= other.last


class Carving:
    """What became of a layout's reserved bits, and which parts of its numbers gained or lost names."""

    def __init__(self, pair: LayoutPair) -> None:
        names = {kept.old.name: kept.new.name for kept in pair.kept}
        self._old = {key: _renamed(bits, names) for key, bits in _ranges(pair.old.leaves).items()}
        self._new = _ranges(pair.new.leaves)
        old, new = (
            [(leaf, ranges[id(leaf)]) for leaf in leaves if id(leaf) in ranges]
            for leaves, ranges in ((pair.old.leaves, self._old), (pair.new.leaves, self._new))
        )
        self._reserved = [bits for leaf, bits in old if _is_reserved(leaf)]
        self._numbers_before = [bits for leaf, bits in old if _is_number(leaf)]
        self._numbers_now = [bits for leaf, bits in new if _is_number(leaf)]
        self._now = [bits for leaf, bits in new if not is_whole(leaf)]

    def from_reserved(self, new: Leaf) -> bool:
        """Whether all bits of a new leaf were reserved."""
        bits = self._new.get(id(new))
        return bits is not None and any(bits.within(other) for other in self._reserved)

    def from_number(self, new: Leaf) -> bool:
        """Whether a new leaf joins old parts, or is a part of an old number."""
        return is_whole(new) or _word(new, self._new) in self._numbers_before

    def into_number(self, old: Leaf) -> bool:
        """Whether an old leaf is now split into parts, or is a part of a number."""
        return is_whole(old) or _word(old, self._old) in self._numbers_now

    def given_away(self, old: Leaf) -> bool:
        """Whether an old leaf was reserved, and all of its bits now belong to other leaves."""
        bits = self._old.get(id(old))
        return bits is not None and _is_reserved(old) and _covered(bits, self._now)

    def shrunk(self, old: Leaf, new: Leaf) -> bool:
        """Whether reserved bits stay reserved unless they now have a meaning."""
        return _is_reserved(new) and self.from_reserved(new) and self.given_away(old)


def is_whole(leaf: Leaf) -> bool:
    """Whether it is the whole number of bit fields."""
    return isinstance(leaf.carrier, BitLeaf) and leaf.carrier.whole


def _is_reserved(leaf: Leaf) -> bool:
    node = leaf.node
    return isinstance(node, model.Field | model.BitField) and node.reserved and node.valid is None


def _is_number(leaf: Leaf) -> bool:
    """Whether it is a number of which bits can be named: a plain one, or one that had a name beside those of parts."""
    return is_whole(leaf) or (isinstance(leaf.carrier, model.Field) and isinstance(leaf.carrier.wire.type, Integer))


def _word(leaf: Leaf, ranges: Mapping[int, BitRange]) -> BitRange | None:
    """The bits of the number that a bit field is a part of."""
    bits = ranges.get(id(leaf))
    if bits is None or not isinstance(leaf.carrier, BitLeaf):
        return None
    start = bits.first - leaf.carrier.field.first
    return BitRange(bits.origin, start, start + 8 * (leaf.carrier.integer.fixed or 0))


def _ranges(leaves: Iterable[Leaf]) -> dict[int, BitRange]:
    """The bits of the leaves that are always there and of a fixed size, and of alternatives for some of them, by the
    identity of the leaf.
    """
    ends: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {}
    found: dict[int, BitRange] = {}
    word: model.Wire | None = None
    for leaf in leaves:
        origin, at = ends.get(leaf.place, (leaf.place, 0))
        size, carrier = _bits(leaf), leaf.carrier
        if isinstance(carrier, BitLeaf) and (carrier.over or size is not None):
            bits = 8 * (carrier.integer.fixed or 0)
            if carrier.integer is not word and not carrier.over:
                word, at = carrier.integer, at + bits
                ends[leaf.place] = origin, at
            first = at - bits + carrier.field.first
            found[id(leaf)] = BitRange(origin, first, first + carrier.field.taken)
        elif size is None:
            ends[leaf.place] = (*leaf.place, leaf.name), 0
        else:
            found[id(leaf)] = BitRange(origin, at, at + size)
            ends[leaf.place] = origin, at + size
    return found


def _bits(leaf: Leaf) -> int | None:
    """How many bits it always has; None if that varies."""
    if leaf.guards:
        return None
    match leaf.carrier:
        case BitLeaf(field=field):
            return field.taken
        case model.Field(space=space):
            return None if space.least != space.most else 8 * space.least
        case model.Computed():
            return 0
        case model.Padding(fixed=int(size)):
            return 8 * size
        case model.Section(extent=model.Size(fixed=int(size))) | model.Slot(extent=model.Size(fixed=int(size))):
            return 8 * size
        case model.Padding() | model.Section() | model.Slot():
            return None


def _renamed(bits: BitRange, names: Mapping[str, str]) -> BitRange:
    return BitRange(tuple(names.get(name, name) for name in bits.origin), bits.first, bits.last)


def _covered(bits: BitRange, others: Iterable[BitRange]) -> bool:
    """Whether every bit is one of the others', none of which reaches out of it."""
    at = bits.first
    for other in sorted((each for each in others if each.within(bits)), key=lambda each: each.first):
        if other.first > at:
            return False
        at = max(at, other.last)
    return at == bits.last
