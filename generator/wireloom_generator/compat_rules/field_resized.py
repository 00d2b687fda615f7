"""A field keeps its size.

What stands behind it in the same section is read from where it is not; a varint of more bits only refuses or admits
larger numbers.

Bad::

    - {name: snapshot_type, type: u16}    # a u32 before

Good::

    - {name: snapshot_type, type: u32}
"""

from collections.abc import Iterator

from wireloom_generator import ir
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of other widths, and values that reach to another end."""
    for pair, kept, old, new in walks.fields(comparison):
        match old.wire, new.wire:
            case (ir.Leb128(bits=one), ir.Leb128(bits=other)) | (ir.ZigZag(bits=one), ir.ZigZag(bits=other)):
                if one != other:
                    what = f"larger numbers are {'malformed now' if other < one else 'new'}"
                    yield Change(kept.new.path, f"{_retyped(old, new)}: {what}", BACKWARD if other < one else FORWARD)
            case (ir.Integer(bits=one), ir.Integer(bits=other)) | (ir.Float(bits=one), ir.Float(bits=other)):
                if one != other:
                    yield Change(kept.new.path, _retyped(old, new), BOTH)
            case _ if type(old.wire) is type(new.wire) and not pair.same_extent(_extent(old), _extent(new)):
                what = walks.was(words.extent(_extent(old)), words.extent(_extent(new)))
                yield Change(kept.new.path, what, BOTH)
    yield from _bits(comparison)


def _bits(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        for kept in pair.kept:
            match kept.old.carrier, kept.new.carrier:
                case BitLeaf(field=old, integer=one), BitLeaf(field=new, integer=other):
                    if one.bits != other.bits:
                        yield Change(kept.new.path, f"was in a u{one.bits}, is in a u{other.bits}", BOTH)
                    elif old.width != new.width:
                        what = walks.was(words.count(old.width, "bit"), words.count(new.width, "bit"))
                        yield Change(kept.new.path, what, BOTH)


def _retyped(old: ir.Field, new: ir.Field) -> str:
    return walks.was(words.wire(old.wire), words.wire(new.wire))


def _extent(field: ir.Field) -> ir.Extent | None:
    match field.wire:
        case ir.Blob(extent=extent) | ir.Text(extent=extent) | ir.FlatBuffer(extent=extent):
            return extent
        case ir.Struct(extent=sized):
            return sized
        case _:
            return None
