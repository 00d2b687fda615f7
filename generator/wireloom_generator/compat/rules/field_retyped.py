"""A field keeps its type.

The same bytes are another value: as a number, as text, as a struct of their own.

Bad::

    - {name: token, type: u32}    # four bytes before

Good::

    - {name: token, type: bytes, size: 4}
"""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Carrier
from wireloom_generator.problems import counted
from wireloom_generator.types import Struct, WireType

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Fields of another kind of type."""
    renamed = _renamed_types(comparison)
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            if not carving.shrunk(kept.old, kept.new) and _differ(kept.old.carrier, kept.new.carrier, renamed):
                yield Change(kept.new.path, walks.was(_in_words(kept.old.carrier), _in_words(kept.new.carrier)), BOTH)


def _differ(old: Carrier, new: Carrier, renamed: Mapping[str, str]) -> bool:
    match old, new:
        case model.Field() as before, model.Field() as after:
            return _types_differ(before.wire.type, after.wire.type, renamed)
        case BitLeaf(field=one), BitLeaf(field=other):
            return one.boolean != other.boolean
        case (model.Field(wire=wire), BitLeaf(whole=True, integer=integer)) | (
            BitLeaf(whole=True, integer=integer),
            model.Field(wire=wire),
        ):
            return wire.type != integer.type
        case (model.Padding(), _) | (_, model.Padding()):
            return False
        case _:
            return type(old) is not type(new)


def _types_differ(old: WireType, new: WireType, renamed: Mapping[str, str]) -> bool:
    match old, new:
        case Struct(name=one), Struct(name=other):
            return renamed.get(one, one) != other
        case _:
            return old.kin != new.kin


def _renamed_types(comparison: Comparison) -> Mapping[str, str]:
    """Old names of shared structs that are the same under a new one."""
    return {
        old.name: new.name
        for old in comparison.old.structs
        for new in comparison.new.structs
        if old.nodes == new.nodes and old.name not in {struct.name for struct in comparison.new.structs}
    }


def _in_words(carrier: Carrier) -> str:
    match carrier:
        case model.Field(wire=kind):
            return str(kind.type)
        case BitLeaf(field=field):
            return "bool" if field.boolean else counted(field.width, "bit")
        case model.Computed():
            return "computed"
        case model.Padding():
            return "padding"
        case model.Section() | model.Slot():
            return "a section"
