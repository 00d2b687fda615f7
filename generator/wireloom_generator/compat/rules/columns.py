"""Changes of the columns of tables."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import tables, walks
from wireloom_generator.compat.changes import BACKWARD, BOTH, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.types.columns import brief


def column_added(comparison: Comparison) -> Iterator[Change]:
    for struct in tables.structs(comparison):
        for column in struct.added:
            yield Change(f"{struct.path}.{column.name}", "column added", NEITHER, tables.ADDED)


def column_removed(comparison: Comparison) -> Iterator[Change]:
    for struct in tables.structs(comparison):
        for column in struct.removed:
            yield Change(f"{struct.path}.{column.name}", "column removed", BACKWARD, tables.REMOVED)


def column_renamed(comparison: Comparison) -> Iterator[Change]:
    for struct in tables.structs(comparison):
        for old, new in struct.renamed:
            yield Change(f"{struct.path}.{new.name}", f"column was {old.name}", BOTH, tables.RENAMED)


def column_reordered(comparison: Comparison) -> Iterator[Change]:
    for struct in tables.structs(comparison):
        for column in struct.moved:
            yield Change(f"{struct.path}.{column.name}", "column moved past other columns", BOTH, tables.REORDERED)


def column_retyped(comparison: Comparison) -> Iterator[Change]:
    for struct in tables.structs(comparison):
        for old, new in struct.kept:
            before, after = brief(old.type), brief(new.type)
            if before != after:
                wider = tables.widens(old.type, new.type)
                what = f"column was {before}, is {after}"
                yield Change(
                    f"{struct.path}.{new.name}", what, BACKWARD if wider else BOTH, tables.verdict(old.type, new.type)
                )
    for _, kept, was, now in walks.values(comparison):
        match was, now:
            case model.Field(long=False, decimal=False), model.Field(decimal=True) if was.wire == now.wire:
                yield Change(kept.new.path, "column is now a decimal for readers who request longs", BACKWARD)
            case model.Field(decimal=True), model.Field(long=False, decimal=False) if was.wire == now.wire:
                yield Change(kept.new.path, "column is now a long for readers who request longs", BOTH)
