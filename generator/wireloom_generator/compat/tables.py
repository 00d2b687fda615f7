"""The columns of both versions, struct by struct, and how Parquet, Delta and Iceberg tables handle their changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.alignment import longest_rising
from wireloom_generator.compat.comparison import Comparison, by_name
from wireloom_generator.compat.surface import BitLeaf, Leaf
from wireloom_generator.model import Decimal, Primitive

ADDED = "Parquet: read with mergeSchema; Delta: write with mergeSchema; Iceberg: add the column first"
REMOVED = "Parquet, Delta: the column remains, null in new rows; Iceberg: the same, if the table accepts any schema"
RENAMED = "Parquet: two columns; Delta, Iceberg: two columns, unless it is renamed in the table first"
REORDERED = "Parquet, Delta, Iceberg: right by name, wrong by position"
"""How the table formats handle columns that are new, removed, renamed or in another order."""

_WIDER = {
    Primitive.BYTE: (Primitive.SHORT, Primitive.INT, Primitive.LONG, Primitive.DOUBLE),
    Primitive.SHORT: (Primitive.INT, Primitive.LONG, Primitive.DOUBLE),
    Primitive.INT: (Primitive.LONG, Primitive.DOUBLE),
    Primitive.FLOAT: (Primitive.DOUBLE,),
}
"""The primitive types that hold every value of a type, and that Delta's type widening allows."""

_DIGITS = {Primitive.BYTE: 10, Primitive.SHORT: 10, Primitive.INT: 10, Primitive.LONG: 20}
"""How many digits before the point Delta requires of a decimal that an integer is widened to."""

_ICEBERG_INT = (Primitive.BYTE, Primitive.SHORT, Primitive.INT)
"""Types that Iceberg stores as int."""


@dataclass(frozen=True, slots=True)
class StructPair:
    """The columns of a struct in both versions. ``moved`` ones have another order among those kept."""

    path: str
    kept: tuple[tuple[model.Column, model.Column], ...]
    renamed: tuple[tuple[model.Column, model.Column], ...]
    removed: tuple[model.Column, ...]
    added: tuple[model.Column, ...]
    moved: tuple[model.Column, ...]


def structs(comparison: Comparison) -> Iterator[StructPair]:
    """The row, and every struct in it that both versions have."""
    yield from _structs(comparison.new.name, comparison.old.columns, comparison.new.columns, _names(comparison))


def _names(comparison: Comparison) -> Mapping[str, str]:
    """The new names of old columns: of fields, their labels, left-over bytes of sections, and messages."""
    names = {name: now for pair in comparison.layouts for name, now in pair.renamed.items()}
    for _, kept in walks.kept(comparison):
        labels = product(_labels(kept.old), _labels(kept.new))
        names |= {old.name: new.name for old, new in labels if old.type == new.type}
        names |= dict(zip(_beside(kept.old), _beside(kept.new), strict=False))
    return names | {pair.old.name: pair.new.name for pair in comparison.messages}


def _labels(leaf: Leaf) -> tuple[model.Column, ...]:
    """The column with the label of a leaf, if it has one."""
    columns = leaf.node.columns if isinstance(leaf.node, model.Named) else ()
    return tuple(column for column in columns if column.label)


def _beside(leaf: Leaf) -> tuple[str, ...]:
    """The column with the raw bytes of a leaf, if it has one."""
    match leaf.carrier:
        case model.Section(trailing=str() as name) | model.Slot(trailing=str() as name):
            return (name,)
        case model.Field(raw=str() as name):
            return (name,)
        case model.Section(through=model.Through(raw=str() as name)):
            return (name,)
        case model.Field() | model.Computed() | model.Padding() | model.Section() | model.Slot() | BitLeaf():
            return ()


def _structs(
    path: str, old: tuple[model.Column, ...], new: tuple[model.Column, ...], names: Mapping[str, str]
) -> Iterator[StructPair]:
    pairs = by_name(old, new)
    gone, come = {column.name: column for column in pairs.removed}, {column.name: column for column in pairs.added}
    renamed = tuple((gone[name], come[now]) for name, now in names.items() if name in gone and now in come)
    rank = {column.name: index for index, column in enumerate(new)}
    staying = longest_rising([rank[column.name] for column, _ in pairs.kept])
    yield StructPair(
        path,
        pairs.kept,
        renamed,
        tuple(column for column in pairs.removed if all(column is not before for before, _ in renamed)),
        tuple(column for column in pairs.added if all(column is not after for _, after in renamed)),
        tuple(column for _, column in pairs.kept if rank[column.name] not in staying),
    )
    for column, now in (*pairs.kept, *renamed):
        one, other = _fields(column.type), _fields(now.type)
        if one is not None and other is not None:
            yield from _structs(f"{path}.{now.name}", one, other, names)


def _fields(kind: model.ColumnType) -> tuple[model.Column, ...] | None:
    """The columns of a struct, or of a list's structs."""
    match kind:
        case model.StructType(columns=columns):
            return columns
        case model.ListType(element=element):
            return _fields(element)
        case Primitive() | Decimal():
            return None


def widens(old: model.ColumnType, new: model.ColumnType) -> bool:
    """Whether the new type holds every value of the old one."""
    match old, new:
        case model.ListType(element=one), model.ListType(element=other):
            return widens(one, other)
        case Primitive() as one, Primitive() as other:
            return other in _WIDER.get(one, ())
        case Primitive(), Decimal(precision=precision, scale=scale):
            return old in _DIGITS and precision - scale >= _DIGITS[old]
        case Decimal(), Decimal():
            return old != new and new.scale >= old.scale and new.precision - new.scale >= old.precision - old.scale
    return False


def verdict(old: model.ColumnType, new: model.ColumnType) -> str:
    """How each table format handles a column of another type."""
    if not widens(old, new):
        return "Parquet, Delta, Iceberg: no"
    while isinstance(old, model.ListType) and isinstance(new, model.ListType):
        old, new = old.element, new.element
    by_hand = old in _DIGITS and (isinstance(new, Decimal) or new is Primitive.DOUBLE)
    delta = "alter the column, with type widening" if by_hand else "with type widening"
    iceberg = "no"
    if old in _ICEBERG_INT and new in _ICEBERG_INT:
        iceberg = "yes, both are its int"
    elif _widens_in_iceberg(old, new):
        iceberg = "widen the column first"
    return f"Parquet: give the reader the new schema; Delta: {delta}; Iceberg: {iceberg}"


def _widens_in_iceberg(old: model.ColumnType, new: model.ColumnType) -> bool:
    if isinstance(old, Decimal) and isinstance(new, Decimal):
        return old.scale == new.scale
    return (old, new) == (Primitive.FLOAT, Primitive.DOUBLE) or (old in _ICEBERG_INT and new is Primitive.LONG)
