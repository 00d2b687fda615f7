"""A field keeps its size.

What stands behind it in the same section is read from where it is not; a varint of more bits only refuses or admits
larger numbers. What is reserved may become less, if all bits of the rest are told.

Bad::

    - {name: snapshot_type, type: u16}    # a u32 before

Good::

    - {name: snapshot_type, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf
from wireloom_generator.problems import counted
from wireloom_generator.types import Float, Integer, Varint

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of other widths, and values that reach to another end."""
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            if carving.shrunk(kept.old, kept.new):
                continue
            match kept.old.carrier, kept.new.carrier:
                case model.Field() as old, model.Field() as new:
                    yield from _field(pair, kept.new.path, old, new)
                case BitLeaf() as old, BitLeaf() as new:
                    yield from _bits(kept.new.path, old, new)


def _field(pair: LayoutPair, path: str, old: model.Field, new: model.Field) -> Iterator[Change]:
    one, other = old.type, new.type
    match one, other:
        case Varint(bits=before), Varint(bits=after):
            if before != after and one.kin == other.kin:
                what, whom = ("malformed now", BACKWARD) if after < before else ("new", FORWARD)
                yield Change(path, f"{walks.was(one, other)}: larger numbers are {what}", whom)
        case (Integer(bits=before), Integer(bits=after)) | (Float(bits=before), Float(bits=after)):
            if before != after:
                yield Change(path, walks.was(one, other), BOTH)
    if type(one) is type(other) and not pair.same_extent(old.wire.extent, new.wire.extent):
        yield Change(path, walks.was(words.extent(old.wire.extent), words.extent(new.wire.extent)), BOTH)


def _bits(path: str, old: BitLeaf, new: BitLeaf) -> Iterator[Change]:
    if old.integer.type != new.integer.type:
        yield Change(path, f"was in a {old.integer.type}, is in a {new.integer.type}", BOTH)
    elif old.field.width != new.field.width:
        yield Change(path, walks.was(counted(old.field.width, "bit"), counted(new.field.width, "bit")), BOTH)
