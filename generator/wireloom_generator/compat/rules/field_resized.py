"""A field keeps its size.

What stands behind it in the same section is read from where it is not; a varint of more bits only refuses or admits
larger numbers. What is reserved may become less, if all bits of the rest are told.

Bad::

    - {name: snapshot_type, type: u16}    # a u32 before

Good::

    - {name: snapshot_type, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator.compat import walks, words
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf
from wireloom_generator.problems import counted
from wireloom_generator.types import Float, Integer, Varint

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of other widths, and values that reach to another end."""
    for pair, kept, old, new in walks.fields(comparison):
        if new.reserved and Carving(pair).shrunk(kept.old, kept.new):
            continue
        one, other = old.wire.type, new.wire.type
        match one, other:
            case Varint(bits=before), Varint(bits=after):
                if before != after and one.kin == other.kin:
                    what = f"{walks.was(str(one), str(other))}: larger numbers are"
                    narrower = after < before
                    what, whom = (f"{what} malformed now", BACKWARD) if narrower else (f"{what} new", FORWARD)
                    yield Change(kept.new.path, what, whom)
            case (Integer(bits=before), Integer(bits=after)) | (Float(bits=before), Float(bits=after)):
                if before != after:
                    yield Change(kept.new.path, walks.was(str(one), str(other)), BOTH)
        if type(one) is type(other) and not pair.same_extent(old.wire.extent, new.wire.extent):
            what = walks.was(words.extent(old.wire.extent), words.extent(new.wire.extent))
            yield Change(kept.new.path, what, BOTH)
    yield from _bits(comparison)


def _bits(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case (BitLeaf(), BitLeaf()) if carving.shrunk(kept.old, kept.new):
                    pass
                case BitLeaf(field=old, integer=one), BitLeaf(field=new, integer=other):
                    if one.type != other.type:
                        yield Change(kept.new.path, f"was in a {one.type}, is in a {other.type}", BOTH)
                    elif old.width != new.width:
                        what = walks.was(counted(old.width, "bit"), counted(new.width, "bit"))
                        yield Change(kept.new.path, what, BOTH)
